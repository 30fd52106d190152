#include "bonded_scalar.hpp"

#include <holon/core/error.hpp>

#include <algorithm>
#include <string>

namespace holon::bonded {

namespace {

IVec3 reference_position(const Topology& topology, AtomId id)
{
    const auto& references = topology.restraint_references;
    const auto found = std::lower_bound(references.begin(), references.end(), id,
                                        [](const auto& reference, AtomId wanted) { return reference.first < wanted; });
    HOLON_ASSERT(found != references.end() && found->first == id, "restrained atom " + std::to_string(id));
    return to_lattice(found->second, position_unit);
}

} // namespace

/// V = 1/2 sum of k_c (x - reference)_c^2, nearest image. Parameters: kx, ky, kz [kJ/mol/nm^2].
/// An external force: it has no counterpart. The virial is that of references that move with the box, the one choice
/// that does not depend on the image.
void position_restraint(const ScalarContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::position_restraint,
                  [&](const std::int32_t* atoms, const InteractionParameters& p) {
                      const auto i = static_cast<std::size_t>(atoms[0]);
                      const IVec3 reference = reference_position(context.topology, context.atoms.id[i]);
                      const Vec3 d = to_real(context.box.minimum_image(context.atoms.x[i] - reference), position_unit);
                      const Vec3 f(-p[0] * d[0], -p[1] * d[1], -p[2] * d[2]);
                      context.atoms.f[i] += round_force(f);
                      if (context.sums == nullptr) return;
                      context.sums->add(EnergyTerm::position_restraint, -0.5 * f.dot(d));
                      context.sums->add_virial(d, f);
                  });
}

} // namespace holon::bonded
