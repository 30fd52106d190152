#include "shown_values.hpp"

#include <holon/core/index.hpp>
#include <holon/dynamics/energy_terms.hpp>
#include <holon/forces/group_energies.hpp>

namespace holon {

ShownValues::ShownValues(const Topology& topology, const Parameters& parameters)
    : terms_(energy_terms(topology, parameters)),
      group_keys_(GroupEnergies(parameters.energy_groups, topology.n_atoms()).keys()), box_report_(topology, parameters)
{
}

NamedValues ShownValues::energies(const Measurement& m) const
{
    NamedValues energies;
    for (const auto term : terms_) {
        const auto k = index(term);
        energies.emplace_back(energy_term_keys[k], m.forces.energy[k]);
    }
    energies.emplace_back("potential", m.forces.potential);
    energies.emplace_back("kinetic", m.kinetic);
    energies.emplace_back("conserved", m.conserved);
    return energies;
}

NamedValues ShownValues::groups(const Measurement& m) const
{
    NamedValues energies;
    for (std::size_t k = 0; k < group_keys_.size(); ++k)
        energies.emplace_back(group_keys_[k], m.forces.of_groups.empty() ? 0.0 : m.forces.of_groups[k]);
    return energies;
}

NamedValues ShownValues::further(const Measurement& m) const
{
    auto values = box_report_.values(m);
    for (auto& value : groups(m)) values.push_back(std::move(value));
    return values;
}

std::vector<std::string> ShownValues::columns() const
{
    std::vector<std::string> names;
    for (const auto& [name, value] : energies({})) names.push_back(name);
    names.insert(names.end(), {"temperature_K", "pressure_bar"});
    for (const auto& [name, value] : further({})) names.push_back(name);
    return names;
}

std::vector<double> ShownValues::row(const Measurement& m) const
{
    std::vector<double> values;
    for (const auto& [name, value] : energies(m)) values.push_back(value);
    values.insert(values.end(), {m.temperature, m.mean_pressure()});
    for (const auto& [name, value] : further(m)) values.push_back(value);
    return values;
}

EnergyReport ShownValues::report(const Measurement& m) const
{
    return {m.step, m.time, energies(m), groups(m), m.temperature, m.mean_pressure(), m.virial};
}

} // namespace holon
