#include <holon/integrators/scheme.hpp>

#include <holon/core/error.hpp>

#include <algorithm>
#include <iterator>

namespace holon {

const Scheme& scheme_of(IntegratorKind kind)
{
    const auto* found = std::ranges::find(schemes, kind, &Scheme::kind);
    HOLON_ASSERT(found != std::end(schemes), "integrator without a scheme");
    return *found;
}

} // namespace holon
