#include <holon/dynamics/force_field.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>

#include <cmath>
#include <limits>

namespace holon {

double ForceField::mesh_error(const ForceContext& context)
{
    HOLON_ASSERT(parameters_.coulomb == CoulombKind::mesh, "there is no mesh");
    auto& atoms = context.atoms;
    compute(context, all_force_groups, false);
    auto forces = atoms.f;
    for (const auto& further : atoms.f_further)
        for (std::size_t i = 0; i < forces.size(); ++i) forces[i] += further[i];

    const auto settings = std::make_shared<const MeshSettings>(reference_mesh(parameters_, box_, *mesh_settings_));
    const NonbondedConstants constants(parameters_, settings);
    std::fill(atoms.f.begin(), atoms.f.end(), IVec3::Zero());
    std::string failures;
    // One after the other, for the memory that each needs; the mesh has many points and does without the pair lists.
    {
        PairForce pairs(topology_, constants, Precision::real64, box_);
        pairs.set_up(pair_lists_, atoms);
        failures += pairs.add_coulomb(pair_lists_, atoms) + pairs.add_vdw(pair_lists_, atoms);
    }
    {
        BondedForces bonded(topology_, constants, box_);
        bonded.set_up(term_index_.localise(atoms, context.partition), atoms);
        failures += bonded.add_forces(atoms, nullptr);
    }
    pair_lists_.release();
    {
        const auto mesh = make_mesh(comm_, topology_, *settings, box_, constants.coulomb_factor, parameters_.precision);
        mesh->set_up(atoms, pair_lists_.allowed_displacement());
        mesh->start(atoms, nullptr);
        failures += mesh->add_forces(atoms);
    }
    pair_lists_.build(atoms, context.partition, skin_);
    pair_force_.set_up(pair_lists_, atoms);
    context.partition.halo().accumulate(atoms.f);
    sites_.spread(atoms, atoms.f, nullptr);

    FixedSum error, norm;
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        error.add(to_real(forces[i] - atoms.f[i], force_unit).squaredNorm());
        norm.add(to_real(atoms.f[i], force_unit).squaredNorm());
    }
    comm_.sum(std::span(&error, 1));
    comm_.sum(std::span(&norm, 1));
    atoms.f = forces;
    return comm_.any(!failures.empty()) ? std::numeric_limits<double>::quiet_NaN()
                                        : std::sqrt(error.value() / norm.value());
}

} // namespace holon
