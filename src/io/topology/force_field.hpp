#pragma once

#include <holon/core/log.hpp>
#include <holon/system/topology.hpp>

#include "extras.hpp"
#include "fields.hpp"
#include "functions.hpp"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holon {

/// One line of [ atomtypes ].
struct ParticleType {
    std::string name;
    int bonded_type = 0;
    int atomic_number = -1;
    double mass = 0.0;
    double charge = 0.0;
    char particle = 'A';
    std::array<double, 2> lennard_jones{}; // as given: c6, c12 or sigma, epsilon
};

/// A-state parameters as given in the file, one set of one bonded function.
using GivenParameters = std::array<double, 6>;

/// The parameter level of a topology: everything above the first [ moleculetype ].
class TopologyForceField {
public:
    // Each reads one data line; those with `notes` remark on definitions that replace earlier ones.
    void read_defaults(const Fields& fields);
    void read_atom_type(const Fields& fields, Notes& notes);
    void read_bonded_types(const Fields& fields, const SectionInfo& section, Notes& notes);
    void read_nonbonded_parameters(const Fields& fields, Notes& notes);
    void read_pair_type(const Fields& fields, Notes& notes);
    void read_cmap_type(const Fields& fields);

    bool has_defaults() const { return combination_rule_ != 0; }
    bool has_atom_types() const { return !atom_types_.empty(); }
    double fudge_qq() const { return fudge_qq_; }

    std::optional<int> find_atom_type(std::string_view name) const;
    const ParticleType& atom_type(int k) const { return atom_types_[static_cast<std::size_t>(k)]; }
    const std::string& bonded_name(int bonded_type) const;

    /// c6, c12 of two atom types, by [ nonbond_params ] or else the combination rule.
    std::array<double, 2> lennard_jones(int a, int b) const;

    /// c6, c12 of a 1-4 pair: by [ pairtypes ] or else generated, if gen-pairs = yes.
    std::optional<std::array<double, 2>> pair_14(int a, int b) const;

    /// The two numbers of a Lennard-Jones line of the file as c6, c12.
    std::array<double, 2> to_c6_c12(const std::array<double, 2>& given) const;

    /// Parameter sets of the entry that matches the bonded types best: exact matches count, X matches anything, the
    /// first of equals wins; either direction. Several sets only for a dihedral that takes several lines; empty: no
    /// match.
    std::span<const GivenParameters> find(const BondedFunction& function, std::span<const int> bonded_types) const;

    /// What stands in files of its own.
    ForceFieldExtras& extras() { return extras_; }
    const ForceFieldExtras& extras() const { return extras_; }

    const CmapGrid* find_cmap(const std::array<int, 5>& bonded_types) const;

private:
    using TypePair = std::pair<int, int>;
    using PairTable = std::map<TypePair, std::array<double, 2>>;

    struct BondedType {
        std::vector<int> types; // -1: X
        std::vector<GivenParameters> sets;
    };
    struct BondedTable {
        std::vector<BondedType> entries;
        mutable std::map<std::vector<int>, std::size_t> found; // remembered searches; entries.size(): none
    };
    struct CmapType {
        std::array<int, 5> types{};
        CmapGrid grid;
    };

    int bonded_type(const Fields& fields, std::size_t k) const;
    std::array<double, 2> combine(int a, int b) const;
    static void add(BondedTable& table, BondedType entry, bool several_lines, const Fields& fields, Notes& notes);
    void read_pair(PairTable& table, const Fields& fields, Notes& notes);

    int combination_rule_ = 0; // 0: no [ defaults ] yet
    bool generate_pairs_ = false;
    double fudge_lj_ = 1.0;
    double fudge_qq_ = 1.0;
    bool negative_epsilon_ = false; // there has been one
    std::vector<ParticleType> atom_types_;
    std::map<std::string, int, std::less<>> atom_type_index_;
    std::vector<std::string> bonded_names_;
    std::map<std::string, int, std::less<>> bonded_index_;
    PairTable nonbonded_;
    PairTable pairs_;
    std::map<std::pair<std::string_view, int>, BondedTable> bonded_; // by section of the terms and function number
    std::vector<CmapType> cmap_types_;
    ForceFieldExtras extras_;
};

} // namespace holon
