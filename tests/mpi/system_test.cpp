// RANKS 1 2 3 8
// Forces, energies and virial of the whole system: against brute force, and the same bits on any grid of domains.
#include <holon/core/error.hpp>
#include <holon/dynamics/system.hpp>

#include <support/reference.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

Parameters parameters(Precision precision = Precision::real64)
{
    Parameters p;
    p.precision = precision;
    p.rcoulomb = p.rvdw = 0.85;
    p.rvdw_switch = 0.7;
    return p;
}

struct Case {
    const char* name;
    Parameters parameters;
};

std::vector<Case> cases()
{
    std::vector<Case> all;
    const auto add = [&all](const char* name, auto change) {
        all.push_back({name, parameters()});
        change(all.back().parameters);
    };
    const auto reaction_field = [](Parameters& p, double epsilon_rf, double epsilon_r = 1.0) {
        p.coulomb = CoulombKind::reaction_field;
        p.epsilon_rf = epsilon_rf;
        p.epsilon_r = epsilon_r;
    };
    add("shifted", [](Parameters&) {});
    add("plain cut-off", [](Parameters& p) { p.vdw_modifier = p.coulomb_modifier = Modifier::none; });
    add("potential switch", [](Parameters& p) { p.vdw_modifier = Modifier::potential_switch; });
    add("force switch", [](Parameters& p) { p.vdw_modifier = Modifier::force_switch; });
    add("force switch from 0", [](Parameters& p) {
        p.vdw_modifier = Modifier::force_switch;
        p.rvdw_switch = 0.0;
    });
    for (const auto modifier : {Modifier::force_switch, Modifier::potential_switch})
        add("switched Coulomb", [modifier](Parameters& p) {
            p.coulomb_modifier = modifier;
            p.rcoulomb_switch = 0.5;
        });
    add("reaction field, conducting", [&](Parameters& p) { reaction_field(p, 0.0); });
    add("reaction field, 78", [&](Parameters& p) { reaction_field(p, 78.0); });
    add("reaction field in a medium", [&](Parameters& p) { reaction_field(p, 80.0, 2.0); });
    add("short vdw", [&](Parameters& p) {
        reaction_field(p, 78.0);
        p.rvdw = 0.6;
        p.rvdw_switch = 0.5;
        p.vdw_modifier = Modifier::force_switch;
    });
    add("short Coulomb", [](Parameters& p) { p.rcoulomb = 0.6; });
    return all;
}

std::vector<TestSystem> systems()
{
    return {argon(cubic(2.1), 6), water(cubic(1.75), 4), water(octahedron(1.9), 4), chain(dodecahedron(2.2), 6)};
}

/// What an held computes, brought together on all ranks.
struct Result {
    std::vector<IVec3> forces; // by id
    ForceTotals totals;
};

Result result_of(System& held)
{
    held.compute_forces(true);
    const auto n = static_cast<std::size_t>(held.topology().n_atoms());
    return {by_id(held.comm(), held.atoms, held.atoms.f, n), held.totals()};
}

Result compute(const TestSystem& system, const Parameters& p, const Communicator& comm)
{
    System held(comm, system.topology, p, system.box);
    held.distribute(system.share(comm));
    return result_of(held);
}

void expect_same_bits(const Result& a, const Result& b)
{
    EXPECT_TRUE(a.forces == b.forces);
    EXPECT_EQ(a.totals.energy, b.totals.energy);
    EXPECT_EQ(a.totals.potential, b.totals.potential);
    EXPECT_TRUE(a.totals.virial == b.totals.virial);
}

double rms(const std::vector<Vec3>& vectors)
{
    double sum = 0.0;
    for (const auto& v : vectors) sum += v.squaredNorm();
    return std::sqrt(sum / static_cast<double>(vectors.size()));
}

/// Relative errors up to a tolerance, beside what the rounding of positions, forces and energies must make of them.
void expect_equal(const Result& result, const Reference& reference, Precision precision, double force_tolerance)
{
    const bool mixed = precision == Precision::mixed;
    const double tolerance = mixed ? 1e-5 : 1e-10;
    const double force = rms(reference.forces), n = static_cast<double>(result.forces.size());
    const double energy_rounding = mixed ? 0x1p-22 * force * std::sqrt(n) : 0x1p-36 * 300.0;
    const double force_rounding = (mixed ? 0x1p-11 / std::sqrt(12.0) : 0x1p-28) * 10.0; // of some 100 pairs

    std::vector<Vec3> errors;
    for (std::size_t i = 0; i < result.forces.size(); ++i)
        errors.push_back(to_real(result.forces[i], force_unit) - reference.forces[i]);
    EXPECT_LT(rms(errors), force_tolerance * force + force_rounding);

    const auto expect_energy = [&](double energy, double expected) {
        EXPECT_NEAR(energy, expected, tolerance * std::abs(expected) + energy_rounding);
    };
    const auto energy = [&](EnergyTerm term) { return result.totals.energy[static_cast<std::size_t>(term)]; };
    expect_energy(energy(EnergyTerm::lj), reference.lj);
    expect_energy(energy(EnergyTerm::coulomb_short), reference.coulomb);
    expect_energy(energy(EnergyTerm::bond), reference.bond);
    expect_energy(result.totals.potential, reference.potential());
    // The virial, of the order of r^-12, changes about ten times as fast with the positions.
    EXPECT_LT((result.totals.virial - reference.virial).cwiseAbs().maxCoeff(),
              tolerance * reference.virial.cwiseAbs().maxCoeff() + force_rounding * std::sqrt(n) +
                  10.0 * energy_rounding);
}

IVec3 sum(const std::vector<IVec3>& forces)
{
    IVec3 total = IVec3::Zero();
    for (const auto& f : forces) total += f;
    return total;
}

TEST(System, AgreesWithBruteForce)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (auto& [name, p] : cases()) {
            SCOPED_TRACE(name);
            const auto reference = brute_force(system, p);
            for (const auto precision : {Precision::real64, Precision::mixed}) {
                p.precision = precision;
                const auto result = compute(system, p, comm);
                expect_equal(result, reference, precision, precision == Precision::mixed ? 2e-5 : 1e-10);
                EXPECT_EQ(sum(result.forces), IVec3::Zero());
            }
        }
}

TEST(System, GivesTheSameBitsOnAnyGrid)
{
    const auto comm = Communicator::world();
    const auto all = cases();
    std::size_t next = 0;
    for (const auto& system : systems())
        for (const auto precision : {Precision::mixed, Precision::real64})
            for (int k = 0; k < 3; ++k) {
                auto [name, p] = all[next++ % all.size()];
                p.precision = precision;
                const auto alone = compute(system, p, Communicator());
                for (const auto& grid : grids_of(comm.size())) {
                    SCOPED_TRACE(name + (" on " + text(grid)));
                    p.domains = grid;
                    expect_same_bits(compute(system, p, comm), alone);
                }
            }
}

TEST(System, ForcesDoNotDependOnTheAgeOfThePairList)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (const auto precision : {Precision::mixed, Precision::real64}) {
            System held(comm, system.topology, parameters(precision), system.box);
            held.distribute(system.share(comm));
            for (int step = 0; step < 3; ++step) {
                for (std::int32_t i = 0; i < held.atoms.n_owned; ++i) {
                    const auto k = static_cast<std::size_t>(i);
                    Noise noise(static_cast<unsigned>(held.atoms.id[k] + 1000 * step));
                    held.atoms.x[k] += to_lattice(0.016 * noise.vector(), position_unit);
                }
                held.update_halo();
                EXPECT_FALSE(held.stale(held.vote({})));
            }
            const auto old_list = result_of(held);
            held.repartition();
            expect_same_bits(result_of(held), old_list);
        }
}

/// Some of the molecules pushed into others, to this distance of two first atoms.
TestSystem overlapping(double distance)
{
    auto system = water(octahedron(1.9), 4);
    for (const std::size_t molecule : {3, 20, 21, 50}) {
        const IVec3 move = system.atoms[3 * (molecule + 7)].x - system.atoms[3 * molecule].x +
                           to_lattice({0.6 * distance, 0.0, 0.8 * distance}, position_unit);
        for (std::size_t a = 3 * molecule; a < 3 * molecule + 3; ++a) {
            system.atoms[a].x += move;
            system.box.wrap(system.atoms[a].x);
        }
    }
    return system;
}

TEST(System, OverlappingAtomsTakeTheWidePath)
{
    const auto comm = Communicator::world();
    for (const double distance : {0.2, 0.13})
        for (auto [name, p] : cases()) {
            SCOPED_TRACE(name);
            const auto system = overlapping(distance);
            const auto reference = brute_force(system, p);
            expect_equal(compute(system, p, comm), reference, p.precision, 1e-10);
            p.precision = Precision::mixed;
            const auto alone = compute(system, p, Communicator());
            expect_equal(alone, reference, p.precision, 2e-5);
            EXPECT_EQ(sum(alone.forces), IVec3::Zero());
            expect_same_bits(compute(system, p, comm), alone);
        }
}

/// Many pairs, each just below the limit of the narrow path, pull on one atom in the same direction.
TEST(System, ManyLargeForcesOnOneAtomDoNotOverflow)
{
    TestSystem system(cubic(2.0));
    system.set_types({{0.0, 0.0}});
    Noise noise(5);
    auto centre = molecule("Centre", {40.0}, {}), other = centre;
    centre.atoms[0].charge = 10.0;
    other.atoms[0].charge = -0.05;
    system.add(centre, {{1.0, 1.0, 1.0}});
    std::vector<Vec3> crowd;
    for (int k = 0; k < 80; ++k) crowd.push_back(Vec3(1.14, 1.0, 1.0) + 0.01 * noise.vector());
    system.add(other, crowd);
    const auto comm = Communicator::world();
    const auto reference = brute_force(system, parameters());
    EXPECT_GT(reference.forces[0].norm(), 2.0 * 0x1p31 * 0x1p-14);
    const auto forces = compute(system, parameters(Precision::mixed), comm).forces;
    EXPECT_LT((to_real(forces[0], force_unit) - reference.forces[0]).norm(), 1e-5 * reference.forces[0].norm());
    EXPECT_EQ(sum(forces), IVec3::Zero());
}

TEST(System, AtomsInOnePlaceAreAFailureOfAllRanks)
{
    auto system = argon(cubic(2.1), 5);
    system.atoms[70].x = system.atoms[31].x;
    const auto comm = Communicator::world();
    for (const auto precision : {Precision::mixed, Precision::real64}) {
        System held(comm, system.topology, parameters(precision), system.box);
        held.distribute(system.share(comm));
        EXPECT_FALSE(held.health.any_failure());
        held.compute_forces(false);
        EXPECT_TRUE(held.health.any_failure());
        EXPECT_EQ(held.vote({})[Vote::failed], 1);
        try {
            held.fail_together(12);
        } catch (const Failure& failure) {
            EXPECT_EQ(std::string(failure.what()).find("Step 12: atoms 32 and 71 are at the same place"), 0u)
                << failure.what();
        }
    }
}

TEST(System, AJumpThroughTheBoxIsAFailure)
{
    const auto system = argon(cubic(2.1), 5);
    const auto comm = Communicator::world();
    System held(comm, system.topology, parameters(), system.box);
    held.distribute(system.share(comm));
    const auto atom = held.partition().local().find(17);
    if (atom >= 0 && atom < held.atoms.n_owned)
        held.atoms.x[static_cast<std::size_t>(atom)] += held.box().lattice_vector(1);
    EXPECT_EQ(held.vote({})[Vote::failed], 1);
    EXPECT_THROW(held.fail_together(1), Failure);
}

TEST(System, RefusesABoxSmallerThanTwiceTheCutoff)
{
    const auto comm = Communicator::world();
    for (const auto& vectors : {cubic(1.69), dodecahedron(1.69)}) {
        const auto system = argon(vectors, 4);
        EXPECT_THROW(System(comm, system.topology, parameters(), system.box), InputError);
    }
    const auto system = argon(cubic(1.7), 4);
    EXPECT_NO_THROW(System(comm, system.topology, parameters(), system.box));
}

/// The system with all positions and the box strained: r_j += strain * r_i.
TestSystem strained(const TestSystem& system, int i, int j, double strain)
{
    Mat3 deform = Mat3::Identity();
    deform(i, j) += strain;
    TestSystem result = system;
    result.box = Box(system.box.vectors() * deform, 44);
    for (auto& atom : result.atoms) {
        const Vec3 unwrapped = to_real(atom.x, position_unit);
        atom.x = to_lattice(deform.transpose() * unwrapped, position_unit);
        result.box.wrap(atom.x);
    }
    return result;
}

std::int64_t pairs_within(const TestSystem& system, double cutoff)
{
    std::int64_t n = 0;
    for_each_pair_within(system, cutoff, [&](std::size_t, std::size_t, const Vec3&) { ++n; });
    return n;
}

TEST(System, VirialIsTheDerivativeOfTheEnergyByStrain)
{
    constexpr double step = 0x1p-18;
    const auto comm = Communicator::world();
    for (const auto& system : {argon(cubic(2.1), 6), water(octahedron(1.9), 4, 3), chain(dodecahedron(2.2), 5)}) {
        // No pair may cross a cutoff in between: the energy has a kink there, or a step.
        for (const double cutoff : {0.6, 0.85})
            ASSERT_EQ(pairs_within(system, cutoff * (1.0 + 2.0 * step)),
                      pairs_within(system, cutoff * (1.0 - 2.0 * step)));
        for (auto [name, p] : cases()) {
            SCOPED_TRACE(name);
            const Mat3 virial = compute(system, p, comm).totals.virial;
            Mat3 derivative = Mat3::Zero();
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j <= i; ++j) { // others would turn the box
                    const auto energy = [&](double strain) {
                        return compute(strained(system, i, j, strain), p, comm).totals.potential;
                    };
                    derivative(i, j) = derivative(j, i) = (energy(step) - energy(-step)) / (4.0 * step);
                }
            const double rounding = 0x1p-36 * 30.0 / (4.0 * step); // of the energies of some thousand pairs
            EXPECT_LT((virial - derivative).cwiseAbs().maxCoeff(), 1e-6 * virial.cwiseAbs().maxCoeff() + rounding);
        }
    }
}

} // namespace
} // namespace holon::test
