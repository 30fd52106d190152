#include "springs.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/system/springs.hpp>

#include <fmt/format.h>

namespace holon {

namespace {

bool has_springs(const Parameters& parameters)
{
    return parameters.constraint_algorithm == "springs";
}

std::string advice(const Parameters& parameters, const SpringReport& report)
{
    return fmt::format("a step of {:.2g} ps follows their motion, a larger spring-tolerance than {:g} makes them "
                       "softer, and constraint-algorithm = newton takes any step",
                       report.accurate_step(), parameters.spring_tolerance);
}

} // namespace

void project_start_of_springs(const Communicator& comm, RunInput& input)
{
    auto parameters = input.settings.parameters;
    if (!has_springs(parameters) || parameters.continuation || input.topology->n_constraints() == 0) return;
    parameters.coulomb = CoulombKind::cutoff; // no mesh for what needs no forces
    System system(comm, input.topology, parameters, input.box, input.start_box, input.intermolecular);
    system.distribute(std::move(input.records));
    auto& atoms = system.atoms;
    atoms.x_ref = atoms.x;
    system.constrain_positions({.step = parameters.init_step});
    if (system.health.any_failure()) system.fail_together(parameters.init_step);
    input.records.clear();
    for (std::int32_t a = 0; a < atoms.n_owned; ++a) input.records.push_back(canonical(atoms, system.box(), a));
}

void make_springs(Topology& topology, const Parameters& parameters)
{
    if (!has_springs(parameters)) return;
    for (const auto& molecule : topology.molecule_types)
        if (!molecule.planes.empty())
            throw InputError(fmt::format("constraint-algorithm = springs: molecule type {} has atoms that are held in "
                                         "planes, as no spring does. Use constraints = all-bonds.",
                                         molecule.name));
    replace_constraints_by_springs(topology, parameters.spring_tolerance, parameters.spring_temperature);
}

void check_springs(const Topology& topology, const Parameters& parameters, Notes& notes)
{
    const auto report = spring_report(topology);
    const auto& scheme = scheme_entry(parameters.integrator);
    if (report.springs == 0 || scheme.traits.minimises) return;
    if (scheme.mass != nullptr)
        throw InputError(
            fmt::format("constraint-algorithm = springs: integrator = {} has no inertia to tell how stiff a "
                        "spring may be. Use constraint-algorithm = newton, or integrator = sd.",
                        parameters.integrator));
    const bool seldom = parameters.group_of_force_term[index(ForceTerm::bonded)] > 0;
    const double dt = parameters.dt * static_cast<double>(seldom ? parameters.mts_factor : 1);
    const auto step = fmt::format("dt = {:g}: constraint-algorithm = springs: ", parameters.dt);
    if (dt >= report.unstable_step())
        throw InputError(
            fmt::format("{}no step of {:.3g} ps or more is stable with springs of {:.3g} kJ/mol/nm^2. Choose "
                        "another: {}.",
                        step, report.unstable_step(), report.largest_constant, advice(parameters, report)));
    if (dt >= report.stable_step())
        notes.add(
            fmt::format("{}springs that share atoms are stable up to {:.3g} ps in every shape of their molecules; "
                        "{}",
                        step, report.stable_step(), advice(parameters, report)));
    else if (dt > 1.5 * report.accurate_step())
        notes.add(fmt::format("{}that is more than a seventh of the period of the fastest, and their energies are off; "
                              "{}",
                              step, advice(parameters, report)));
}

} // namespace holon
