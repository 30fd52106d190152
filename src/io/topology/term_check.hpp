#pragma once

#include "force_field.hpp"

namespace holon {

/// That parameters are some that the function has a meaning for; throws InputError at `fields`.
void check_parameters(const Fields& fields, const BondedFunction& function, const GivenParameters& given);

} // namespace holon
