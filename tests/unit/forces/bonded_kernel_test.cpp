// The kernels of all instruction sets do the same as the terms' formulas one by one.
#include <holon/core/instruction_sets.hpp>

#include "bonded_fixture.hpp"

#include <forces/bonded/bonded_terms.hpp>
#include <forces/function_types/excluded_pair.hpp>
#include <forces/function_types/g96_angle.hpp>
#include <forces/function_types/g96_bond.hpp>
#include <forces/function_types/harmonic_angle.hpp>
#include <forces/function_types/harmonic_bond.hpp>
#include <forces/function_types/harmonic_improper.hpp>
#include <forces/function_types/pair_14.hpp>
#include <forces/function_types/periodic_dihedral.hpp>
#include <forces/function_types/ryckaert_bellemans.hpp>
#include <forces/function_types/urey_bradley.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace holon {
namespace {

using namespace bonded;

std::shared_ptr<const MeshSettings> mesh_of(double rcoulomb, const Box& box)
{
    Parameters p;
    p.coulomb = CoulombKind::mesh;
    p.rcoulomb = p.rvdw = p.coulomb_split_radius = rcoulomb;
    return std::make_shared<const MeshSettings>(choose_mesh(p, box));
}

/// Terms of all kinds on a chain of atoms that crosses the box, some of whose atoms are in line or in one place.
struct Chain {
    static constexpr std::int32_t n = 203;
    Topology topology;
    Box box{Mat3{{3.0, 0.0, 0.0}, {0.9, 2.8, 0.0}, {-1.1, 1.2, 2.6}}, 44};
    NonbondedConstants constants{Parameters{}};
    Atoms atoms;
    LocalTermLists lists;

    explicit Chain(unsigned seed, bool mesh)
    {
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        std::uniform_int_distribution<int> count(-2, 2);
        constants.k_rf = 0.5;
        constants.c_rf = 1.5;
        if (mesh) constants.mesh = mesh_of(constants.r_coulomb, box);
        topology.fudge_qq = 0.8;
        Vec3 x = Vec3::Zero(), step(0.1, 0.05, 0.1);
        for (std::int32_t i = 0; i < n; ++i) {
            if (i % 37 == 5)
                step = Vec3::Zero();
            else if (i % 23 != 3)
                step = 0.15 * Vec3(uniform(random), uniform(random), uniform(random)); // else in line
            x += step;
            atoms.x.push_back(to_lattice(x, position_unit) +
                              box.shift(Image(count(random), count(random), count(random))));
            atoms.charge.push_back(uniform(random));
            atoms.id.push_back(i);
        }
        atoms.n_owned = atoms.n_total = n;
        for (std::size_t kind = 0; kind < interaction_count; ++kind) {
            auto& table = topology.parameters[kind];
            for (int p = 0; p < 5; ++p) {
                InteractionParameters made;
                for (double& value : made) value = 2.0 * uniform(random);
                if (interaction_info[kind].name.find("periodic") == 0 ||
                    interaction_info[kind].name.find("proper") == 0)
                    made[2] = p - 1;
                table.push_back(made);
            }
            const int width = interaction_info[kind].atoms;
            for (std::int32_t i = 0; i + width <= n; ++i)
                for (int repeat = 0; repeat < 1 + i % 2; ++repeat) {
                    for (int a = 0; a < width; ++a)
                        lists[kind].atoms.push_back(i + (width == 2 && repeat == 1 ? 2 * a : a));
                    lists[kind].parameters.push_back(static_cast<std::int32_t>(random() % 5));
                    if (lists[kind].atoms.back() >= n) lists[kind].atoms.back() = 0;
                }
        }
    }
    std::vector<Batches> batches() const { return make_batches(lists, topology, constants, atoms); }
};

struct Outcome {
    std::vector<IVec3> f;
    Totals totals{};
    bool reported = false;

    bool operator==(const Outcome& other) const
    {
        return f == other.f && std::memcmp(&totals, &other.totals, sizeof totals) == 0 && reported == other.reported;
    }
};

using Kernels = Reported (*)(Kernel, const KernelData&);

Outcome evaluate(Kernels run, const Chain& chain, const Batches& batches, bool want_totals = true)
{
    Outcome outcome;
    Atoms atoms = chain.atoms;
    atoms.f.assign(atoms.x.size(), IVec3::Zero());
    const auto data =
        kernel_data(batches, chain.constants, chain.box, atoms, atoms.f, want_totals ? &outcome.totals : nullptr);
    outcome.reported = run(batches.kernel, data).left_out;
    outcome.f = atoms.f;
    return outcome;
}

/// The variants beside the baseline that this machine can run.
std::vector<Kernels> variants()
{
    std::vector<Kernels> all;
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3) all.push_back(run_v3);
    if (best_instruction_set() >= InstructionSet::v4) all.push_back(run_v4);
#endif
    return all;
}

TEST(BondedKernel, AllInstructionSetsGiveTheSameIntegers)
{
    for (unsigned seed = 1; seed <= 4; ++seed) {
        const Chain chain(seed, seed % 2 == 0);
        const auto all = chain.batches();
        EXPECT_GE(all.size(), 13U);
        for (const auto& batches : all) {
            const auto baseline = evaluate(run_baseline, chain, batches);
            EXPECT_TRUE(std::ranges::any_of(baseline.f, [](const IVec3& f) { return f != IVec3(0, 0, 0); }));
            EXPECT_EQ(baseline.f, evaluate(run_baseline, chain, batches, false).f);
            for (const Kernels run : variants())
                EXPECT_TRUE(evaluate(run, chain, batches) == baseline) << static_cast<int>(batches.kernel);
        }
    }
}

/// What a formula sees of one lane.
struct OneLane {
    const Batches& batches;
    std::size_t batch, lane;
    Constants constants;
    bool& reported;
    int count = batches.n_parameters;

    double operator[](int k) const
    {
        return batches.parameters[batch * static_cast<std::size_t>(count) + static_cast<std::size_t>(k)].lane[lane];
    }
    void report(bool set) const { reported |= set; }
};

template <class Term>
Outcome one_by_one(const Chain& chain, const Batches& batches)
{
    Outcome outcome;
    outcome.f.assign(chain.atoms.x.size(), IVec3::Zero());
    Atoms atoms = chain.atoms;
    const auto constants = kernel_data(batches, chain.constants, chain.box, atoms, {}, nullptr).constants;
    const auto n_batches = static_cast<std::size_t>(batches.n_batches);
    for (std::size_t t = 0; t < static_cast<std::size_t>(batches.n_terms); ++t) {
        const std::size_t batch = t % n_batches, lane = t / n_batches;
        const auto atom = [&](int a) {
            const auto& at = batches.atoms[batch * Term::n_atoms + static_cast<std::size_t>(a)];
            return static_cast<std::size_t>(at.lane[lane] / 3);
        };
        const auto difference = [&](int i, int j) {
            const Vec3 d = to_real(chain.box.minimum_image(atoms.x[atom(i)] - atoms.x[atom(j)]), position_unit);
            return V3<double>{d[0], d[1], d[2]};
        };
        const auto term =
            Term::template compute<double>(difference, OneLane{batches, batch, lane, constants, outcome.reported});
        constexpr bool of_several = requires
        {
            Term::ends;
        }; // each rounded by itself
        FixedSum energy[std::size(term.energy)], virial[n_tensor];
        double tensor[n_tensor];
        for (std::size_t e = 0; e < std::size(term.energy); ++e) {
            energy[e].add(term.energy[e]);
            outcome.totals.energy[e] += energy[e].raw();
        }
        for (std::size_t m = 0; m < std::size(term.f); ++m) {
            int head = static_cast<int>(m), tail = Term::n_atoms - 1;
            if constexpr (of_several) head = Term::ends[m].head, tail = Term::ends[m].tail;
            const double f[3] = {term.f[m].x, term.f[m].y, term.f[m].z};
            const double d[3] = {term.d[m].x, term.d[m].y, term.d[m].z};
            for (int k = 0; k < 3; ++k) {
                const double units = f[k] / force_unit; // NaN of two atoms at the same place becomes the bound
                const auto rounded = round_to_int(units < force_bound ? std::max(units, -force_bound) : force_bound);
                outcome.f[atom(head)][k] += rounded;
                outcome.f[atom(tail)][k] -= rounded;
                for (int j = 0; j <= k; ++j) {
                    double& element = tensor[k * (k + 1) / 2 + j];
                    const double of_force = -0.5 * d[k] * f[j];
                    element = of_several || m == 0 ? of_force : element + of_force;
                }
            }
            if (of_several || m + 1 == std::size(term.f))
                for (std::size_t v = 0; v < n_tensor; ++v) virial[v].add(tensor[v]);
        }
        for (std::size_t v = 0; v < n_tensor; ++v) outcome.totals.virial[v] += virial[v].raw();
    }
    return outcome;
}

Outcome one_by_one(const Chain& chain, const Batches& batches)
{
    switch (batches.kernel) {
#define X(name, type)                                                                                                  \
    case Kernel::name:                                                                                                 \
        return one_by_one<type>(chain, batches);
        HOLON_BONDED_KERNELS(X)
#undef X
    }
    return {};
}

TEST(BondedKernel, LanesGiveTheBitsOfTheFormula)
{
    for (const bool mesh : {false, true}) {
        const Chain chain(7, mesh);
        for (const auto& batches : chain.batches())
            EXPECT_TRUE(evaluate(run_baseline, chain, batches) == one_by_one(chain, batches))
                << static_cast<int>(batches.kernel);
    }
}

TEST(BondedKernel, TrianglesGiveTheBitsOfTheirPairs)
{
    for (const bool mesh : {false, true}) {
        const Chain chain(9, mesh);
        Chain shuffled = chain;
        constexpr auto kind = static_cast<std::size_t>(Interaction::excluded_pair);
        auto& terms = shuffled.lists[kind];
        for (std::size_t t = 0; t < terms.size(); ++t) { // the last first: no triangles
            terms.atoms[2 * t] = chain.lists[kind].atoms[2 * (terms.size() - 1 - t)];
            terms.atoms[2 * t + 1] = chain.lists[kind].atoms[2 * (terms.size() - 1 - t) + 1];
        }
        const auto total = [](const Chain& c) {
            Atoms atoms = c.atoms;
            atoms.f.assign(atoms.x.size(), IVec3::Zero());
            BondedForces forces(c.topology, c.constants, c.box);
            LocalTermLists excluded;
            excluded[kind] = c.lists[kind];
            forces.set_up(excluded, atoms);
            ForceSums sums;
            forces.add_forces(atoms, &sums);
            return std::pair(atoms.f, sums);
        };
        const auto n_triangles = [](const Chain& c) {
            std::int64_t sum = 0;
            for (const auto& batches : c.batches())
                if (batches.kernel == Kernel::excluded_triangle || batches.kernel == Kernel::excluded_triangle_mesh)
                    sum += batches.n_terms;
            return sum;
        };
        EXPECT_GT(n_triangles(chain), 50);
        EXPECT_EQ(n_triangles(shuffled), 0);
        const auto [f, sums] = total(chain);
        const auto [f_pairs, sums_pairs] = total(shuffled);
        EXPECT_EQ(f, f_pairs);
        EXPECT_EQ(sums.energy, sums_pairs.energy);
        EXPECT_EQ(sums.virial, sums_pairs.virial);
    }
}

TEST(BondedKernel, ExcludedPairsLoseWhatTheMeshGivesThem)
{
    for (const double r : {0.1, 0.3, 0.9, 1.0, 1.2}) { // cutoff 1
        BondedFixture system(Interaction::excluded_pair, {}, {Vec3(r, 0, 0), Vec3(0, 0, 0)});
        system.mesh = mesh_of(1.0, system.box);
        const auto result = system.evaluate();
        const auto& split = *system.mesh->split;
        const double strength = units::electric_factor * 0.5 * -0.3;
        const double accuracy = r < 1.0 ? 1e-3 * std::abs(strength) : 1e-8; // that of the polynomial
        EXPECT_NEAR(result.energy(EnergyTerm::coulomb_exclusion), -strength * split.smooth(r), accuracy) << r;
        EXPECT_NEAR(result.force(0)[0], -strength * split.smooth_force(r) * r, 10.0 * accuracy) << r;
        EXPECT_EQ(result.f[0], -result.f[1]);
    }
}

/// Also where both a triangle and a single pair reach beyond the cutoff: each pair is corrected once.
TEST(BondedKernel, ExcludedPairsBeyondTheCutoffAreCorrectedOnce)
{
    const std::vector<Vec3> x = {Vec3(0, 0, 0), Vec3(1.1, 0, 0), Vec3(0, 1.2, 0), Vec3(0, 0, 1.15)}; // cutoff 1
    const std::vector<std::int32_t> pairs = {0, 1, 0, 2, 0, 3, 1, 2};
    BondedFixture system(Interaction::excluded_pair, {}, x);
    system.mesh = mesh_of(1.0, system.box);
    for (std::size_t i = 2; i < x.size(); ++i) {
        system.x.push_back(to_lattice(x[i], position_unit));
        system.charge.push_back(0.7);
        system.id.push_back(static_cast<AtomId>(10 + i));
    }
    system.terms.atoms = pairs;
    system.terms.parameters.assign(pairs.size() / 2, 0);
    double energy = 0.0;
    std::vector<Vec3> force(x.size(), Vec3::Zero());
    for (std::size_t p = 0; p < pairs.size(); p += 2) {
        const auto i = static_cast<std::size_t>(pairs[p]), j = static_cast<std::size_t>(pairs[p + 1]);
        const Vec3 d = to_real(system.box.minimum_image(system.x[i] - system.x[j]), position_unit);
        const double strength = units::electric_factor * system.charge[i] * system.charge[j];
        ASSERT_GT(d.norm(), 1.0);
        energy -= strength * system.mesh->split->smooth(d.norm());
        force[i] -= strength * system.mesh->split->smooth_force(d.norm()) * d;
        force[j] += strength * system.mesh->split->smooth_force(d.norm()) * d;
    }
    const auto result = system.evaluate();
    EXPECT_NEAR(result.energy(EnergyTerm::coulomb_exclusion), energy, 1e-8);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_LT((result.force(i) - force[i]).norm(), 1e-7) << i;
}

TEST(BondedKernel, ArcTangentIsAccurate)
{
    for (int i = 0; i <= 20000; ++i) {
        const double angle = (i / 10000.0 - 1.0) * units::pi;
        const double y = 0.7 * std::sin(angle), x = 0.7 * std::cos(angle);
        EXPECT_NEAR(arc_tangent(y, x), std::atan2(y, x), 1e-15) << angle;
    }
    for (const double tiny : {1e-300, 1e-20, 1e-9, 1e-5})
        EXPECT_NEAR(arc_tangent(tiny, 1.0), std::atan(tiny), 1e-16 * tiny);
    EXPECT_EQ(arc_tangent(0.0, 0.0), 0.0);
    EXPECT_EQ(arc_tangent(0.0, 1.0), 0.0);
    EXPECT_EQ(arc_tangent(0.0, -1.0), units::pi);
    EXPECT_EQ(arc_tangent(1.0, 0.0), 0.5 * units::pi);
}

TEST(BondedKernel, DihedralsOnTheSameAtomsAddUp)
{
    std::mt19937_64 random(3);
    const std::vector<InteractionParameters> all = {{0.3, 5.0, 1.0}, {units::pi, 7.0, 2.0}, {-1.1, 2.0, 3.0},
                                                    {0.0, 4.0, 6.0}, {0.5, 3.0, 0.0},       {0.4, 6.0, -2.0}};
    const auto chain = random_chain(random);
    BondedFixture together(Interaction::proper_dihedral, all[0], chain);
    together.topology.parameters[static_cast<std::size_t>(Interaction::proper_dihedral)] = all;
    const auto atoms = together.terms.atoms;
    double energy = 0.0;
    std::vector<Vec3> force(chain.size(), Vec3::Zero());
    for (std::size_t t = 0; t < all.size(); ++t) {
        const auto alone = BondedFixture(Interaction::proper_dihedral, all[t], chain).evaluate();
        energy += alone.energy();
        for (std::size_t i = 0; i < together.x.size(); ++i) force[i] += alone.force(i);
        if (t == 0) continue;
        together.terms.atoms.insert(together.terms.atoms.end(), atoms.begin(), atoms.end());
        together.terms.parameters.push_back(static_cast<std::int32_t>(t));
    }
    const auto result = together.evaluate();
    EXPECT_NEAR(result.energy(), energy, 1e-9);
    for (std::size_t i = 0; i < together.x.size(); ++i) EXPECT_LT((result.force(i) - force[i]).norm(), 1e-7);
}

} // namespace
} // namespace holon
