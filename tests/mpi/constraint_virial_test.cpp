// RANKS 1 3
// The pressure of rigid water: from atoms with constraint forces, as the program does it, and from molecules.
#include <holon/dynamics/kinetic.hpp>
#include <holon/dynamics/propagate.hpp>

#include <support/program_run.hpp>
#include <support/reference.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

constexpr std::size_t atoms_per_water = 3;

/// Kinetic energy of the waters' centres.
double molecular_kinetic_energy(const TestSystem& system, const std::vector<AtomRecord>& atoms)
{
    double sum = 0.0;
    for (std::size_t first = 0; first < atoms.size(); first += atoms_per_water) {
        Vec3 momentum = Vec3::Zero();
        double mass = 0.0;
        for (std::size_t a = first; a < first + atoms_per_water; ++a) {
            const double m = system.topology->atom(static_cast<AtomId>(a)).mass;
            momentum += m * to_real(atoms[a].v, velocity_unit);
            mass += m;
        }
        sum += 0.5 * momentum.squaredNorm() / mass;
    }
    return sum;
}

/// Trace of -1/2 sum R (x) F, where R is between the centres of molecules and F the force between them, by brute force.
double molecular_virial(const TestSystem& system, const Parameters& parameters)
{
    const auto reference = brute_force(system, parameters);
    double trace = reference.virial.trace();
    for (std::size_t first = 0; first < system.size(); first += atoms_per_water) {
        Vec3 centre = Vec3::Zero(), about[atoms_per_water];
        double mass = 0.0;
        for (std::size_t k = 0; k < atoms_per_water; ++k) {
            const IVec3 from_first = system.box.minimum_image(system.atoms[first + k].x - system.atoms[first].x);
            about[k] = to_real(from_first, position_unit);
            const double m = system.topology->atom(static_cast<AtomId>(first + k)).mass;
            centre += m * about[k];
            mass += m;
        }
        for (std::size_t k = 0; k < atoms_per_water; ++k)
            trace += 0.5 * reference.forces[first + k].dot(about[k] - centre / mass);
    }
    return trace;
}

TEST(ConstraintVirial, PressureFromAtomsIsThatFromMolecules)
{
    for (const char* electrostatics : {"coulombtype = cut-off\n", "coulombtype = reaction-field\nepsilon-rf = 78\n"}) {
        const auto comm = Communicator::world();
        auto system = water(octahedron(1.9), 4, 3);
        const double dt = 0.002;
        ProgramRun run(system, comm,
                       std::string("integrator = md\ndt = 0.002\nprecision = double\ngen-temp = 300\n") +
                           electrostatics);
        run.advance(20);
        auto& engine = run.system();
        auto& atoms = run.atoms();
        system.atoms = run.records();
        double molecular = 0.5 * molecular_kinetic_energy(system, system.atoms);
        double atomic = 0.5 * run.kinetic();

        engine.compute_forces(true);
        kick(atoms, dt);
        atoms.x_ref = atoms.x;
        drift(atoms, dt);
        auto constrained = engine.constrain_positions({.step = 20, .dt = dt, .force_factor = 1.0 / (dt * dt)});
        comm.sum(std::span(constrained.virial));
        const double of_constraints =
            constrained.virial[0].value() + constrained.virial[4].value() + constrained.virial[8].value();
        const double of_forces = engine.totals().virial.trace();
        atomic += 0.5 * run.kinetic() - of_forces - of_constraints;
        molecular += 0.5 * molecular_kinetic_energy(system, run.records()) - molecular_virial(system, run.parameters());
        EXPECT_GT(std::abs(of_constraints), 100.0);
        EXPECT_NEAR(atomic, molecular, 1e-9 * std::abs(of_constraints));
    }
}

} // namespace
} // namespace holon::test
