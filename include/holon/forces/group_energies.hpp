#pragma once

#include <holon/core/fixed_sum.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/parameters.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// Sums of energies of pairs of atoms, for each pair of groups of atoms; those that are in none are one more, `rest`.
class GroupEnergies {
public:
    enum Kind { coulomb_short, lj, coulomb_14, lj_14 };

    GroupEnergies(std::span<const AtomGroup> groups, std::int64_t n_atoms);

    bool empty() const { return names_.empty(); } // nobody has asked for any

    /// Names of the sums: "lj:Protein-rest".
    std::vector<std::string> keys() const;

    /// Takes over which local atoms are in which group. After every change of local indices.
    void set_up(const Atoms& atoms);

    std::size_t of_local(std::int32_t atom) const { return of_local_[static_cast<std::size_t>(atom)]; }
    std::size_t of_atom(AtomId id) const;

    void clear();
    void add(Kind kind, std::size_t group, std::size_t other, double energy);
    std::span<FixedSum> sums() { return sums_; }
    std::vector<double> values() const; // [kJ/mol]

private:
    struct Range {
        AtomId begin, end;
        std::size_t group;
    };
    std::size_t n_pairs() const { return names_.size() * (names_.size() + 1) / 2; }

    std::vector<std::string> names_;
    std::vector<Range> ranges_;         // in order
    std::vector<std::size_t> of_local_; // group of each local atom
    std::vector<FixedSum> sums_;        // by kind, then by pair of groups
};

} // namespace holon
