#include <holon/core/index.hpp>
#include <holon/system/parameters.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

double CouplingGroup::temperature_at(double time) const
{
    const auto& [periodic, times, temperatures] = annealing;
    if (times.empty()) return temperature;
    if (periodic) time -= times.back() * std::floor(time / times.back());
    const auto after = index(std::ranges::upper_bound(times, time) - times.begin());
    if (after == 0) return temperatures.front();
    if (after == times.size()) return temperatures.back();
    const double part = (time - times[after - 1]) / (times[after] - times[after - 1]);
    return temperatures[after - 1] + part * (temperatures[after] - temperatures[after - 1]);
}

} // namespace holon
