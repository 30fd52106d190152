#include "restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace holon {

namespace {

AtomId atom(const Fields& fields, std::size_t k, AtomId first_atom, std::int64_t n_atoms)
{
    const auto number = fields.integer(k, "an atom number");
    if (number < 1 || number > n_atoms)
        fields.fail(fmt::format("atom {} is out of bounds: there are {} atoms, numbered from 1", number, n_atoms));
    return first_atom + static_cast<AtomId>(number - 1);
}

} // namespace

/// Columns: two atoms, function type 1, label, type of averaging, low, up1, up2, factor.
std::vector<RestraintSource> read_distance_restraints(const ExpandedTopology& source, const MoleculeSource& molecule,
                                                      AtomId first_atom, std::int64_t n_atoms)
{
    std::vector<RestraintSource> restraints;
    std::int64_t last_label = -1;
    for (const auto& [section, line] : molecule.lines) {
        if (section->name != "distance_restraints") continue;
        const Fields fields(source, line, section->name);
        const std::array pair = {atom(fields, 0, first_atom, n_atoms), atom(fields, 1, first_atom, n_atoms)};
        if (pair[0] == pair[1]) fields.fail("an atom cannot be kept at a distance of itself");
        if (fields.integer(2, "the function type") != 1) fields.fail("the function type must be 1");
        const auto label = fields.integer(3, "the label of the restraint");
        if (label < 0) fields.fail("the label of a restraint must not be negative");
        const auto averaging = fields.integer(4, "the type of averaging");
        if (averaging != 1 && averaging != 2) fields.fail("the type of averaging must be 1 or 2");
        DistanceRestraint restraint{{},
                                    fields.real(5, "low"),
                                    fields.real(6, "up1"),
                                    fields.real(7, "up2"),
                                    fields.real(8, "the factor of the force constant"),
                                    averaging == 1};
        if (!(restraint.low <= restraint.up1 && restraint.up1 <= restraint.up2))
            fields.fail("a distance restraint needs distances low <= up1 <= up2");
        if (label == last_label) {
            auto& last = restraints.back();
            const auto& r = last.restraint;
            if (std::tie(r.low, r.up1, r.up2, r.factor, r.averaged) !=
                std::tie(restraint.low, restraint.up1, restraint.up2, restraint.factor, restraint.averaged))
                fields.fail("the pairs of one restraint must have the same averaging, distances and factor");
            last.pairs.push_back(pair);
        } else {
            restraints.push_back({{pair}, std::move(restraint)});
        }
        last_label = label;
    }
    return restraints;
}

void add_restraints(IntermolecularTerms& terms, const std::vector<RestraintSource>& restraints)
{
    const auto before = terms.atoms;
    for (const auto& restraint : restraints)
        for (const auto& pair : restraint.pairs) terms.atoms.insert(terms.atoms.end(), pair.begin(), pair.end());
    std::ranges::sort(terms.atoms);
    terms.atoms.erase(std::ranges::unique(terms.atoms).begin(), terms.atoms.end());
    const auto index_of = [&](AtomId id) {
        return static_cast<std::int32_t>(std::ranges::lower_bound(terms.atoms, id) - terms.atoms.begin());
    };
    for (auto& list : terms.terms)
        for (auto& place : list.atoms) place = index_of(before[static_cast<std::size_t>(place)]);
    for (const auto& [pairs, restraint] : restraints) {
        auto& added = terms.restraints.emplace_back(restraint);
        for (const auto& [i, j] : pairs) added.pairs.push_back({index_of(i), index_of(j)});
    }
}

} // namespace holon
