#include "force_field.hpp"

#include <fmt/format.h>

#include <algorithm>

/// The bonded parameters of the force field: reading them, and finding those of a term.
namespace holon {

namespace {

constexpr int any_type = -1; // X

/// 1 and 9 are the same function; 9 only says that its parameters may take several lines.
std::pair<std::string_view, int> table_of(const BondedFunction& function)
{
    const bool several_lines = function.section == "dihedrals" && function.number == 9;
    return {function.section, several_lines ? 1 : function.number};
}

bool same_types(const std::vector<int>& a, const std::vector<int>& b)
{
    return a == b || std::equal(a.begin(), a.end(), b.rbegin(), b.rend());
}

/// Number of types that match by name, or -1 if one does not match at all.
template <class Iterator>
int matches(const std::vector<int>& entry, Iterator type)
{
    int exact = 0;
    for (const int wanted : entry) {
        if (wanted == *type)
            ++exact;
        else if (wanted != any_type)
            return -1;
        ++type;
    }
    return exact;
}

} // namespace

void TopologyForceField::read_bonded_types(const Fields& fields, const SectionInfo& section, Notes& notes)
{
    const auto n_atoms = static_cast<std::size_t>(section.atoms);
    const bool dihedral = n_atoms == 4;
    // A dihedral may be given by two types: the inner ones, or (function 2, improper) the outer ones.
    const bool two_types =
        dihedral && fields.size() > 2 && fields[2].size() == 1 && fields[2][0] >= '0' && fields[2][0] <= '9';
    const std::size_t n = two_types ? 2 : n_atoms;
    fields.text(n, "an atom type or the function type");

    BondedType entry{std::vector<int>(n_atoms, any_type), {}};
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t place = k;
        if (two_types) place = fields[2] == "2" ? 3 * k : k + 1;
        if (!dihedral || fields[k] != "X") entry.types[place] = bonded_type(fields, k);
    }
    const BondedFunction* function = find_function(section.of_types, fields.integer(n, "the function type"));
    if (!function) fields.fail(fmt::format("there is no function type {}", in_quotes(fields[n])));
    if (function->role == FunctionRole::refused) return; // matters only if a molecule uses it, and is refused there

    const auto wanted = static_cast<std::size_t>(function->parameters);
    if (!takes(*function, fields.numbers_from(n + 1)) && !takes(*function, fields.size() - n - 1))
        fields.fail(fmt::format("wrong number of parameters for a {}: {} instead of {}", function->name,
                                fields.size() - n - 1, wanted));
    GivenParameters parameters{};
    for (std::size_t k = 0; k < wanted; ++k) parameters[k] = fields.real(n + 1 + k, "a parameter");
    entry.sets.push_back(parameters);

    add(bonded_[table_of(*function)], std::move(entry), dihedral && function->number == 9, fields, notes);
}

/// Adds an entry. Where its types are there already, the new parameters replace the old ones, except that dihedrals of
/// function 9 collect the parameters of consecutive lines.
void TopologyForceField::add(BondedTable& table, BondedType entry, bool several_lines, const Fields& fields,
                             Notes& notes)
{
    const auto earlier = std::find_if(table.entries.begin(), table.entries.end(),
                                      [&](const BondedType& other) { return same_types(other.types, entry.types); });
    if (earlier == table.entries.end()) {
        table.entries.push_back(std::move(entry));
        return;
    }
    const GivenParameters& parameters = entry.sets.front();
    const bool known = std::find(earlier->sets.begin(), earlier->sets.end(), parameters) != earlier->sets.end();
    const bool continues = several_lines && earlier->types == entry.types && earlier + 1 == table.entries.end();
    if (continues) {
        if (!known) earlier->sets.push_back(parameters);
    } else if (earlier->sets.size() > 1 || (several_lines && !known)) {
        fields.fail(
            "a second block of parameters for a dihedral of these types; keep the lines of function 9 that belong "
            "together one below the other, and only one block");
    } else if (!known) {
        notes.add(fields.about("these types have parameters already; the new ones count"));
        earlier->sets = entry.sets;
    }
}

std::span<const GivenParameters> TopologyForceField::find(const BondedFunction& function,
                                                          std::span<const int> bonded_types) const
{
    const auto table = bonded_.find(table_of(function));
    if (table == bonded_.end()) return {};
    const std::vector<BondedType>& entries = table->second.entries;
    const auto [known, is_new] =
        table->second.found.try_emplace({bonded_types.begin(), bonded_types.end()}, entries.size());
    if (is_new) {
        int best = -1;
        for (std::size_t k = 0; k < entries.size(); ++k) {
            const int match = std::max(matches(entries[k].types, bonded_types.begin()),
                                       matches(entries[k].types, bonded_types.rbegin()));
            if (match > best) {
                best = match;
                known->second = k;
            }
        }
    }
    if (known->second == entries.size()) return {};
    return entries[known->second].sets;
}

/// Columns: five types, function type 1, grid size twice, then the energies: rows of the first dihedral.
void TopologyForceField::read_cmap_type(const Fields& fields)
{
    constexpr std::size_t head = 8;
    CmapType entry;
    for (std::size_t k = 0; k < 5; ++k) {
        fields.text(k, "an atom type");
        entry.types[k] = bonded_type(fields, k);
    }
    if (fields.integer(5, "the function type") != 1) fields.fail("the function type of a correction map must be 1");
    const std::int64_t size = fields.integer(6, "the grid size");
    if (size < 4 || size > 360 || fields.integer(7, "the grid size") != size)
        fields.fail("a correction map needs a square grid of 4 to 360 points along each side");
    const auto points = static_cast<std::size_t>(size * size);
    if (fields.size() != head + points)
        fields.fail(
            fmt::format("the correction map has {} values instead of {}; do all its lines but the last end with a \\ ?",
                        fields.size() - head, points));
    entry.grid.size = static_cast<int>(size);
    entry.grid.energy.resize(points);
    for (std::size_t k = 0; k < points; ++k) entry.grid.energy[k] = fields.real(head + k, "an energy");
    cmap_types_.push_back(std::move(entry));
}

const CmapGrid* TopologyForceField::find_cmap(const std::array<int, 5>& bonded_types) const
{
    const auto found = std::find_if(cmap_types_.begin(), cmap_types_.end(),
                                    [&](const CmapType& entry) { return entry.types == bonded_types; });
    return found == cmap_types_.end() ? nullptr : &found->grid;
}

} // namespace holon
