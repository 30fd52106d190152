// RANKS 1 2 3 8
// Mesh electrostatics as part of a system: against Ewald's sum, finite differences, and the same bits on any grid.
#include <holon/core/units.hpp>
#include <holon/dynamics/system.hpp>

#include <mesh/brick_exchange.hpp>
#include <mesh/fourier_grid.hpp>
#include <support/ewald_reference.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

Parameters parameters(double accuracy, Precision precision = Precision::real64)
{
    Parameters p;
    p.precision = precision;
    p.coulomb = CoulombKind::mesh;
    p.rcoulomb = p.rvdw = 0.85;
    p.mesh_accuracy = accuracy;
    return p;
}

Parameters spme(int order, double spacing, double tolerance, Precision precision = Precision::real64)
{
    auto p = parameters(0.0, precision);
    p.mesh = MeshKind::spme;
    p.pme_order = order;
    p.fourier_spacing = spacing;
    p.ewald_rtol = tolerance;
    return p;
}

/// Neutral and charged systems, in boxes of all kinds.
std::vector<TestSystem> systems()
{
    return {water(cubic(1.75), 4), water(octahedron(1.9), 4), chain(dodecahedron(2.2), 5)};
}

struct Result {
    std::vector<IVec3> forces; // by id
    ForceTotals totals;
};

Result compute(const TestSystem& system, const Parameters& p, const Communicator& comm)
{
    System held(comm, system.topology, p, system.box);
    held.distribute(system.share(comm));
    held.compute_forces(true);
    EXPECT_FALSE(held.health.any_failure());
    const auto n = static_cast<std::size_t>(held.topology().n_atoms());
    return {by_id(held.comm(), held.atoms, held.atoms.f, n), held.totals()};
}

double relative_error(const std::vector<IVec3>& forces, const std::vector<Vec3>& expected)
{
    double error = 0.0, norm = 0.0;
    for (std::size_t i = 0; i < forces.size(); ++i) {
        error += (to_real(forces[i], force_unit) - expected[i]).squaredNorm();
        norm += expected[i].squaredNorm();
    }
    return std::sqrt(error / norm);
}

double coulomb(const ForceTotals& totals)
{
    return totals.energy[static_cast<std::size_t>(EnergyTerm::coulomb_short)] +
           totals.energy[static_cast<std::size_t>(EnergyTerm::coulomb_long)];
}

TEST(Mesh, AgreesWithTheEwaldSum)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems()) {
        const auto reference = brute_force_ewald(system, parameters(0.0));
        double scale = 0.0; // of the energies that cancel
        for (std::size_t i = 0; i < system.size(); ++i)
            scale += units::electric_factor * std::pow(system.topology->atom(static_cast<AtomId>(i)).charge, 2);
        const auto expect_within = [&](const Parameters& p, double tolerance) {
            const auto result = compute(system, p, comm);
            EXPECT_LT(relative_error(result.forces, reference.forces), tolerance);
            EXPECT_NEAR(coulomb(result.totals), reference.coulomb, tolerance * scale);
            EXPECT_LT((result.totals.virial - reference.virial).norm(), tolerance * (reference.virial.norm() + scale));
        };
        // The accuracy asked for is one of proteins in water; these systems are smaller and rougher.
        constexpr double roughness = 8.0;
        for (const double accuracy : {1e-3, 1e-4, 1e-5, 1e-6}) {
            SCOPED_TRACE(accuracy);
            expect_within(parameters(accuracy), roughness * accuracy);
        }
        expect_within(parameters(1e-4, Precision::mixed), roughness * 1e-4);
        const auto error_of = [&](const Parameters& p) {
            return relative_error(compute(system, p, comm).forces, reference.forces);
        };
        EXPECT_LT(error_of(parameters(0.0)), 1.5 * error_of(spme(4, 0.12, 1e-5)));
        expect_within(parameters(0.0), roughness * 7e-4);
        expect_within(spme(4, 0.1, 1e-5), roughness * 1e-3);
        auto fine = spme(12, 0.045, 1e-10);
        fine.coulomb_modifier = Modifier::none;
        expect_within(fine, 1e-7);
        fine.fourier_n = {45, 48, 40};
        fine.pme_order = 11;
        expect_within(fine, 1e-7);
        fine.epsilon_r = 2.0;
        const auto halved = brute_force_ewald(system, fine);
        EXPECT_LT(relative_error(compute(system, fine, comm).forces, halved.forces), 1e-7);
    }
}

TEST(Mesh, GivesTheSameBitsOnAnyGridOfDomains)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (auto p : {parameters(0.0, Precision::mixed), parameters(1e-5, Precision::mixed), parameters(1e-4),
                       spme(5, 0.15, 1e-5, Precision::mixed)}) {
            const auto alone = compute(system, p, Communicator());
            for (const auto& grid : grids_of(comm.size())) {
                SCOPED_TRACE(text(grid));
                p.domains = grid;
                const auto result = compute(system, p, comm);
                EXPECT_TRUE(result.forces == alone.forces);
                EXPECT_EQ(result.totals.energy, alone.totals.energy);
                EXPECT_TRUE(result.totals.virial == alone.totals.virial);
            }
        }
}

TEST(Mesh, ForcesDoNotDependOnWhenDomainsWereMade)
{
    const auto comm = Communicator::world();
    for (const auto& system : systems()) {
        System held(comm, system.topology, parameters(0.0, Precision::mixed), system.box);
        held.distribute(system.share(comm));
        for (std::int32_t i = 0; i < held.atoms.n_owned; ++i) {
            const auto k = static_cast<std::size_t>(i);
            Noise noise(static_cast<unsigned>(held.atoms.id[k]));
            held.atoms.x[k] += to_lattice(0.045 * noise.vector(), position_unit);
        }
        held.update_halo();
        ASSERT_FALSE(held.stale(held.vote({})));
        const auto forces = [&] {
            held.compute_forces(true);
            EXPECT_FALSE(held.health.any_failure());
            return by_id(comm, held.atoms, held.atoms.f, system.size());
        };
        const auto before = forces();
        const auto totals = held.totals();
        held.repartition();
        EXPECT_TRUE(forces() == before);
        EXPECT_EQ(held.totals().potential, totals.potential);
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
        atom.x = to_lattice(deform.transpose() * to_real(atom.x, position_unit), position_unit);
        result.box.wrap(atom.x);
    }
    return result;
}

TEST(Mesh, VirialIsTheDerivativeOfTheEnergyByStrain)
{
    constexpr double step = 0x1p-18;
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (auto p : {parameters(0.0), parameters(1e-5), spme(6, 0.12, 1e-9)}) {
            p.vdw_modifier = Modifier::force_switch; // else pairs that cross the cutoff make steps
            p.rvdw_switch = 0.7;
            for (int k = 0; k < 3 && p.mesh == MeshKind::spme; ++k) p.fourier_n[static_cast<std::size_t>(k)] = 18 + k;
            const Mat3 virial = compute(system, p, comm).totals.virial;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j <= i; ++j) { // others would turn the box
                    const auto energy = [&](double strain) {
                        return compute(strained(system, i, j, strain), p, comm).totals.potential;
                    };
                    const double derivative = (energy(step) - energy(-step)) / (4.0 * step);
                    EXPECT_NEAR(derivative, virial(i, j), 1e-6 * virial.cwiseAbs().maxCoeff());
                }
        }
}

TEST(Mesh, ForceIsTheGradientOfTheEnergy)
{
    constexpr double step = 0x1p-16;
    const auto comm = Communicator::world();
    for (const auto& system : systems())
        for (auto p : {parameters(0.0), parameters(1e-4)}) {
            p.vdw_modifier = Modifier::force_switch;
            p.rvdw_switch = 0.7;
            const auto forces = compute(system, p, comm).forces;
            Noise noise(7);
            std::vector<Vec3> direction;
            double work = 0.0, scale = 0.0;
            for (std::size_t i = 0; i < system.size(); ++i) {
                direction.push_back(noise.vector());
                work += direction[i].dot(to_real(forces[i], force_unit));
                scale += direction[i].squaredNorm() * to_real(forces[i], force_unit).squaredNorm();
            }
            const auto energy = [&](double way) {
                auto moved = system;
                for (std::size_t i = 0; i < system.size(); ++i) {
                    moved.atoms[i].x += to_lattice(way * direction[i], position_unit);
                    moved.box.wrap(moved.atoms[i].x);
                }
                return compute(moved, p, comm).totals.potential;
            };
            EXPECT_NEAR((energy(-step) - energy(step)) / (2.0 * step), work, 1e-6 * std::sqrt(scale));
        }
}

TEST(FourierGrid, IsSharedOutAmongNoMoreRanksThanPayOrMay)
{
    const auto layout = [](const std::array<int, 3>& n, int ranks, int most, bool several_computers) {
        const auto chosen = PencilLayout::choose(n, ranks, most, several_computers);
        int found = 0;
        for (int rank = 0; rank < ranks; ++rank) found += chosen.pencil_of(rank) >= 0 ? 1 : 0;
        EXPECT_EQ(found, chosen.pencils());
        return std::array{chosen.fx, chosen.fy};
    };
    using Sides = std::array<int, 2>;
    EXPECT_EQ(layout({80, 80, 80}, 2, 2, false), (Sides{2, 1}));
    EXPECT_EQ(layout({80, 80, 80}, 4, 4, false), (Sides{4, 1})); // slabs: one exchange less
    EXPECT_EQ(layout({80, 80, 80}, 4, 3, false), (Sides{3, 1}));
    EXPECT_EQ(layout({80, 80, 80}, 4, 1, false), (Sides{1, 1}));
    EXPECT_EQ(layout({8, 8, 8}, 8, 8, false), (Sides{1, 1}));
    // Between computers few messages matter more than that all ranks have something to do.
    const auto [fx, fy] = layout({128, 128, 128}, 1024, 1024, true);
    EXPECT_LE(fx * fy, 256);
    EXPECT_LE(std::abs(fx - fy), 2);
}

/// As many pencils as there are ranks and lines for.
PencilLayout many_pencils(const std::array<int, 3>& n, int ranks)
{
    PencilLayout best;
    best.n = n;
    best.ranks = ranks;
    for (int fy = 1; fy <= std::min(n[1], best.half()); ++fy) {
        const int fx = std::min({ranks / fy, n[0], n[1]});
        if (fx * fy <= best.pencils()) continue;
        best.fx = fx;
        best.fy = fy;
    }
    return best;
}

TEST(FourierGrid, IsTheTransformByDefinition)
{
    const auto comm = Communicator::world();
    for (const std::array<int, 3> n : {std::array{6, 5, 8}, std::array{4, 9, 7}, std::array{3, 4, 5}}) {
        const auto layout = many_pencils(n, comm.size());
        EXPECT_LE(layout.pencils(), comm.size());
        FourierGrid<double> grid(comm, layout);
        const auto value = [&](int x, int y, int z) { return std::sin(1.0 + x + 3.7 * y * y + 0.3 * x * z); };
        const int pencil = layout.pencil_of(comm.rank());
        if (pencil < 0) {
            EXPECT_TRUE(grid.points().empty());
            continue;
        }
        const int a = pencil / layout.fy, b = pencil % layout.fy;
        std::size_t i = 0;
        for (int x = layout.x(a).begin; x < layout.x(a).end; ++x)
            for (int y = layout.y(b).begin; y < layout.y(b).end; ++y)
                for (int z = 0; z < n[2]; ++z) grid.points()[i++] = value(x, y, z);
        ASSERT_EQ(i, grid.points().size());
        const std::vector<double> before(grid.points().begin(), grid.points().end());
        grid.start_forward();
        grid.finish_forward();
        i = 0;
        for (int kx = 0; kx < n[0]; ++kx)
            for (int ky = layout.ky(a).begin; ky < layout.ky(a).end; ++ky)
                for (int kz = layout.kz(b).begin; kz < layout.kz(b).end; ++kz) {
                    std::complex<double> sum = 0.0;
                    for (int x = 0; x < n[0]; ++x)
                        for (int y = 0; y < n[1]; ++y)
                            for (int z = 0; z < n[2]; ++z)
                                sum += std::polar(value(x, y, z), -2.0 * units::pi *
                                                                      (1.0 * kx * x / n[0] + 1.0 * ky * y / n[1] +
                                                                       1.0 * kz * z / n[2]));
                    EXPECT_LT(std::abs(grid.modes()[i++] - sum), 1e-12);
                }
        ASSERT_EQ(i, grid.modes().size());
        grid.start_backward();
        grid.finish_backward();
        const double points = 1.0 * n[0] * n[1] * n[2];
        for (std::size_t k = 0; k < before.size(); ++k) EXPECT_NEAR(grid.points()[k] / points, before[k], 1e-14);
    }
}

/// Bricks that overlap, reach over the periodic boundary and are longer than the grid.
TEST(BrickExchange, AddsUpAndHandsBack)
{
    const auto comm = Communicator::world();
    const auto layout = many_pencils({6, 5, 7}, comm.size());
    const auto brick_of = [](int rank) {
        Brick brick;
        brick.lo = {-3 + 2 * rank, -7 - rank, 5 - 3 * rank};
        brick.hi = {5 + 2 * rank, 1 + rank, rank % 3 == 2 ? brick.lo[2] : brick.lo[2] + 4 + 2 * rank};
        return brick;
    };
    const auto wrapped = [](int i, int n) { return (i % n + n) % n; };
    const Brick brick = brick_of(comm.rank());
    const int row = brick.size(2) + 3;
    const auto points = static_cast<std::size_t>(brick.size(0) * brick.size(1) * row);
    BrickExchange<std::int64_t, double> exchange(comm, layout, brick, row);
    std::vector<std::int64_t> total(6 * 5 * 7);
    for (int rank = 0; rank < comm.size(); ++rank) {
        const Brick other = brick_of(rank);
        for (int x = other.lo[0]; x < other.hi[0]; ++x)
            for (int y = other.lo[1]; y < other.hi[1]; ++y)
                for (int z = other.lo[2]; z < other.hi[2]; ++z)
                    total[static_cast<std::size_t>((wrapped(x, 6) * 5 + wrapped(y, 5)) * 7 + wrapped(z, 7))] +=
                        x + 10 * y + 100 * z + 1000 * rank;
    }
    std::vector<std::int64_t> mine(points);
    const auto for_each_point = [&](auto use) {
        for (int x = 0; x < brick.size(0); ++x)
            for (int y = 0; y < brick.size(1); ++y)
                for (int z = 0; z < brick.size(2); ++z)
                    use(static_cast<std::size_t>((x * brick.size(1) + y) * row + z), x + brick.lo[0], y + brick.lo[1],
                        z + brick.lo[2]);
    };
    for_each_point([&](std::size_t i, int x, int y, int z) { mine[i] = x + 10 * y + 100 * z + 1000 * comm.rank(); });

    const int pencil = layout.pencil_of(comm.rank());
    const Range px = pencil < 0 ? Range{} : layout.x(pencil / layout.fy);
    const Range py = pencil < 0 ? Range{} : layout.y(pencil % layout.fy);
    std::vector<std::int64_t> sum(static_cast<std::size_t>(px.size() * py.size() * 7), -1);
    exchange.start_collecting(mine);
    exchange.finish_collecting(mine, sum);
    std::vector<double> values;
    for (int x = px.begin; x < px.end; ++x)
        for (int y = py.begin; y < py.end; ++y)
            for (int z = 0; z < 7; ++z) {
                EXPECT_EQ(sum[values.size()], total[static_cast<std::size_t>((x * 5 + y) * 7 + z)]);
                values.push_back(x + 0.1 * y + 0.01 * z);
            }
    std::vector<double> back(points);
    exchange.start_distributing(values);
    exchange.finish_distributing(values, back);
    for_each_point([&](std::size_t i, int x, int y, int z) {
        EXPECT_EQ(back[i], wrapped(x, 6) + 0.1 * wrapped(y, 5) + 0.01 * wrapped(z, 7));
    });
}

} // namespace
} // namespace holon::test
