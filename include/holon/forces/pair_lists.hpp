#pragma once

#include <holon/forces/nonbonded.hpp>
#include <holon/system/pair_list.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace holon {

/// Radii of charges: only closer than the sum of their radii may the force of two be too large for the kernels.
struct ChargeRadii {
    static constexpr int n_kinds = 20;
    double kinds_per_e = 0.0;                 // n_kinds of the largest charge
    std::array<float, n_kinds + 1> of_kind{}; // of k: charges of up to k / n_kinds of the largest [nm]
    float of(double charge) const
    {
        const auto kind = static_cast<int>(std::ceil(std::abs(charge) * kinds_per_e));
        return of_kind[index(std::min(kind, n_kinds))];
    }
};

/// The pairs of either interaction, each among the atoms that have it: most atoms of a solution are hydrogens of water
/// without Lennard-Jones, and need not be looked at for it.
struct PairLists {
    PairList coulomb, vdw;

    PairLists(const Topology& topology, const NonbondedConstants& constants);

    /// Which atoms take part in which list, bit 0: coulomb, bit 1: vdw; and how far the lists reach [nm].
    void add_needs(std::vector<MoleculeNeeds>& needs) const;
    HaloWidths reach(double skin) const { return {cutoff_coulomb_ + skin, cutoff_vdw_ + skin}; }

    void build(const Atoms& atoms, const Partition& partition, double skin);
    /// Gives the memory of the lists back, until they are built again.
    void release()
    {
        coulomb.release();
        vdw.release();
    }
    void load_positions(const Atoms& atoms)
    {
        coulomb.load_positions(atoms);
        vdw.load_positions(atoms);
    }
    /// What motion counts from goes along with the box, whose change maps positions (rows) so.
    void follow_box(const Mat3& map);
    /// Square of the largest displacement of an owned atom since build() [nm^2], rounded up.
    double largest_displacement2(const Atoms& atoms) const;
    double allowed_displacement() const { return coulomb.allowed_displacement(); }

private:
    const Topology& topology_;
    double cutoff_coulomb_, cutoff_vdw_;
    ChargeRadii charge_radii_;
    std::vector<float> type_radii_;
    std::vector<IVec3> x_at_build_; // owned atoms, as follow_box() moves them
};

} // namespace holon
