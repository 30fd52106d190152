#include <holon/core/index.hpp>
#include <holon/dynamics/energy_terms.hpp>

#include <map>

namespace holon {

std::vector<EnergyTerm> energy_terms(const Topology& topology, const Parameters& parameters)
{
    const auto has = [&](EnergyTerm term) {
        for (std::size_t k = 0; k < interaction_count; ++k)
            if (interaction_info[k].energy == term && !topology.parameters[k].empty()) return true;
        return false;
    };
    const auto coulomb = parameters.coulomb;
    const std::map<EnergyTerm, bool> not_bonded = {
        {EnergyTerm::lj, true},
        {EnergyTerm::coulomb_14, has(EnergyTerm::lj_14)},
        {EnergyTerm::lj_correction, parameters.dispersion_correction != DispersionCorrection::no},
        {EnergyTerm::coulomb_short, coulomb != CoulombKind::ewald},
        {EnergyTerm::coulomb_long, coulomb == CoulombKind::mesh},
        {EnergyTerm::coulomb_real, coulomb == CoulombKind::ewald},
        {EnergyTerm::coulomb_reciprocal, coulomb == CoulombKind::ewald},
        {EnergyTerm::coulomb_self, coulomb == CoulombKind::ewald},
        {EnergyTerm::coulomb_exclusion, coulomb == CoulombKind::ewald},
        {EnergyTerm::fixman, parameters.fixman},
        {EnergyTerm::distance_restraint, parameters.disre != DistanceRestraints::no},
    };
    std::vector<EnergyTerm> terms;
    for (std::size_t t = 0; t < energy_term_count; ++t) {
        const auto term = static_cast<EnergyTerm>(t);
        const auto other = not_bonded.find(term);
        if (other != not_bonded.end() ? other->second : has(term)) terms.push_back(term);
    }
    return terms;
}

void name_coulomb_terms(std::array<double, energy_term_count>& energy, CoulombKind kind)
{
    const auto move = [&energy](EnergyTerm from, EnergyTerm to) {
        energy[index(to)] += energy[index(from)];
        energy[index(from)] = 0.0;
    };
    if (kind == CoulombKind::ewald) return move(EnergyTerm::coulomb_short, EnergyTerm::coulomb_real);
    move(EnergyTerm::coulomb_exclusion, EnergyTerm::coulomb_short);
    move(EnergyTerm::coulomb_reciprocal, EnergyTerm::coulomb_long);
    move(EnergyTerm::coulomb_self, EnergyTerm::coulomb_long);
}

} // namespace holon
