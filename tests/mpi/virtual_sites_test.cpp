// RANKS 1 2 3 8
// Systems with virtual sites of all kinds, also of parents in other domains: their forces and virial are derivatives of
// the energy, and the same bits on any grid of domains.
#include <holon/dynamics/system.hpp>

#include <support/site_systems.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

Parameters parameters(CoulombKind coulomb = CoulombKind::cutoff)
{
    Parameters p;
    p.precision = Precision::real64;
    p.coulomb = coulomb;
    p.rcoulomb = p.rvdw = 0.85;
    return p;
}

/// Forces have no steps, so that differences of energies may stand for them.
Parameters smooth()
{
    auto p = parameters(CoulombKind::reaction_field); // conducting
    p.vdw_modifier = Modifier::force_switch;
    p.rvdw_switch = 0.6;
    return p;
}

TestSystem sites_on_a_chain()
{
    return SitesOnAChain(dodecahedron(2.2), 6).take();
}

std::vector<TestSystem> systems()
{
    return {four_site_water(octahedron(1.9), 4), sites_on_a_chain()};
}

struct Result {
    std::vector<IVec3> forces; // by id
    std::vector<AtomRecord> atoms;
    ForceTotals totals;
};

Result compute(const TestSystem& system, const Parameters& p, const Communicator& comm)
{
    System held(comm, system.topology, p, system.box);
    held.distribute(system.share(comm));
    held.compute_forces(true);
    const auto n = system.size();
    return {by_id(comm, held.atoms, held.atoms.f, n), canonical_by_id(comm, held.atoms, held.box(), n), held.totals()};
}

void expect_same_bits(const Result& a, const Result& b)
{
    EXPECT_TRUE(a.forces == b.forces);
    EXPECT_TRUE(std::ranges::equal(a.atoms, b.atoms, same_state));
    EXPECT_EQ(a.totals.energy, b.totals.energy);
    EXPECT_TRUE(a.totals.virial == b.totals.virial);
}

bool is_site(const TestSystem& system, std::size_t id)
{
    return system.topology->atom(static_cast<AtomId>(id)).mass == 0.0;
}

TEST(VirtualSites, GiveTheSameBitsOnAnyGrid)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (const auto coulomb : {CoulombKind::cutoff, CoulombKind::mesh})
            for (const auto precision : {Precision::mixed, Precision::real64}) {
                auto p = parameters(coulomb);
                p.precision = precision;
                const auto alone = compute(system, p, Communicator());
                for (const auto& grid : grids_of(comm.size())) {
                    SCOPED_TRACE(text(grid));
                    p.domains = grid;
                    expect_same_bits(compute(system, p, comm), alone);
                }
            }
}

TEST(VirtualSites, LeaveSumsOfForcesZeroAndNoneOnSites)
{
    for (const auto& system : systems()) {
        const auto forces = compute(system, parameters(), Communicator::world()).forces;
        IVec3 sum = IVec3::Zero();
        for (std::size_t i = 0; i < forces.size(); ++i) {
            sum += forces[i];
            if (is_site(system, i)) {
                EXPECT_EQ(forces[i], IVec3::Zero());
            }
        }
        EXPECT_EQ(sum, IVec3::Zero());
    }
}

TEST(VirtualSites, FollowTheirParents)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems()) {
        System held(comm, system.topology, parameters(), system.box);
        held.distribute(system.share(comm));
        const auto start = canonical_by_id(comm, held.atoms, held.box(), system.size());
        const IVec3 move = to_lattice({0.03, -0.02, 0.05}, position_unit);
        for (std::size_t i = 0; i < static_cast<std::size_t>(held.atoms.n_owned); ++i)
            if (held.atoms.mass[i] > 0.0) held.atoms.x[i] += move;
        held.place_sites();
        const auto moved = canonical_by_id(comm, held.atoms, held.box(), system.size());
        for (std::size_t i = 0; i < moved.size(); ++i)
            EXPECT_EQ(moved[i].x + held.box().shift(moved[i].image),
                      start[i].x + held.box().shift(start[i].image) + move);
    }
}

/// Of an atom with the others where they are [kJ/mol/nm].
Vec3 force_by_differences(const TestSystem& system, std::size_t atom, double step)
{
    Vec3 force;
    for (int k = 0; k < 3; ++k) {
        const auto energy = [&](double d) {
            auto moved = system;
            moved.atoms[atom].x[k] += round_to_int(d / position_unit);
            moved.atoms[atom].image += moved.box.wrap(moved.atoms[atom].x);
            return compute(moved, smooth(), Communicator()).totals.potential;
        };
        force[k] = -(energy(step) - energy(-step)) / (2.0 * step);
    }
    return force;
}

TEST(VirtualSites, ForcesAreTheDerivativeOfTheEnergy)
{
    if (Communicator::world().size() > 1) return; // others have the same bits
    for (const auto& system : {four_site_water(octahedron(1.9), 4), SitesOnAChain(dodecahedron(2.2), 6).take()}) {
        const auto forces = compute(system, smooth(), Communicator()).forces;
        for (std::size_t atom = 0; atom < system.size(); atom += 17) {
            const Vec3 found = to_real(forces[atom], force_unit);
            const Vec3 expected =
                is_site(system, atom) ? Vec3(Vec3::Zero()) : force_by_differences(system, atom, 0x1p-18);
            EXPECT_LT((found - expected).norm(), 1e-6 * std::max(1.0, expected.norm())) << atom;
        }
    }
}

/// The system with all positions and the box strained: r_j += strain * r_i.
TestSystem strained(const TestSystem& system, int i, int j, double strain)
{
    Mat3 deform = Mat3::Identity();
    deform(i, j) += strain;
    TestSystem result = system;
    result.box = Box(system.box.vectors() * deform, 44);
    for (auto& atom : result.atoms) {
        const Vec3 unwrapped = to_real(atom.x + system.box.shift(atom.image), position_unit);
        atom.x = to_lattice(deform.transpose() * unwrapped, position_unit);
        atom.image = result.box.wrap(atom.x);
    }
    return result;
}

TEST(VirtualSites, VirialIsTheDerivativeOfTheEnergyByStrain)
{
    if (Communicator::world().size() > 1) return; // others have the same bits
    constexpr double step = 0x1p-18;
    for (const auto& system : systems()) {
        const Mat3 virial = compute(system, smooth(), Communicator()).totals.virial;
        Mat3 derivative = Mat3::Zero();
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j) { // others would turn the box
                const auto energy = [&](double strain) {
                    return compute(strained(system, i, j, strain), smooth(), Communicator()).totals.potential;
                };
                derivative(i, j) = derivative(j, i) = (energy(step) - energy(-step)) / (4.0 * step);
            }
        EXPECT_LT((virial - derivative).cwiseAbs().maxCoeff(), 2e-6 * virial.cwiseAbs().maxCoeff());
    }
}

} // namespace
} // namespace holon::test
