#pragma once

#include <holon/io/topology_file.hpp>

#include "fields.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace holon {

/// Parameters that GROMACS reads from files of their own: tables of bonded interactions, and dissociation energies.
class ForceFieldExtras {
public:
    // Each reads a line; of a table of terms of so many atoms: its number, x [nm or degrees], V, and -dV/dx.
    void read_table(const Fields& fields, int atoms);
    void read_dissociation_energy(const Fields& fields);

    /// Table `number` of terms of so many atoms. Throws InputError at `fields`.
    const BondedTable* table(const Fields& fields, int atoms, std::int64_t number) const;

    /// [kJ/mol] of a bond between two atom types: of the line whose names begin most like theirs.
    double dissociation_energy(std::string_view type_i, std::string_view type_j) const;

private:
    struct Row {
        std::size_t line;
        double x, energy, force;
    };
    using Key = std::pair<int, std::int64_t>;
    std::map<Key, std::vector<Row>> rows_;
    mutable std::map<Key, BondedTable> tables_; // that have been asked for

    struct Dissociation {
        std::string type_i, type_j;
        double energy;
    };
    std::vector<Dissociation> dissociation_;
};

/// Adds to a topology what stands in files of its own, as sections. `folders`: where it is looked for, after that of
/// the topology. Throws InputError.
void add_extras(ExpandedTopology& topology, const std::filesystem::path& path, const TopologySearch& search,
                const std::vector<std::filesystem::path>& folders);

} // namespace holon
