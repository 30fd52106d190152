#include "sites.hpp"

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include "site_geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// What a function type of a section is.
struct SiteFunction {
    std::string_view section;
    std::int64_t number;
    SiteKind kind;
    std::size_t parameters;
};

constexpr auto site_functions = std::to_array<SiteFunction>({
    {"virtual_sites1", 1, SiteKind::linear, 0},
    {"virtual_sites2", 1, SiteKind::linear, 1},
    {"virtual_sites2", 2, SiteKind::line_distance, 1},
    {"virtual_sites3", 1, SiteKind::linear, 2},
    {"virtual_sites3", 2, SiteKind::plane_distance, 2},
    {"virtual_sites3", 3, SiteKind::plane_angle, 2},
    {"virtual_sites3", 4, SiteKind::out_of_plane, 3},
    {"virtual_sites4", 2, SiteKind::four_atoms, 3},
});

/// As the sections of one more letter are called, which older topologies have.
std::string_view new_name(std::string_view section)
{
    if (section == "dummies2") return "virtual_sites2";
    if (section == "dummies3") return "virtual_sites3";
    if (section == "dummies4") return "virtual_sites4";
    return section;
}

const SiteFunction& find_site_function(const Fields& fields, std::int64_t number)
{
    const auto name = new_name(fields.section());
    const auto* const found = std::ranges::find_if(
        site_functions, [&](const SiteFunction& f) { return f.section == name && f.number == std::abs(number); });
    if (name == "virtual_sites4" && number == 1)
        fields.fail("function type 1 of four constructing atoms is obsolete and unstable; use function type 2");
    if (found == site_functions.end())
        fields.fail(fmt::format("there is no function type {} of [ {} ]", number, fields.section()));
    if (number < 0 && found->kind != SiteKind::plane_angle && found->kind != SiteKind::out_of_plane)
        fields.fail("only function types 3 and 4 of three constructing atoms have a mirror image with a minus sign");
    return *found;
}

void check_different(const Fields& fields, std::int32_t site, const std::vector<std::int32_t>& parents)
{
    for (std::size_t k = 0; k < parents.size(); ++k) {
        if (parents[k] == site) fields.fail(fmt::format("atom {} can not be constructed from itself", site + 1));
        if (std::find(parents.begin(), parents.begin() + static_cast<std::ptrdiff_t>(k), parents[k]) !=
            parents.begin() + static_cast<std::ptrdiff_t>(k))
            fields.fail(fmt::format("atom {} stands here twice", parents[k] + 1));
    }
}

} // namespace

void SiteReader::add(const Fields& fields, const std::vector<std::int32_t>& atoms)
{
    SiteLine line{{}, fields.line(), fields.section()};
    auto& site = line.site;
    site.atom = atoms.front();
    site.parents.assign(atoms.begin() + 1, atoms.end());
    check_different(fields, site.atom, site.parents);
    const auto number = fields.integer(atoms.size(), "the function type");
    const auto& function = find_site_function(fields, number);
    site.kind = function.kind;
    line.mirrored = number < 0;
    const auto given = fields.size() - atoms.size() - 1;
    line.complete = given == function.parameters;
    if (given > 0 && !line.complete)
        fields.fail(fmt::format("wrong number of parameters: {} after the function type instead of {}", given,
                                function.parameters));
    if (line.complete)
        for (std::size_t k = 0; k < function.parameters; ++k)
            site.parameters.push_back(fields.real(atoms.size() + 1 + k, "a parameter"));
    if (line.complete && site.kind == SiteKind::plane_angle) // angle, distance
        site.parameters = in_plane(site.parameters[0] * units::degree, site.parameters[1]);
    lines_.push_back(std::move(line));
}

void SiteReader::add_mean(const Fields& fields, std::int32_t site, const std::vector<std::int32_t>& parents,
                          const std::vector<TopologyAtom>& atoms)
{
    SiteLine line{{site, SiteKind::linear, parents, {}}, fields.line(), fields.section()};
    line.mean = true;
    if (parents.empty()) fields.fail("the constructing atoms are missing");
    check_different(fields, site, parents);
    const auto number = fields.integer(1, "the function type");
    std::vector<double> weights;
    for (std::size_t k = 0; k < parents.size(); ++k)
        weights.push_back(number == 1   ? 1.0
                          : number == 2 ? atoms[index(parents[k])].mass
                                        : fields.real(2 * k + 3, "the weight of a constructing atom"));
    double sum = 0.0;
    for (const double weight : weights) sum += weight;
    if (number == 3 && std::ranges::any_of(weights, [](double w) { return w < 0.0; }))
        fields.fail("the weights of constructing atoms must not be negative");
    if (!(sum > 0.0) || !std::isfinite(sum))
        fields.fail(number == 2 ? "the constructing atoms have no mass, and so no centre of mass"
                                : "the weights of the constructing atoms must have a sum above zero");
    for (std::size_t k = 1; k < weights.size(); ++k) line.site.parameters.push_back(weights[k] / sum);
    lines_.push_back(std::move(line));
}

void SiteReader::store(const GivenGeometry& geometry, const std::vector<std::size_t>& atom_lines,
                       MoleculeType& molecule, RigidParts& rigid)
{
    check_atoms(atom_lines, molecule);
    if (lines_.empty()) return;
    for (auto& line : lines_) {
        if (!line.complete) find_parameters(line, geometry);
        if (!std::ranges::all_of(line.site.parameters, [](double p) { return std::isfinite(p); }))
            fields_of(line).fail("the parameters are beyond all numbers; correct them");
    }
    remove_constant_terms(molecule, rigid);
    const auto site_of = lines_of_atoms(molecule.atoms.size());
    rigid.refuse_atoms([&](std::int32_t atom) { return site_of[index(atom)] >= 0; },
                       "a virtual site can not be held by a constraint, as its place follows from other atoms");
    sort_into(molecule);
}

/// Per atom the line that makes it a site, or -1.
std::vector<std::int32_t> SiteReader::lines_of_atoms(std::size_t n_atoms) const
{
    std::vector<std::int32_t> line_of(n_atoms, -1);
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        auto& entry = line_of[index(lines_[k].site.atom)];
        if (entry >= 0)
            fields_of(lines_[k]).fail(fmt::format("atom {} is a virtual site already, by {}", lines_[k].site.atom + 1,
                                                  source_.where(lines_[index(entry)].line)));
        entry = static_cast<std::int32_t>(k);
    }
    return line_of;
}

void SiteReader::check_atoms(const std::vector<std::size_t>& atom_lines, const MoleculeType& molecule) const
{
    const auto line_of = lines_of_atoms(molecule.atoms.size());
    for (std::size_t a = 0; a < molecule.atoms.size(); ++a) {
        const auto& atom = molecule.atoms[a];
        const bool is_site = line_of[a] >= 0;
        if (is_site != (atom.mass > 0.0)) continue;
        const auto name = fmt::format("atom {} of residue {}", atom.name, molecule.residues[index(atom.residue)].name);
        Fields(source_, atom_lines[a], "atoms")
            .fail(is_site ? fmt::format("{} is a virtual site and must have no mass, not {}", name, atom.mass)
                          : fmt::format("{} has mass 0; it must be above zero, unless a [ virtual_sites ] section "
                                        "constructs it from other atoms",
                                        name));
    }
}

void SiteReader::find_parameters(SiteLine& line, const GivenGeometry& geometry) const
{
    const auto parameters = site_parameters(line.site, line.mirrored, geometry);
    if (!parameters)
        fields_of(line).fail("no parameters are given, and the bonds and angles of the molecule do not tell them; give "
                             "them on this line");
    line.site.parameters = *parameters;
}

/// Parents before sites that follow them.
void SiteReader::sort_into(MoleculeType& molecule) const
{
    const auto line_of = lines_of_atoms(molecule.atoms.size());
    std::vector<std::vector<std::size_t>> followers(lines_.size());
    std::vector<std::size_t> open(lines_.size(), 0), ready;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
        for (const auto parent : lines_[k].site.parents)
            if (const auto other = line_of[index(parent)]; other >= 0) {
                followers[index(other)].push_back(k);
                ++open[k];
            }
        if (open[k] == 0) ready.push_back(k);
    }
    for (std::size_t next = 0; next < ready.size(); ++next) {
        molecule.virtual_sites.push_back(lines_[ready[next]].site);
        for (const auto follower : followers[ready[next]])
            if (--open[follower] == 0) ready.push_back(follower);
    }
    const auto stuck = std::ranges::find_if(open, [](std::size_t n) { return n > 0; });
    if (stuck != open.end())
        fields_of(lines_[index(stuck - open.begin())])
            .fail("the place of this site follows, by way of other sites, from itself");
}

} // namespace holon
