#pragma once

#include <holon/core/log.hpp>
#include <holon/system/intermolecular.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// GROMACS topologies (.top, .itp): reading happens in two steps, because only one rank touches the files and a
/// checkpoint stores the text that the first step yields.
namespace holon {

/// Where included files are looked for, and what is defined beforehand.
struct TopologySearch {
    std::vector<std::string> include_dirs; // after the folder of the including file; a leading -I is allowed
    std::vector<std::string> defines;      // NAME or NAME=text; a leading -D is allowed
    std::vector<std::string> tables{};     // of bonded interactions, beside those in the folder of the topology
    bool morse = false;                    // dissociation energies are needed
};

/// One line that carries data: without comments, conditions and macros, continuation lines joined.
struct TopologyLine {
    std::int32_t file = 0;   // index into ExpandedTopology::files
    std::int32_t number = 0; // from 1; the first of the lines that were joined
    std::string text;
};

/// A topology after preprocessing: it refers to no other file, but knows where each line came from.
struct ExpandedTopology {
    std::vector<std::string> files;
    std::vector<TopologyLine> lines;
    std::vector<std::string> unused_defines; // of TopologySearch::defines: names that nothing asked for
    std::vector<std::string> notes;          // on what was taken though it is not quite right

    /// "file:line" of line k, for messages.
    std::string where(std::size_t k) const;

    /// The lines alone: the same wherever the files lie, whatever they are called and whatever comments they have.
    std::string content() const;

    /// A text that is itself a topology (origins are kept in comments), and the way back. `from_text` throws InputError
    /// for a text without origins.
    std::string to_text() const;
    static ExpandedTopology from_text(std::string_view text);
};

/// Preprocesses the topology at `path`: #include, #define, #undef, #ifdef, #ifndef, #else, #endif, comments (;),
/// continuation lines (\), lines starting with * (left out). Included files are looked for beside the including file,
/// in `include_dirs`, $GMXLIB (colon separated), $GMXDATA/top and /usr/share/gromacs/top.
/// Throws InputError for files that cannot be read, cycles of includes and unknown # directives.
/// A condition that its file does not close ends with it, as for grompp; a note says so.
/// What other files hold is added as sections of their own: tables of bonded interactions that it uses, from
/// table_b0.xvg (bonds), table_a0.xvg (angles), table_d0.xvg (dihedrals) and so on, and dissociation energies from
/// edissoc.dat.
ExpandedTopology expand_topology(const std::string& path, const TopologySearch& search);

struct TopologyOptions {
    ConstraintKind constraints = ConstraintKind::none;
    bool distance_restraints = false; // count
    bool morse = false;               // harmonic bonds that stay flexible become Morse bonds
};

/// Builds the topology with the meaning that grompp (GROMACS 2022) gives to it: parameters looked up in the force
/// field, 1-4 pairs and exclusions generated, bonds and angles turned into constraints. Only what the listed molecules
/// use is kept. B-state parameters are ignored. Throws InputError with file, line and what to do. Source of the format:
/// GROMACS manual, "Topologies" and "File formats: top".
/// `intermolecular`: takes the terms between molecules; null: they are left out.
Topology read_topology(const ExpandedTopology& source, const TopologyOptions& options, Notes& notes,
                       IntermolecularTerms* intermolecular = nullptr);

} // namespace holon
