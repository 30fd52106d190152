#include <holon/forces/distance_averages.hpp>

#include <holon/core/error.hpp>
#include <holon/core/portable_math.hpp>

#include <algorithm>

namespace holon {

DistanceAverages::DistanceAverages(double tau, double dt) : decay_(tau > 0.0 ? portable::exp(-dt / tau) : 0.0) {}

void DistanceAverages::declare(State& state, std::size_t pairs)
{
    if (!any() || pairs == 0) return;
    std::vector<double> start(1 + pairs, 0.0);
    start.front() = 1.0;
    past_ = state.declare({.name = "distance-averages", .values = std::move(start)});
    present_.assign(pairs, 0.0);
}

void DistanceAverages::advance()
{
    if (past_.empty()) return;
    past_.front() = weight();
    std::ranges::copy(present_, past_.begin() + 1);
}

double DistanceAverages::add(std::size_t pair, double per_r3)
{
    if (!any()) return per_r3;
    HOLON_ASSERT(!past_.empty(), "averages that are no part of the state");
    const double sum = (decay_ - weight()) * past_[1 + pair] + (1.0 - decay_) * per_r3;
    return present_[pair] = sum / (1.0 - weight());
}

} // namespace holon
