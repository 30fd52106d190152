// RANKS 1 3 8
// What moves as a whole when the box changes: the pressure of the groups is what the energy says, bonds keep their
// bits, and any rank does the same.
#include <holon/dynamics/dynamics.hpp>
#include <holon/dynamics/scaling_groups.hpp>
#include <holon/io/options.hpp>
#include <holon/system/freeze.hpp>

#include <support/constraints/polymers.hpp>
#include <support/systems.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr const char* reaction_field = "coulombtype = reaction-field\nepsilon-rf = 0\n";

constexpr const char* smooth = "rcoulomb = 2.2\nrvdw = 2.2\nprecision = double\ngen-vel = yes\ngen-seed = 5\n";

Parameters parameters_of(const TestSystem& system, const std::string& more, const std::string& range = smooth)
{
    Notes notes;
    auto settings = read_settings(range + "deform = 1 0 0 0 0 0\n" + more, "test.mdp", {}, notes);
    resolve_groups(settings, *system.topology, {});
    return settings.parameters;
}

/// What is around the origin of a box so wide that no pair comes to the cutoff: energies are smooth then.
TestSystem around_origin(MoleculeType type, const std::vector<Vec3>& positions, std::array<double, 2> lj,
                         const Vec3& skew = {1.0, -0.8, 1.2})
{
    Mat3 box;
    box << 5.2, 0.0, 0.0, skew[0], 5.1, 0.0, skew[1], skew[2], 5.0;
    TestSystem system(box, 44);
    system.set_types({lj, {0.0, 0.0}});
    for (std::size_t i = 0; i < type.atoms.size(); ++i)
        for (std::size_t j = 0; j < type.atoms.size(); ++j)
            if (i != j) type.exclusions[i].push_back(static_cast<std::int32_t>(j));
    system.add(std::move(type), positions);
    return system;
}

std::vector<Vec3> places(Noise& noise)
{
    std::vector<Vec3> list;
    for (int k = 0; k < 8; ++k)
        list.push_back(0.32 * (Vec3(k & 1, k >> 1 & 1, k >> 2) - Vec3::Constant(0.5)) + 0.02 * noise.vector());
    return list;
}

/// Short rigid chains, which domains cut.
TestSystem chains(const Vec3& skew = {1.0, -0.8, 1.2})
{
    constexpr std::int32_t beads = 6;
    auto type = molecule("Rod", std::vector<double>(beads, 20.0), {});
    for (std::int32_t k = 0; k + 1 < beads; ++k) type.constraints.push_back({k, k + 1, 0.15});
    Noise noise(9);
    std::vector<Vec3> positions;
    for (Vec3 at : places(noise)) {
        Vec3 along = noise.vector().normalized();
        for (std::int32_t k = 0; k < beads; ++k) {
            positions.push_back(at);
            along = (along + 0.3 * noise.vector()).normalized();
            at += 0.15 * along;
        }
    }
    return around_origin(type, positions, {6e-6, 1.8e-11}, skew);
}

TestSystem waters()
{
    auto type = rigid_water(0.1, 0.163299);
    type.atoms[0].charge = -0.8476;
    for (const std::size_t h : {1, 2}) {
        type.atoms[h].charge = 0.4238;
        type.atoms[h].type = 1;
    }
    Noise noise(3);
    std::vector<Vec3> positions;
    for (const auto& at : places(noise))
        for (const auto& r : water_positions(at, noise, 0.1, 0.163299)) positions.push_back(r);
    return around_origin(type, positions, spce_oxygen_lj);
}

class ScalingGroupsTest : public ::testing::Test {
protected:
    struct State {
        Mat3 box;
        Snapshot atoms;
    };

    void start(const TestSystem& system, const Parameters& parameters, const std::vector<int>& grid)
    {
        auto p = parameters;
        p.domains = grid;
        system_ = std::make_unique<System>(Communicator::world(), system.topology, p, system.box);
        auto records = system.share(Communicator::world());
        make_clusters_whole(Communicator::world(), *system.topology, system.box, {}, records);
        system_->distribute(std::move(records));
        prepare_start(*system_, p, 0);
        system_->compute_forces(true);
        system_->atoms.x_ref = system_->atoms.x;
    }

    Mat3 kinetic(const ScalingGroups& groups)
    {
        TensorSum sum[] = {groups.kinetic_tensor(system_->atoms, system_->box())};
        return over_all(Communicator::world(), sum).front();
    }

    /// Energy, kinetic energy of the groups included, with the box and their velocities strained.
    double strained_energy(const Mat3& strain)
    {
        auto& atoms = system_->atoms;
        const auto before = system_->snapshot();
        const Mat3 box = system_->box().master(), by = Mat3::Identity() + strain;
        auto& groups = system_->scaling_groups();
        groups.follow(atoms, system_->box(), {box * by, by.inverse()}, 0.0);
        system_->set_box(box * by);
        system_->update_halo();
        system_->compute_forces(true);
        const double energy = system_->totals().potential + kinetic(groups).trace();
        auto back = before;
        system_->set_box(box);
        system_->restore(std::move(back));
        return energy;
    }

    void expect_pressure(double tolerance)
    {
        auto& groups = system_->scaling_groups();
        system_->update_halo();
        system_->compute_forces(true);
        TensorSum internal[] = {
            groups.internal_virial(system_->atoms, system_->box(), system_->force_field().outside_forces())};
        const Mat3 stress =
            2.0 * (kinetic(groups) - system_->totals().virial - over_all(Communicator::world(), internal).front());
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j <= i; ++j) {
                const auto slope = [&](double h) {
                    Mat3 strain = Mat3::Zero();
                    strain(i, j) = h;
                    return (strained_energy(-strain) - strained_energy(strain)) / (2.0 * h);
                };
                constexpr double h = 2e-4;
                const double expected = (4.0 * slope(h) - slope(2.0 * h)) / 3.0;
                EXPECT_NEAR(stress(i, j), expected, tolerance * stress.norm()) << i << j;
            }
    }

    std::unique_ptr<System> system_;
};

TEST_F(ScalingGroupsTest, FeelThePressureThatTheEnergySays)
{
    const auto grids = grids_of(Communicator::world().size());
    for (const auto& [system, more, tolerance] : {std::tuple(chains(), reaction_field, 1e-8),
                                                  {waters(), reaction_field, 1e-8},
                                                  {waters(), "coulombtype = PME\nmesh-accuracy = 1e-6\n", 1e-5},
                                                  {waters(), "coulombtype = Ewald\n", 1e-8}}) {
        start(system, parameters_of(system, more), grids.back());
        expect_pressure(tolerance);
    }
}

TEST_F(ScalingGroupsTest, FeelNothingOfAnElectricField)
{
    const auto system = waters();
    auto p = parameters_of(system, reaction_field);
    p.electric_field[1].amplitude = 2.0;
    start(system, p, grids_of(Communicator::world().size()).back());
    expect_pressure(1e-8);
}

/// Atoms that lie on both sides of the origin, one of them and two axes of another frozen.
TEST_F(ScalingGroupsTest, FeelNothingOfForcesOnWhatIsFrozen)
{
    auto type = molecule("Ion", {20.0}, {});
    type.atoms[0].charge = 0.2;
    Noise noise(4);
    const auto system = around_origin(type, places(noise), {6e-6, 1.8e-11});
    auto p = parameters_of(system, reaction_field);
    p.frozen_groups = {{{"Whole", {{2, 3}}}, {true, true, true}}, {{"Along", {{5, 6}}}, {true, false, true}}};
    freeze_atoms(*system.topology, p.frozen_groups, true);
    start(system, p, grids_of(Communicator::world().size()).back());
    expect_pressure(1e-8);
}

/// Every third atom is held near a place of its own.
void restrain(TestSystem& system)
{
    auto& topology = *system.topology;
    auto& type = topology.molecule_types.front();
    auto& restraint = type.interactions[static_cast<std::size_t>(Interaction::position_restraint)];
    topology.parameters[static_cast<std::size_t>(Interaction::position_restraint)] = {{900.0, 400.0, 1500.0}};
    for (std::size_t k = 0; k < type.atoms.size(); k += 3) {
        restraint.atoms.push_back(static_cast<std::int32_t>(k));
        restraint.parameters.push_back(0);
    }
    Noise noise(21);
    for (const auto& atom : system.atoms) {
        if (atom.id % static_cast<AtomId>(type.atoms.size()) % 3 != 0) continue;
        const Vec3 place = to_real(IVec3(atom.x + system.box.shift(atom.image)), position_unit);
        topology.restraint_references.emplace_back(atom.id, place + 0.05 * noise.vector());
    }
}

TEST_F(ScalingGroupsTest, FeelWhatHoldsThemByTheReferencesInTheBox)
{
    auto system = chains();
    restrain(system);
    const auto grid = grids_of(Communicator::world().size()).back();
    std::vector<double> energies;
    for (const char* scaling : {"no", "all", "com"}) {
        SCOPED_TRACE(scaling);
        start(system, parameters_of(system, reaction_field + ("refcoord-scaling = " + std::string(scaling) + "\n")),
              grid);
        const auto held = static_cast<std::size_t>(EnergyTerm::position_restraint);
        EXPECT_GT(system_->totals().energy[held], 1.0);
        expect_pressure(1e-8);
        Mat3 strain = Mat3::Zero();
        strain.diagonal() = Vec3(0.02, -0.01, 0.03);
        strained_energy(strain);
        energies.push_back(system_->totals().energy[held]); // in the other box
    }
    // References that follow differ from those that stay, and those whose mean follows from both.
    for (const auto& [a, b] : {std::pair(0, 1), {1, 2}, {0, 2}})
        EXPECT_GT(std::abs(energies[static_cast<std::size_t>(a)] - energies[static_cast<std::size_t>(b)]), 1e-3);
}

TEST_F(ScalingGroupsTest, KeepTheirBondsAndAreTheSameAnywhere)
{
    const auto system = chains();
    const auto p = parameters_of(system, reaction_field);
    std::optional<std::uint64_t> expected;
    for (const auto& grid : grids_of(Communicator::world().size())) {
        start(system, p, grid);
        auto bond = [this](std::int32_t i, std::int32_t j) {
            const auto& a = system_->atoms;
            return system_->box().minimum_image(a.x[static_cast<std::size_t>(i)] - a.x[static_cast<std::size_t>(j)]);
        };
        std::vector<IVec3> bonds;
        const auto for_each_bond = [&](auto use) {
            for (std::int32_t i = 0; i < system_->atoms.n_owned; ++i)
                if (system_->atoms.id[static_cast<std::size_t>(i)] % 6 != 0)
                    if (const auto j =
                            system_->partition().local().find(system_->atoms.id[static_cast<std::size_t>(i)] - 1);
                        j >= 0)
                        use(bond(i, j));
        };
        for_each_bond([&](const IVec3& b) { bonds.push_back(b); });
        Mat3 strain;
        strain << 0.01, 0.0, 0.0, 0.004, -0.02, 0.0, 0.003, 0.002, 0.015;
        const Mat3 to = system_->box().master() * (Mat3::Identity() + strain);
        system_->scaling_groups().follow(system_->atoms, system_->box(), {to, Mat3::Identity() - strain}, 0.001);
        system_->set_box(to);
        system_->update_halo();
        std::size_t next = 0;
        for_each_bond([&](const IVec3& b) { EXPECT_EQ(b, bonds[next++]); });
        const auto hash = system_->hash();
        if (!expected) expected = hash;
        EXPECT_EQ(hash, *expected);
    }
}

TEST_F(ScalingGroupsTest, MeetInOldListsAsInNewOnes)
{
    // Pairs come together by what the box does, and by as much as atoms may do besides before lists are stale.
    const auto system = water(octahedron(2.6), 8);
    const auto p = parameters_of(system, reaction_field, "rcoulomb = 0.8\nrvdw = 0.8\nvdw-modifier = none\n");
    Mat3 strain; // a contraction, sheared
    strain << -6e-5, 0.0, 0.0, 3e-5, -1e-4, 0.0, -2e-5, 3e-5, -4e-5;
    for (const auto& grid : grids_of(Communicator::world().size())) {
        std::unique_ptr<System> fresh;
        const auto move = [&](std::int64_t step) {
            auto& atoms = system_->atoms;
            const Mat3 to = system_->box().master() * (Mat3::Identity() + strain);
            system_->scaling_groups().follow(atoms, system_->box(), {.box = to}, 0.0);
            system_->set_box(to);
            for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) {
                const auto angle = static_cast<double>(atoms.id[i] / 3);
                const Vec3 along(std::cos(angle), std::sin(angle), std::sin(7.0 * angle));
                atoms.x[i] += to_lattice(1e-4 * static_cast<double>(step) * along, position_unit);
            }
        };
        start(system, p, grid);
        fresh.swap(system_);
        start(system, p, grid);
        std::int64_t held = 0;
        for (;; ++held) {
            move(held);
            if (system_->stale(system_->vote({}))) break;
            system_->update_halo();
            system_->compute_forces(true);
            const auto old = system_->totals();
            fresh.swap(system_);
            move(held);
            system_->repartition();
            system_->compute_forces(true);
            EXPECT_EQ(system_->totals().potential, old.potential) << held;
            EXPECT_EQ(system_->totals().virial, old.virial) << held;
            fresh.swap(system_);
        }
        EXPECT_GE(held, 5);
    }
}

TEST_F(ScalingGroupsTest, AreCounted)
{
    const auto count = [](const TestSystem& system) {
        return ScalingGroups::count(*system.topology, clusters_of(*system.topology));
    };
    EXPECT_EQ(count(chains()), 8);
    EXPECT_EQ(count(water(octahedron(2.0), 4)), 64);
    EXPECT_EQ(count(argon(octahedron(2.0), 3)), 27);
    EXPECT_EQ(count(trimers(cubic(2.0), 3)), 27);
}

TEST_F(ScalingGroupsTest, FollowABoxThatIsFlipped)
{
    // Somewhat more skewed than a box that changes may be, and not too much for one that does not.
    const auto system = chains({0.5004 * 5.2, -0.8, -0.5004 * 5.1});
    const Mat3 skewed = system.box.master();
    const auto p = parameters_of(system, reaction_field);
    start(system, p, {});
    const double energy = system_->totals().potential;
    const auto unwrapped = [this](std::size_t i) {
        return IVec3(system_->atoms.x[i] + system_->box().shift(system_->atoms.image[i]));
    };
    std::vector<IVec3> before;
    for (std::size_t i = 0; i < static_cast<std::size_t>(system_->atoms.n_owned); ++i) before.push_back(unwrapped(i));
    EXPECT_FALSE(system_->stale({}));
    system_->set_box(skewed);
    EXPECT_LT(system_->box().master()(1, 0), 0.0);
    EXPECT_GT(system_->box().master()(2, 1), 0.0);
    EXPECT_TRUE(system_->stale({}));
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(unwrapped(i), before[i]);
    system_->repartition();
    EXPECT_FALSE(system_->stale({}));
    system_->compute_forces(true);
    EXPECT_NEAR(system_->totals().potential, energy, 1e-9 * std::abs(energy));
}

} // namespace
} // namespace holon::test
