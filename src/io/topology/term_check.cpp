#include "term_check.hpp"

#include <cmath>
#include <fmt/format.h>

namespace holon {

namespace {

/// A dihedral takes memory and time in proportion.
constexpr int largest_multiplicity = 100;

} // namespace

void check_parameters(const Fields& fields, const BondedFunction& function, const GivenParameters& given)
{
    const auto need = [&](bool fulfilled, std::string_view what) {
        if (!fulfilled) fields.fail(fmt::format("the parameters of a {} need {}", function.name, what));
    };
    switch (function.interaction) {
    case Interaction::proper_dihedral:
    case Interaction::periodic_improper:
    case Interaction::angle_restraint:
    case Interaction::angle_restraint_z:
        if (given[2] != std::round(given[2]))
            fields.fail(fmt::format("the multiplicity of a dihedral must be an integer, not {}", given[2]));
        if (std::abs(given[2]) > largest_multiplicity)
            fields.fail(fmt::format("the multiplicity of a dihedral must be at most {}, not {}", largest_multiplicity,
                                    given[2]));
        break;
    case Interaction::fene_bond:
        return need(given[0] > 0.0, "a largest length above zero");
    case Interaction::restraint_bond:
        return need(given[0] <= given[1] && given[1] <= given[2], "distances low <= up1 <= up2");
    case Interaction::dihedral_restraint:
        return need(given[1] >= 0.0, "a width that is not negative");
    case Interaction::tabulated_bond:
    case Interaction::tabulated_angle:
    case Interaction::tabulated_dihedral:
        return need(given[0] == std::round(given[0]) && given[0] >= 0.0 && given[0] < 1e9,
                    "the number of a table, from 0 on");
    case Interaction::flat_bottom_restraint:
        return need(given[0] == std::round(given[0]) && given[0] >= 1.0 && given[0] <= 8.0,
                    "a shape from 1 to 8: 1 sphere, 2 cylinder along z, 3 to 5 layer across x, y, z, 6 to 8 cylinder "
                    "along x, y, z");
    default:
        break;
    }
}

} // namespace holon
