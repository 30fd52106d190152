#include "extras.hpp"

#include "functions.hpp"

#include <holon/core/error.hpp>
#include <holon/core/units.hpp>
#include <holon/io/text_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace holon {

namespace fs = std::filesystem;

namespace {

char kind_letter(int atoms)
{
    return "bad"[atoms - 2];
}

/// The numbers of its tables that a line of terms or of types of them names.
void note_tables(const Fields& fields, const SectionInfo& section, std::set<std::pair<int, std::int64_t>>& wanted)
{
    const bool types = section.section == Section::bonded_types;
    const auto terms = types ? section.of_types : section.name;
    for (std::size_t n = types ? 2 : static_cast<std::size_t>(section.atoms);
         n <= static_cast<std::size_t>(section.atoms) && n + 1 < fields.size(); ++n) {
        const auto field = fields[n], number = fields[n + 1];
        if (field.size() != 1 || number.size() > 9 || number.find_first_not_of("0123456789") != number.npos) continue;
        const auto* function = find_function(terms, field[0] - '0');
        if (function != nullptr && table_number(function->interaction, std::array{0.0}))
            wanted.emplace(section.atoms, std::stoll(std::string(number)));
    }
}

/// The file of a table: named by the user, or else beside the topology; empty: none.
fs::path table_file(const std::string& ending, const fs::path& beside, const std::vector<std::string>& named)
{
    std::error_code error;
    for (fs::path name : named) {
        if (name.filename().string().ends_with(ending)) return name;
        auto of_stem = name.parent_path() / (name.stem().string() + ending);
        if (fs::exists(of_stem, error)) return of_stem;
    }
    const auto found = beside / ("table" + ending);
    return fs::exists(found, error) ? found : fs::path();
}

/// Appends a section of the lines of a file, each behind `head`; without comments of topologies and of plots.
void append_file(ExpandedTopology& topology, const fs::path& path, const std::string& section, const std::string& head)
{
    const auto text = read_text_file(path.string(), "force field");
    const auto file = static_cast<std::int32_t>(topology.files.size());
    topology.files.push_back(printable(path.string(), std::string::npos));
    topology.lines.push_back({file, 1, "[ " + section + " ]"});
    std::int32_t number = 0;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const auto line = trimmed(std::string_view(text).substr(begin, end - begin));
        ++number;
        if (!line.empty() && line.find_first_of(";#@&") != 0)
            topology.lines.push_back({file, number, head + std::string(line)});
        begin = end + 1;
    }
}

} // namespace

void ForceFieldExtras::read_table(const Fields& fields, int atoms)
{
    const auto number = fields.integer(0, "the number of the table");
    if (fields.size() != 4) fields.fail("expected three columns: a distance or an angle, V and -dV/dx");
    rows_[{atoms, number}].push_back({fields.line(), fields.real(1, "the distance or angle"),
                                      fields.real(2, "the potential"), fields.real(3, "the force")});
}

const BondedTable* ForceFieldExtras::table(const Fields& fields, int atoms, std::int64_t number) const
{
    const Key key{atoms, number};
    if (const auto known = tables_.find(key); known != tables_.end()) return &known->second;
    const auto name = fmt::format("table_{}{}.xvg", kind_letter(atoms), number);
    const auto found = rows_.find(key);
    if (found == rows_.end())
        fields.fail(fmt::format("there is no {}: put it beside the topology, or name it with --tableb", name));
    const auto& rows = found->second;
    const auto need = [&](bool fulfilled, const std::string& what) {
        if (!fulfilled) fields.fail(fmt::format("{}: {}", name, what));
    };
    need(rows.size() > 2, "a table needs three points at least");
    const double first = rows.front().x, spacing = (rows.back().x - first) / static_cast<double>(rows.size() - 1);
    for (std::size_t k = 0; k < rows.size(); ++k)
        need(std::abs(rows[k].x - first - spacing * static_cast<double>(k)) < 0.01 * spacing,
             fmt::format("its points must be at equal distances, but {} is not {}", rows[k].x,
                         first + spacing * static_cast<double>(k)));
    const double begins = atoms == 4 ? -180.0 : 0.0;
    need(first == begins, fmt::format("it must begin at {}, not {}", begins, first));
    need(atoms == 2 || rows.back().x == 180.0, fmt::format("it must end at 180 degrees, not {}", rows.back().x));
    const bool flat = std::ranges::all_of(rows, [&](const Row& row) { return row.energy == rows.front().energy; });
    need(flat || std::ranges::any_of(rows, [](const Row& row) { return row.force != 0.0; }),
         "the third column, -dV/dx, is zero everywhere; give the forces that belong to the potential");
    const double unit = atoms == 2 ? 1.0 : units::degree;
    BondedTable table;
    table.first = unit * first;
    table.spacing = unit * spacing;
    for (const auto& row : rows) {
        table.energy.push_back(row.energy);
        table.slope.push_back(-row.force / unit);
    }
    return &(tables_[key] = std::move(table));
}

void ForceFieldExtras::read_dissociation_energy(const Fields& fields)
{
    const double energy = fields.real(2, "a dissociation energy");
    if (!(energy > 0.0)) fields.fail("a dissociation energy must be above zero");
    dissociation_.push_back({std::string(fields.text(0, "an atom type")), std::string(fields[1]), energy});
}

namespace {

/// How many letters two names share from the first on, case apart; their end counts as one.
int alike(std::string_view a, std::string_view b)
{
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c; };
    std::size_t n = 0;
    while (n < a.size() && n < b.size() && upper(a[n]) == upper(b[n])) ++n;
    return static_cast<int>(n) + (n == a.size() && n == b.size() ? 1 : 0);
}

} // namespace

double ForceFieldExtras::dissociation_energy(std::string_view type_i, std::string_view type_j) const
{
    constexpr double of_others = 400.0; // grompp's
    double energy = of_others;
    int best_i = 0, best_j = 0;
    // The rules of grompp, with what they make of the order of lines.
    for (const auto& line : dissociation_) {
        const auto whole = [](std::string_view name) { return static_cast<int>(name.size()) + 1; };
        const auto better = [&](int i, int j) { return (i > best_i && j >= best_j) || (i >= best_i && j > best_j); };
        int i = alike(line.type_i, type_i), j = alike(line.type_j, type_j);
        const int other_i = alike(line.type_i, type_j), other_j = alike(line.type_j, type_i);
        if ((i == whole(line.type_i) && j == whole(line.type_j)) ||
            (other_i == whole(line.type_i) && other_j == whole(line.type_j)))
            return line.energy;
        if (!better(i, j)) {
            i = other_i;
            j = other_j;
        }
        if (!better(i, j) || i == 0 || j == 0) continue;
        energy = line.energy;
        best_i = i;
        best_j = j;
    }
    return energy;
}

void add_extras(ExpandedTopology& topology, const fs::path& path, const TopologySearch& search,
                const std::vector<fs::path>& folders)
{
    std::set<std::pair<int, std::int64_t>> wanted;
    const SectionInfo* section = nullptr;
    for (std::size_t k = 0; k < topology.lines.size(); ++k) {
        const std::string_view text = topology.lines[k].text;
        if (text.starts_with('['))
            section = find_section(trimmed(text.substr(1, text.find(']') - 1)));
        else if (section != nullptr &&
                 (section->section == Section::bonded || section->section == Section::bonded_types) &&
                 section->atoms <= 4)
            note_tables(Fields(topology, k, section->name), *section, wanted);
    }
    for (const auto& [atoms, number] : wanted) {
        const auto ending = fmt::format("_{}{}.xvg", kind_letter(atoms), number);
        const auto file = table_file(ending, path.parent_path(), search.tables);
        constexpr std::array kinds = {"tabulated_bonds", "tabulated_angles", "tabulated_dihedrals"};
        if (!file.empty())
            append_file(topology, file, kinds[static_cast<std::size_t>(atoms) - 2], fmt::format("{} ", number));
    }
    if (!search.morse) return;
    std::vector<fs::path> places{path.parent_path()};
    places.insert(places.end(), folders.begin(), folders.end());
    const auto has_file = [](const fs::path& folder) {
        std::error_code error;
        return fs::exists(folder / "edissoc.dat", error);
    };
    const auto found = std::ranges::find_if(places, has_file);
    if (found == places.end())
        throw InputError(
            fmt::format("{}: morse = yes takes dissociation energies from edissoc.dat, which is not found; "
                        "put it beside the topology: lines of two atom types and an energy [kJ/mol]",
                        path.string()));
    append_file(topology, *found / "edissoc.dat", "dissociation_energies", "");
}

} // namespace holon
