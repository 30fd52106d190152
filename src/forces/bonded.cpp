#include "bonded_detail.hpp"

namespace holon {

BondedForce bonded_force(Interaction kind)
{
    static constexpr std::array<BondedForce, interaction_count> implementations = {
#define X(name, atoms, parameters) &bonded::name,
        HOLON_INTERACTIONS(X)
#undef X
    };
    return implementations[static_cast<std::size_t>(kind)];
}

} // namespace holon
