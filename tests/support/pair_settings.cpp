#include <support/pair_settings.hpp>

#include <holon/core/box.hpp>

#include <map>
#include <memory>
#include <tuple>

namespace holon::test {
namespace {

Parameters mesh_parameters(double accuracy, Modifier vdw)
{
    auto p = pair_parameters(vdw, 0.8);
    p.coulomb = CoulombKind::mesh;
    p.mesh_accuracy = accuracy;
    return p;
}

Parameters spme_parameters()
{
    auto p = mesh_parameters(0.0, Modifier::potential_shift);
    p.mesh = MeshKind::spme;
    return p;
}

Parameters switched_coulomb(Modifier modifier)
{
    auto p = pair_parameters(Modifier::none, 0.0);
    p.coulomb = CoulombKind::cutoff;
    p.coulomb_modifier = modifier;
    p.rcoulomb_switch = 0.6;
    return p;
}

/// The mesh of a setting is chosen once: that takes as long as a test.
std::shared_ptr<const MeshSettings> mesh_of(const Parameters& p)
{
    static std::map<std::tuple<MeshKind, double, double>, std::shared_ptr<const MeshSettings>> chosen;
    auto& mesh = chosen[{p.mesh, p.mesh_accuracy, p.rcoulomb}];
    if (!mesh) mesh = std::make_shared<const MeshSettings>(choose_mesh(p, Box(cubic(3.0), 22)));
    return mesh;
}

} // namespace

Parameters pair_parameters(Modifier vdw, double switch_at)
{
    Parameters p;
    p.rcoulomb = 0.9;
    p.rvdw = 1.0;
    p.rvdw_switch = switch_at;
    p.vdw_modifier = vdw;
    p.coulomb = CoulombKind::reaction_field;
    p.epsilon_rf = 78.0;
    return p;
}

pair::Form PairSetting::coulomb() const
{
    return parameters.coulomb == CoulombKind::mesh ? pair::Form::ewald : pair::form_of(parameters.coulomb_modifier);
}

NonbondedConstants PairSetting::constants() const
{
    if (parameters.coulomb != CoulombKind::mesh) return NonbondedConstants(parameters);
    return NonbondedConstants(parameters, mesh_of(parameters));
}

std::vector<PairSetting> pair_settings()
{
    return {{"plain", pair::Form::plain, pair_parameters(Modifier::none, 0.0)},
            {"shift", pair::Form::plain, pair_parameters(Modifier::potential_shift, 0.0)},
            {"force switch", pair::Form::force_switch, pair_parameters(Modifier::force_switch, 0.8)},
            {"force switch from 0", pair::Form::force_switch, pair_parameters(Modifier::force_switch, 0.0)},
            {"potential switch", pair::Form::potential_switch, pair_parameters(Modifier::potential_switch, 0.8)},
            {"Coulomb, force switch", pair::Form::plain, switched_coulomb(Modifier::force_switch)},
            {"Coulomb, potential switch", pair::Form::plain, switched_coulomb(Modifier::potential_switch)},
            {"ewald, coarse", pair::Form::plain, mesh_parameters(1e-3, Modifier::potential_shift)},
            {"ewald, fine", pair::Form::force_switch, mesh_parameters(1e-5, Modifier::force_switch)},
            {"ewald, finest", pair::Form::potential_switch, mesh_parameters(1e-7, Modifier::potential_switch)},
            {"ewald, Gaussian", pair::Form::plain, spme_parameters()}};
}

} // namespace holon::test
