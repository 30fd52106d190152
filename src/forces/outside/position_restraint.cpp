#include "function_types/bonded_scalar.hpp"

#include <holon/core/error.hpp>

#include <algorithm>
#include <array>
#include <string>

namespace holon::bonded {

namespace {

const Vec3& given_reference(const Topology& topology, AtomId id)
{
    const auto& references = topology.restraint_references;
    const auto found = std::lower_bound(references.begin(), references.end(), id,
                                        [](const auto& reference, AtomId wanted) { return reference.first < wanted; });
    HOLON_ASSERT(found != references.end() && found->first == id, "restrained atom " + std::to_string(id));
    return found->second;
}

} // namespace

/// V = 1/2 sum of k_c (x - reference)_c^2, nearest image. Parameters: kx, ky, kz [kJ/mol/nm^2].
/// An external force: it has no counterpart. In a box that stays as it is the virial is that of references that move
/// with the box, the one choice that does not depend on the image; else see RestraintFrame.
void position_restraint(const ScalarContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::position_restraint,
                  [&](const std::int32_t* atoms, const InteractionParameters& p) {
                      const auto i = static_cast<std::size_t>(atoms[0]);
                      const Vec3& given = given_reference(context.topology, context.atoms.id[i]);
                      const IVec3 reference = to_lattice(context.restraints.reference(given), position_unit);
                      const Vec3 d = to_real(context.box.minimum_image(context.atoms.x[i] - reference), position_unit);
                      const Vec3 f(-p[0] * d[0], -p[1] * d[1], -p[2] * d[2]);
                      context.atoms.f[i] += round_force(f);
                      if (context.sums == nullptr) return;
                      context.sums->add(EnergyTerm::position_restraint, -0.5 * f.dot(d));
                      context.sums->add_virial(d + context.restraints.fixed(given), f);
                  });
}

/// Free within r of the reference: V = 1/2 k times the square of what the distance d is beyond; with r < 0, free beyond
/// |r|. The shape tells which components make d: 1 a sphere, 2 or 8 a cylinder along z, 6 along x, 7 along y, 3 to 5 a
/// layer across x, y, z. External, and with the virial of position_restraint(). Parameters: shape, r [nm], k
/// [kJ/mol/nm^2].
void flat_bottom_restraint(const ScalarContext& context, const LocalTerms& terms)
{
    for_each_term(context, terms, Interaction::flat_bottom_restraint,
                  [&](const std::int32_t* atoms, const InteractionParameters& p) {
                      constexpr std::array<std::array<double, 3>, 9> counted = {
                          {{}, {1, 1, 1}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 0}}};
                      const auto& axes = counted[static_cast<std::size_t>(p[0])];
                      const auto i = static_cast<std::size_t>(atoms[0]);
                      const Vec3& given = given_reference(context.topology, context.atoms.id[i]);
                      const IVec3 reference = to_lattice(context.restraints.reference(given), position_unit);
                      const Vec3 d = to_real(context.box.minimum_image(context.atoms.x[i] - reference), position_unit);
                      const Vec3 off(axes[0] * d[0], axes[1] * d[1], axes[2] * d[2]);
                      const double distance = square_root(off[0] * off[0] + (off[1] * off[1] + off[2] * off[2]));
                      const double r = p[1], beyond = distance - (r < 0.0 ? -r : r);
                      if (r < 0.0 ? beyond >= 0.0 : beyond <= 0.0) return;
                      const double slope = p[2] * beyond;
                      const Vec3 f = off * (distance > 0.0 ? -slope / distance : 0.0);
                      context.atoms.f[i] += round_force(f);
                      if (context.sums == nullptr) return;
                      context.sums->add(EnergyTerm::position_restraint, 0.5 * slope * beyond);
                      context.sums->add_virial(d + context.restraints.fixed(given), f);
                  });
}

} // namespace holon::bonded
