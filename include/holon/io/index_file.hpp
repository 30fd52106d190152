#pragma once

#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace holon {

/// The groups of a GROMACS index file (.ndx): `[ name ]`, then atom numbers from 1. `name` stands for the text in
/// messages. Throws InputError with file and line: numbers before the first group, not a number, not in 1..n_atoms.
std::vector<AtomGroup> parse_index(std::string_view text, const std::string& name, std::int64_t n_atoms);

/// GROMACS' default groups: System, Protein, Protein-H, C-alpha, ..., Water, SOL, non-Water, Ion, Water_and_ions, DNA,
/// RNA, Other, one per residue name among Other and Ion, and (behind those) one per molecule type. Empty groups are
/// left out. Built per molecule type: costs nothing for many molecules alike. GROMACS lists some of them only in
/// certain combinations; here a group is there whenever it has atoms.
std::vector<AtomGroup> default_groups(const Topology& topology);

/// The first group of that name, whatever its case; nullptr if there is none.
const AtomGroup* find_group(std::span<const AtomGroup> groups, std::string_view name);

} // namespace holon
