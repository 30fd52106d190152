#pragma once

#include <holon/system/topology.hpp>

#include "fields.hpp"
#include "rigid.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace holon {

/// Bonds and angles as the topology has them before constraints and sites change anything: what virtual sites without
/// parameters are placed by. Of several between the same atoms the first counts.
struct GivenGeometry {
    std::map<std::array<std::int32_t, 2>, double> bonds;  // the lower atom first; length [nm]
    std::map<std::array<std::int32_t, 3>, double> angles; // the lower end first; [degrees]
    std::vector<std::string> type_names;                  // per atom

    void add_bond(std::int32_t i, std::int32_t j, double length) { bonds.try_emplace(key(i, j), length); }
    void add_angle(std::int32_t i, std::int32_t j, std::int32_t k, double angle)
    {
        angles.try_emplace(key(i, j, k), angle);
    }
    static std::array<std::int32_t, 2> key(std::int32_t i, std::int32_t j) { return {std::min(i, j), std::max(i, j)}; }
    static std::array<std::int32_t, 3> key(std::int32_t i, std::int32_t j, std::int32_t k)
    {
        return {std::min(i, k), j, std::max(i, k)};
    }
};

/// Collects the virtual sites of a molecule type while it is read. Errors are InputErrors at the line at fault.
class SiteReader {
public:
    /// `source` must outlive this.
    explicit SiteReader(const ExpandedTopology& source) : source_(source) {}

    /// A line of [ virtual_sites1 ] to [ virtual_sites4 ]: site, its parents (`atoms`, as read already), function type,
    /// parameters or none.
    void add(const Fields& fields, const std::vector<std::int32_t>& atoms);

    /// A line of [ virtual_sitesn ]: site (read already), function type, parents, each with its weight for function 3.
    void add_mean(const Fields& fields, std::int32_t site, const std::vector<std::int32_t>& parents,
                  const std::vector<TopologyAtom>& atoms);

    bool empty() const { return lines_.empty(); }

    /// Finds the parameters that lines leave to the bonds and angles of the molecule, as grompp does; takes out the
    /// bonded terms and constraints that have become constant; and fills in the molecule's sites, in an order in which
    /// parents come first. `atom_lines`: where the atoms stand, each of which has mass or is a site.
    void store(const GivenGeometry& geometry, const std::vector<std::size_t>& atom_lines, MoleculeType& molecule,
               RigidParts& rigid);

private:
    struct SiteLine {
        VirtualSite site;
        std::size_t line;
        std::string_view section;
        bool complete = true;  // has its parameters
        bool mirrored = false; // function types -3 and -4
        bool mean = false;     // of [ virtual_sitesn ]
    };

    Fields fields_of(const SiteLine& line) const { return Fields(source_, line.line, line.section); }
    void check_atoms(const std::vector<std::size_t>& atom_lines, const MoleculeType& molecule) const;
    std::vector<std::int32_t> lines_of_atoms(std::size_t n_atoms) const;
    void find_parameters(SiteLine& line, const GivenGeometry& geometry) const;
    void remove_constant_terms(MoleculeType& molecule, RigidParts& rigid) const;
    void sort_into(MoleculeType& molecule) const;

    const ExpandedTopology& source_;
    std::vector<SiteLine> lines_;
};

} // namespace holon
