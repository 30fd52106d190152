#pragma once

#include "rigid/rigid_template.hpp"

#include "bonds/bond.hpp"

#include <array>
#include <span>
#include <vector>

namespace holon {

/// A part of a cluster that moves as one: a rigid body, or a single atom.
struct Unit {
    const RigidTemplate* body = nullptr; // null: an atom
    double inverse_mass = 0.0;           // of all of it [1/u]
    std::vector<std::int32_t> atoms;     // indices in the cluster, in the order of the body
};

/// What a unit does in one stage under the impulses of links at its atoms: the projection of rigid.cpp, one unit at a
/// time, as a function of these impulses. Vectors are in space; positions are relative to the unit's first atom.
///
/// With rho = r - R the place of an atom about the centre at the start of the step, b along the principal axes A, trial
/// positions s about their centre S and impulses f [u nm] at atoms p, x = S + sum f / M + A Q b is where
///
///     2 q0 I q + 2 q x (I q) = sum m b x A's + sum b_p x A'f_p
///
/// A small change df at p moves another atom by K df, K the mobility in place of 1/m,
///
///     K df = df / M + dw x (x - X),  N dw = rho_p x df,  N = tr(C) - C,  C = sum m (x - X) rho'
///
/// which at Q = 1 is 1/M - [rho] I^-1 [rho_p] (T. R. Forester, W. Smith, J. Comput. Chem. 19, 102 (1998)). Velocities
/// are linear in the impulses [u nm/ps]: v = V + w x rho, I w = sum m rho x v + sum rho_p x f_p.
class UnitMotion {
public:
    UnitMotion() = default;

    /// Of a unit whose atoms are at r, the reference; `s`: their trial positions [nm] or their velocities [nm/ps]. All
    /// are relative to the first atom.
    UnitMotion(const Unit& unit, std::span<const Vec3> r, std::vector<Vec3> s, bool velocities);

    /// An impulse more at an atom, by its place in the unit [u nm, u nm/ps].
    void push(std::size_t atom, const Vec3& impulse);

    /// Finds the motion under the impulses; false if there is none, by less than a quarter of a turn.
    bool settle();

    /// Displacement of an atom from its trial position, or change of its velocity [nm, nm/ps].
    Vec3 change(std::size_t atom) const;

    /// What a small impulse at atom `from` adds to the change of another.
    Vec3 response(std::size_t atom, std::size_t from, const Vec3& impulse) const;

    /// Where an atom is about the centre, at the reference [nm].
    Vec3 lever(std::size_t atom) const;

    /// Whether all displacements are numbers, and below the radius of the body.
    bool is_sound() const;

    /// Adds the virial of what happens in the unit, about its centre.
    void add_virial(VirialSum& virial, double force_factor) const;

private:
    void find_axes(std::span<const Vec3> r);
    void turn_axes(const std::array<Vec3, 3>& r);
    Vec3 along_axes(const Vec3& v) const { return {dot(axes_[0], v), dot(axes_[1], v), dot(axes_[2], v)}; }
    Vec3 in_space(const Vec3& b) const { return b[0] * axes_[0] + b[1] * axes_[1] + b[2] * axes_[2]; }
    Vec3 place(std::size_t atom) const; // b, of its mirror image if the body is one
    Vec3 reach(std::size_t atom) const; // where it is about the centre afterwards
    Vec3 torque() const;
    bool settle_line();
    bool settle_body();
    Vec3 turn_by(const Vec3& torque) const; // dw

    const rigid::Template* shape_ = nullptr; // null: an atom
    double inverse_mass_ = 0.0;
    bool velocities_ = false;
    int n_axes_ = 0;
    double side_ = 1.0;                  // -1: the mirror image of the template, along the third axis
    std::array<Vec3, 3> axes_{};         // A, as columns
    std::array<Vec3, 3> after_{};        // where they are afterwards; for velocities A
    std::vector<Vec3> trial_;            // per atom, about the mean
    std::vector<Vec3> reference_;        // likewise, for velocities: a start from a file is rigid to three digits only
    std::array<Vec3, 3> moments_{};      // sum m b s for each axis
    Vec3 impulse_ = Vec3::Zero();        // sum f
    Vec3 impulse_moment_ = Vec3::Zero(); // sum b x A'f; for a line sum b f
    Vec3 q_ = Vec3::Zero();              // the last solution
    Vec3 rate_ = Vec3::Zero();           // w
};

} // namespace holon
