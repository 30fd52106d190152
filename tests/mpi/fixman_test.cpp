// RANKS 1 2 3 8
// The Fixman potential against dense determinants: energies, forces by differences, virials; molecules cut in any way.
#include <support/constraints/constraint_molecules.hpp>
#include <support/dense.hpp>

#include <holon/constraints/fixman.hpp>
#include <holon/core/units.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr double temperature = 300.0;
constexpr double thermal_energy = units::boltzmann * temperature;

/// A molecule of each kind of graph: chains, rings, triangles, stars; with several leaves of the tree.
std::vector<ConstraintSystem> systems()
{
    return {united_atom_c60(),       all_atom_c60(),         torsion_only_c200(),    fused_rings(),
            disulphide_macrocycle(), ring_through_the_box(), alkane_with_h_angles(), groups_of_hydrogens()};
}

struct Bond {
    std::size_t i, j;
    double length;
};

/// 1/2 kT ln det A for the whole system at once, relative to a diagonal A.
class DensePotential {
public:
    explicit DensePotential(const ConstraintSystem& system) : system_(system)
    {
        for (const auto& block : system.topology.blocks) {
            const auto& type = system.topology.molecule_types[static_cast<std::size_t>(block.type)];
            const auto& clusters = system.clusters[static_cast<std::size_t>(block.type)].clusters;
            for (std::int64_t m = 0; m < block.count; ++m)
                for (const auto& cluster : clusters) {
                    auto& bonds = clusters_.emplace_back();
                    const auto start = block.first_atom + m * static_cast<std::int64_t>(type.atoms.size());
                    for (const auto& c : cluster.constraints)
                        bonds.push_back(
                            {static_cast<std::size_t>(start + c.i), static_cast<std::size_t>(start + c.j), c.length});
                }
        }
    }

    double operator()(const std::vector<IVec3>& x) const
    {
        double sum = 0.0;
        for (const auto& bonds : clusters_) sum += of_cluster(bonds, x);
        return 0.5 * thermal_energy * sum;
    }

    std::size_t n_constraints() const // of those that are not alone
    {
        std::size_t n = 0;
        for (const auto& bonds : clusters_) n += bonds.size() > 1 ? bonds.size() : 0;
        return n;
    }

private:
    double of_cluster(const std::vector<Bond>& bonds, const std::vector<IVec3>& x) const
    {
        const auto n = static_cast<Eigen::Index>(bonds.size());
        if (n < 2) return 0.0;
        Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
        const auto sign = [](const Bond& bond, std::size_t atom) {
            return bond.i == atom ? 1.0 : bond.j == atom ? -1.0 : 0.0;
        };
        for (Eigen::Index k = 0; k < n; ++k)
            for (Eigen::Index l = 0; l < n; ++l) {
                const auto &one = bonds[static_cast<std::size_t>(k)], &other = bonds[static_cast<std::size_t>(l)];
                double coupling = 0.0;
                for (const auto atom : {one.i, one.j}) coupling += sign(one, atom) * sign(other, atom) / mass(atom);
                if (coupling == 0.0) continue;
                a(k, l) = coupling * system_.bond(x, one.i, one.j).dot(system_.bond(x, other.i, other.j));
                a(k, l) /= one.length * other.length * std::sqrt(reduced(one) * reduced(other));
            }
        return ln_determinant(a);
    }
    double mass(std::size_t atom) const { return system_.mass(atom); }
    double reduced(const Bond& bond) const { return 1.0 / mass(bond.i) + 1.0 / mass(bond.j); }

    const ConstraintSystem& system_;
    std::vector<std::vector<Bond>> clusters_;
};

struct Found {
    std::vector<IVec3> forces; // per global id, of all ranks
    ForceSums sums;            // likewise
};

Found potential(const ConstraintSystem& system, const Communicator& comm, const std::function<int(AtomId)>& owner)
{
    FixmanPotential fixman(comm, system.topology, temperature);
    LocalPart part(system, comm.rank(), owner);
    for (std::size_t a = 0; a < static_cast<std::size_t>(part.atoms.n_owned); ++a)
        part.atoms.x[a] = system.x_ref[static_cast<std::size_t>(part.atoms.id[a])];
    part.atoms.f.assign(part.atoms.id.size(), IVec3::Zero());
    fixman.rebuild(part.atoms, part.directory());
    Found found;
    EXPECT_EQ(fixman.add_forces(part.atoms, system.box, &found.sums), "");
    comm.sum(std::span(found.sums.energy));
    comm.sum(std::span(found.sums.virial));
    std::vector<std::int64_t> components(3 * system.x_ref.size(), 0);
    for (std::size_t a = 0; a < static_cast<std::size_t>(part.atoms.n_owned); ++a)
        for (int k = 0; k < 3; ++k)
            components[3 * static_cast<std::size_t>(part.atoms.id[a]) + static_cast<std::size_t>(k)] =
                part.atoms.f[a][k];
    comm.sum(std::span(components));
    for (std::size_t c = 0; c < components.size(); c += 3)
        found.forces.emplace_back(components[c], components[c + 1], components[c + 2]);
    return found;
}

/// Force on an atom along an axis, by differences of the fourth order [kJ/mol/nm].
double difference(const DensePotential& energy, std::vector<IVec3> x, std::size_t atom, int axis)
{
    const std::int64_t h = std::int64_t{1} << (position_bits - 13); // 1.2e-4 nm
    const double step = static_cast<double>(h) * position_unit;
    const auto centre = x[atom][axis];
    const auto at = [&](int n) {
        x[atom][axis] = centre + n * h;
        return energy(x);
    };
    return -(8.0 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12.0 * step);
}

TEST(Fixman, ForcesAreThoseOfTheDeterminant)
{
    if (Communicator::world().size() > 1) GTEST_SKIP() << "the same as on one rank";
    for (auto system : systems()) {
        system.disturb(0.0, 0.0, 1);
        const DensePotential energy(system);
        const auto found = potential(system, {}, [](AtomId) { return 0; });
        EXPECT_NEAR(found.sums.energy[index(EnergyTerm::fixman)].value(), energy(system.x_ref), 1e-8);
        double largest = 0.0;
        for (const auto& f : found.forces) largest = std::max(largest, to_real(f, force_unit).norm());
        EXPECT_GT(largest, 10.0);
        const std::size_t n = system.x_ref.size();
        for (std::size_t k = 0; k < 9; ++k) {
            const auto atom = k * (n - 1) / 8;
            const int axis = static_cast<int>(k % 3);
            const double force = static_cast<double>(found.forces[atom][axis]) * force_unit;
            EXPECT_NEAR(force, difference(energy, system.x_ref, atom, axis), 1e-8 * largest)
                << system.topology.molecule_types.front().name << " " << atom;
        }
    }
}

/// Where all bonds grow by the same factor, so does A by its square.
TEST(Fixman, TraceOfTheVirialCountsConstraints)
{
    for (auto system : systems()) {
        system.disturb(0.0, 0.0, 1);
        const auto found = potential(system, {}, [](AtomId) { return 0; });
        double trace = 0.0;
        for (const int k : {0, 4, 8}) trace += found.sums.virial[static_cast<std::size_t>(k)].value();
        const auto n = static_cast<double>(DensePotential(system).n_constraints());
        EXPECT_NEAR(trace, 0.5 * thermal_energy * n, 1e-8 * n);
        IVec3 sum = IVec3::Zero();
        for (const auto& f : found.forces) sum += f;
        EXPECT_EQ(sum, IVec3(0, 0, 0));
    }
}

TEST(Fixman, SameBitsHoweverTheMoleculesAreCut)
{
    const auto comm = Communicator::world();
    for (auto system : systems()) {
        system.disturb(0.0, 0.0, 1);
        const auto expected = potential(system, {}, [](AtomId) { return 0; });
        for (const auto& owner : distributions(system, comm.size())) {
            const auto found = potential(system, comm, owner);
            EXPECT_EQ(found.forces, expected.forces);
            EXPECT_EQ(found.sums.energy, expected.sums.energy);
            EXPECT_EQ(found.sums.virial, expected.sums.virial);
        }
    }
}

/// Bodies, rigid water and single bonds have none.
TEST(Fixman, IsLeftOutWhereItIsConstant)
{
    auto system = bodies();
    Noise noise(3);
    system.add(rigid_water(), 1, water_positions({1.0, 1.0, 1.0}, noise));
    system.disturb(0.0, 0.0, 1);
    const auto found = potential(system, {}, [](AtomId) { return 0; });
    EXPECT_EQ(found.sums.energy[index(EnergyTerm::fixman)].value(), 0.0);
    for (const auto& f : found.forces) EXPECT_EQ(f, IVec3(0, 0, 0));
}

/// Three atoms, masses m: A = 1/m (2, -c; -c, 2), U = 1/2 kT ln(1 - c^2 / 4).
TEST(Fixman, TrimerByHand)
{
    for (const double degrees : {60.0, 90.0, 140.0}) {
        const double c = std::cos(degrees * units::degree), s = std::sin(degrees * units::degree), d = 0.1;
        auto system = one_molecule("Trimer", {12.0, 12.0, 12.0}, {{0, 1, d}, {1, 2, d}},
                                   {{1.0 + d, 1.0, 1.0}, {1.0, 1.0, 1.0}, {1.0 + c * d, 1.0 + s * d, 1.0}});
        system.disturb(0.0, 0.0, 1);
        const auto found = potential(system, {}, [](AtomId) { return 0; });
        EXPECT_NEAR(found.sums.energy[index(EnergyTerm::fixman)].value(),
                    0.5 * thermal_energy * std::log(1.0 - 0.25 * c * c), 1e-10);
        // Across the bond of the first atom: -dU/dtheta / d, theta falls along +y.
        const double slope = 0.25 * thermal_energy * c * s / (1.0 - 0.25 * c * c);
        EXPECT_NEAR(static_cast<double>(found.forces[0][1]) * force_unit, slope / d, 1e-6);
    }
}

} // namespace
} // namespace holon::test
