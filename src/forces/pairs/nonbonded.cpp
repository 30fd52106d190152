#include <holon/forces/nonbonded.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <cmath>

namespace holon {

ForceSwitch force_switch(int power, double r1, double rc)
{
    const double p = power, width = rc - r1;
    const double rcp2 = portable::power(rc, power + 2);
    ForceSwitch s;
    s.a = -p * ((p + 4.0) * rc - (p + 1.0) * r1) / (rcp2 * width * width);
    s.b = p * ((p + 3.0) * rc - (p + 1.0) * r1) / (rcp2 * width * width * width);
    s.c = portable::power(rc, -power) - s.a / 3.0 * width * width * width - s.b / 4.0 * width * width * width * width;
    return s;
}

NonbondedConstants::NonbondedConstants(const Parameters& p, std::shared_ptr<const MeshSettings> m)
    : coulomb_factor(units::electric_factor / p.epsilon_r), reaction_field(p.coulomb == CoulombKind::reaction_field),
      r_coulomb(m ? m->pair.cutoff : p.rcoulomb), r_coulomb_switch(p.rcoulomb_switch), r_vdw(p.rvdw),
      r_vdw_switch(p.rvdw_switch), coulomb_modifier(p.coulomb_modifier), mesh(std::move(m)),
      vdw_modifier(p.vdw_modifier)
{
    const double rc3 = r_coulomb * r_coulomb * r_coulomb;
    if (mesh) {
        coulomb_modifier = Modifier::none; // its shift is part of the settings
    } else if (reaction_field) {
        // Tironi et al., J. Chem. Phys. 102, 5451 (1995); epsilon_rf = 0 stands for infinity.
        k_rf = p.epsilon_rf == 0.0 ? 1.0 / (2.0 * rc3)
                                   : (p.epsilon_rf - p.epsilon_r) / ((2.0 * p.epsilon_rf + p.epsilon_r) * rc3);
        c_rf = 1.0 / r_coulomb + k_rf * r_coulomb * r_coulomb;
        coulomb_modifier = Modifier::none;
    } else if (coulomb_modifier == Modifier::potential_shift) {
        c_rf = 1.0 / r_coulomb;
    }
    if (coulomb_modifier == Modifier::force_switch) coulomb = force_switch(1, r_coulomb_switch, r_coulomb);
    if (vdw_modifier == Modifier::potential_shift) {
        dispersion_shift = portable::power(r_vdw, -6);
        repulsion_shift = portable::power(r_vdw, -12);
    }
    if (vdw_modifier == Modifier::force_switch) {
        dispersion = force_switch(6, r_vdw_switch, r_vdw);
        repulsion = force_switch(12, r_vdw_switch, r_vdw);
    }
}

double self_energy(const Topology& topology, const NonbondedConstants& constants)
{
    double sum_q2 = 0.0;
    for (const auto& block : topology.blocks) {
        double molecule = 0.0;
        const auto& type = topology.molecule_types[static_cast<std::size_t>(block.type)];
        for (const auto& atom : type.atoms) molecule += atom.charge * atom.charge;
        sum_q2 += molecule * static_cast<double>(block.count);
    }
    return -0.5 * constants.coulomb_factor * constants.c_rf * sum_q2;
}

} // namespace holon
