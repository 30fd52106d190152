#include <holon/dynamics/scheme_check.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/dynamics/kinetic.hpp>
#include <holon/dynamics/scheme.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace holon {

namespace {

/// They are those of one kick of all forces, and of nothing else that changes velocities.
void check_constrained_accelerations(const Topology& topology, const Parameters& parameters, const SchemeTraits& traits)
{
    const auto refuse = [](const std::string& why) {
        throw InputError("constraint-algorithm = edberg-evans-morriss: " + why + ", or constraint-algorithm = newton.");
    };
    if (!traits.half_kicks && !traits.minimises)
        refuse("it constrains the accelerations of velocity Verlet, and integrator = " + parameters.integrator +
               " is not. Use integrator = md-vv");
    if (parameters.mts()) refuse("it takes all forces at once. Use mts = no");
    if (parameters.tcoupl != "no" && groups_share_clusters(topology, parameters.tc_groups))
        refuse("the thermostat would take velocities off the constraints, which connect atoms of different tc-grps. "
               "Use groups of whole molecules");
}

/// Their bodies turn freely between two kicks.
void check_split_rotation(const Parameters& parameters, const SchemeTraits& traits)
{
    if (traits.half_kicks || traits.minimises) return;
    std::string name = parameters.constraint_algorithm;
    std::ranges::replace(name, '_', '-'); // as the key spells it
    throw InputError(
        fmt::format("constraint-algorithm = {}: it turns bodies between the kicks of velocity Verlet, and "
                    "integrator = {} is not that. Use integrator = md-vv, or constraint-algorithm = rigid.",
                    name, parameters.integrator));
}

} // namespace

void check_scheme(const Topology& topology, const Parameters& parameters, Notes& notes)
{
    const auto& entry = scheme_entry(parameters.integrator);
    if (!entry.traits.takes_constraints && topology.n_constraints() > 0)
        throw InputError(fmt::format("integrator = {}: it does not keep constraints, and there are {}. Use constraints "
                                     "= none with define = -DFLEXIBLE for water, or integrator = cg or steep.",
                                     entry.name, topology.n_constraints()));
    if (parameters.constraint_algorithm == "edberg_evans_morriss" && topology.n_constraints() > 0)
        check_constrained_accelerations(topology, parameters, entry.traits);
    if (parameters.splits_rotation() && topology.n_constraints() > 0) check_split_rotation(parameters, entry.traits);
    if (parameters.tc_groups.empty() || !groups_share_clusters(topology, parameters.tc_groups)) return;
    if (entry.mass != nullptr && parameters.bd_fric == 0.0)
        throw InputError(fmt::format("integrator = {}: constraints connect atoms of different tc-grps, whose frictions "
                                     "they would need to be the same. Use groups of whole molecules, or bd-fric.",
                                     entry.name));
    if (parameters.tcoupl != "no")
        notes.add("tc-grps: constraints connect atoms of different groups; these exchange heat at every step, and "
                  "neither has quite its temperature. Groups of whole molecules are better.");
}

std::shared_ptr<const Topology> with_masses_of_scheme(std::shared_ptr<const Topology> topology,
                                                      const Parameters& parameters)
{
    const auto mass = scheme_entry(parameters.integrator).mass;
    if (mass == nullptr) return topology;
    const auto& groups = parameters.tc_groups;
    const auto of = [&](AtomId id, double physical) {
        const auto found = std::ranges::find_if(groups, [id](const CouplingGroup& g) { return g.atoms.contains(id); });
        return physical > 0.0 ? mass(parameters, physical, found != groups.end() ? &*found : nullptr) : physical;
    };
    auto changed = std::make_shared<Topology>(*topology);
    std::vector<bool> seen(topology->molecule_types.size());
    for (const auto& block : topology->blocks) {
        const auto type = index(block.type);
        const auto& atoms = topology->molecule_types[type].atoms;
        auto id = block.first_atom;
        for (std::int64_t m = 0; m < block.count; ++m) {
            for (std::size_t k = 0; k < atoms.size(); ++k) {
                const double wanted = of(id++, atoms[k].mass);
                double& have = changed->molecule_types[type].atoms[k].mass;
                if (seen[type] && have != wanted)
                    throw InputError(fmt::format(
                        "integrator = {}: molecules of the type {} are in tc-grps with different tau-t, and their "
                        "frictions differ. Use groups of whole molecule types, one tau-t, or bd-fric.",
                        parameters.integrator, topology->molecule_types[type].name));
                have = wanted;
            }
            seen[type] = true;
        }
    }
    return changed;
}

} // namespace holon
