#include "force_field.hpp"

#include <holon/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_single_letter(std::string_view field)
{
    return field.size() == 1 && is_letter(field[0]);
}

std::pair<int, int> ordered(int a, int b)
{
    return {std::min(a, b), std::max(a, b)};
}

} // namespace

void TopologyForceField::read_defaults(const Fields& fields)
{
    if (has_defaults())
        fields.fail(
            "a second [ defaults ]; keep the one of the force field, which must be included only once and first");
    if (fields.integer(0, "nbfunc") != 1)
        fields.fail("nbfunc must be 1 (Lennard-Jones); Buckingham potentials are not supported");
    const std::int64_t rule = fields.integer(1, "the combination rule");
    if (rule < 1 || rule > 3) fields.fail(fmt::format("the combination rule must be 1, 2 or 3, not {}", rule));
    if (fields.size() > 2) generate_pairs_ = fields[2].starts_with('y') || fields[2].starts_with('Y');
    if (fields.size() > 3) fudge_lj_ = fields.real(3, "fudgeLJ");
    if (fields.size() > 4) fudge_qq_ = fields.real(4, "fudgeQQ");
    if (fields.size() > 5 && fields.real(5, "the power of the repulsion") != 12.0)
        fields.fail("the power of the repulsion must be 12");
    combination_rule_ = static_cast<int>(rule);
}

/// Columns: name [bonded type] [atomic number] mass charge particle-type v w. The particle type, a single letter, tells
/// which of the optional ones are there.
void TopologyForceField::read_atom_type(const Fields& fields, Notes& notes)
{
    fields.text(5, "the particle type or a Lennard-Jones parameter");
    std::size_t particle = 4;
    if (is_single_letter(fields[5]))
        particle = 5;
    else if (is_single_letter(fields[3]))
        particle = 3;
    else if (!is_single_letter(fields[4]))
        fields.fail("no particle type (A, S, V or D) where it is expected: name, [bonded type], [atomic number], mass, "
                    "charge, particle type, and two Lennard-Jones parameters");

    ParticleType type;
    type.name = fields[0];
    // Bonded types may begin with a digit, as in AMBER (2C), but have something else in them.
    const bool has_bonded = particle == 5 || (particle == 4 && !std::ranges::all_of(fields[1], is_digit));
    const bool has_number = particle == 5 || (particle == 4 && !has_bonded);
    const std::string bonded(has_bonded ? fields[1] : fields[0]);
    if (has_number) type.atomic_number = static_cast<int>(fields.integer(particle - 3, "the atomic number"));
    type.mass = fields.real(particle - 2, "the mass");
    type.charge = fields.real(particle - 1, "the charge");
    type.particle = static_cast<char>(fields[particle][0] & ~0x20); // upper case
    if (std::string_view("ANSBVD").find(type.particle) == std::string_view::npos)
        fields.fail(fmt::format("the particle type must be A, S, V or D, not {}", in_quotes(fields[particle])));
    type.lennard_jones = {fields.real(particle + 1, "the first Lennard-Jones parameter"),
                          fields.real(particle + 2, "the second Lennard-Jones parameter")};

    auto& [v, w] = type.lennard_jones;
    if (combination_rule_ != 1 && w < 0.0) { // as in CHARMM's files
        if (!std::exchange(negative_epsilon_, true))
            notes.add(fields.about("a negative epsilon counts as positive: what counts are roots of products of two"));
        w = -w;
    }
    if (w < 0.0 || (combination_rule_ == 1 && v < 0.0))
        fields.fail("a negative Lennard-Jones parameter cannot be combined; use [ nonbond_params ] for special pairs");

    const auto [bonded_entry, bonded_is_new] =
        bonded_index_.try_emplace(bonded, static_cast<int>(bonded_names_.size()));
    if (bonded_is_new) bonded_names_.push_back(bonded);
    type.bonded_type = bonded_entry->second;

    const auto [entry, is_new] = atom_type_index_.try_emplace(type.name, static_cast<int>(atom_types_.size()));
    if (is_new) {
        atom_types_.push_back(std::move(type));
    } else {
        notes.add(fields.about(fmt::format("atom type {} is defined again; this definition counts", type.name)));
        atom_types_[static_cast<std::size_t>(entry->second)] = std::move(type);
    }
}

std::optional<int> TopologyForceField::find_atom_type(std::string_view name) const
{
    const auto entry = atom_type_index_.find(name);
    return entry == atom_type_index_.end() ? std::nullopt : std::optional(entry->second);
}

const std::string& TopologyForceField::bonded_name(int bonded_type) const
{
    return bonded_names_[static_cast<std::size_t>(bonded_type)];
}

int TopologyForceField::bonded_type(const Fields& fields, std::size_t k) const
{
    const auto entry = bonded_index_.find(fields[k]);
    if (entry == bonded_index_.end())
        fields.fail(fmt::format("unknown atom type {}: no [ atomtypes ] line defines it", in_quotes(fields[k])));
    return entry->second;
}

// ---------------------------------------------------------------------------------------------- Lennard-Jones and 1-4

void TopologyForceField::read_nonbonded_parameters(const Fields& fields, Notes& notes)
{
    read_pair(nonbonded_, fields, notes);
}

void TopologyForceField::read_pair_type(const Fields& fields, Notes& notes)
{
    read_pair(pairs_, fields, notes);
}

void TopologyForceField::read_pair(PairTable& table, const Fields& fields, Notes& notes)
{
    std::array<int, 2> types{};
    for (std::size_t k = 0; k < 2; ++k) {
        const auto type = find_atom_type(fields.text(k, "an atom type"));
        if (!type)
            fields.fail(fmt::format("unknown atom type {}: no [ atomtypes ] line defines it", in_quotes(fields[k])));
        types[k] = *type;
    }
    if (fields.integer(2, "the function type") != 1)
        fields.fail(fmt::format("function type {} is not supported, only 1 (Lennard-Jones)", in_quotes(fields[2])));
    const auto numbers = fields.numbers_from(3);
    if (numbers != 2 && numbers != 4 && fields.size() != 5) // the last two: B state
        fields.fail(fmt::format("wrong number of parameters: {} instead of 2", fields.size() - 3));
    const std::array<double, 2> given{fields.real(3, "the first parameter"), fields.real(4, "the second parameter")};
    const auto [entry, is_new] = table.try_emplace(ordered(types[0], types[1]), given);
    if (!is_new && entry->second != given) {
        notes.add(fields.about(
            fmt::format("the parameters of {} and {} are defined again; these count", fields[0], fields[1])));
        entry->second = given;
    }
}

/// The combined parameters of two types, in the form of the file. A negative sigma stands for "no dispersion" and is
/// inherited by its pairs.
std::array<double, 2> TopologyForceField::combine(int a, int b) const
{
    if (const auto given = nonbonded_.find(ordered(a, b)); given != nonbonded_.end()) return given->second;
    const auto [va, wa] = atom_type(a).lennard_jones;
    const auto [vb, wb] = atom_type(b).lennard_jones;
    if (combination_rule_ == 1) return {std::sqrt(va * vb), std::sqrt(wa * wb)};
    const double sigma =
        combination_rule_ == 2 ? 0.5 * (std::abs(va) + std::abs(vb)) : std::sqrt(std::abs(va) * std::abs(vb));
    return {va < 0.0 || vb < 0.0 ? -sigma : sigma, std::sqrt(wa * wb)};
}

std::array<double, 2> TopologyForceField::to_c6_c12(const std::array<double, 2>& given) const
{
    if (combination_rule_ == 1) {
        if (!std::isfinite(given[0]) || !std::isfinite(given[1]))
            throw InputError("the topology has Lennard-Jones parameters whose products are beyond all numbers; correct "
                             "them in [ atomtypes ]");
        return given;
    }
    const auto [sigma, epsilon] = given;
    const double sigma_3 = sigma * sigma * sigma;
    const double sigma_6 = sigma_3 * sigma_3;
    const double c12 = 4.0 * epsilon * sigma_6 * sigma_6;
    if (!std::isfinite(c12))
        throw InputError(
            fmt::format("the topology has impossible Lennard-Jones parameters: sigma = {} nm, epsilon = {} "
                        "kJ/mol; correct them in [ atomtypes ], [ nonbond_params ] or [ pairtypes ]",
                        sigma, epsilon));
    return {sigma < 0.0 ? 0.0 : 4.0 * epsilon * sigma_6, c12};
}

std::array<double, 2> TopologyForceField::lennard_jones(int a, int b) const
{
    return to_c6_c12(combine(a, b));
}

std::optional<std::array<double, 2>> TopologyForceField::pair_14(int a, int b) const
{
    if (const auto given = pairs_.find(ordered(a, b)); given != pairs_.end()) return to_c6_c12(given->second);
    if (!generate_pairs_) return std::nullopt;
    const auto [c6, c12] = lennard_jones(a, b);
    const std::array scaled{fudge_lj_ * c6, fudge_lj_ * c12};
    if (!std::isfinite(scaled[0]) || !std::isfinite(scaled[1]))
        throw InputError(fmt::format("1-4 parameters are beyond all numbers with fudgeLJ = {}; correct it in "
                                     "[ defaults ]",
                                     fudge_lj_));
    return scaled;
}

} // namespace holon
