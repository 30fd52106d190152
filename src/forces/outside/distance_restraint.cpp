#include "distance_restraint.hpp"

#include "function_types/rare_term.hpp"

#include <holon/core/portable_math.hpp>

#include <vector>

namespace holon::bonded {

void distance_restraint(const ScalarContext& context, const DistanceRestraint& restraint, const Parameters& parameters)
{
    std::vector<V3<double>> d;
    std::vector<double> per_r6;
    double sum = 0.0;
    for (const auto& [i, j] : restraint.pairs) {
        d.push_back(difference(context, i, j));
        const double per_r2 = 1.0 / dot(d.back(), d.back());
        per_r6.push_back(per_r2 * per_r2 * per_r2);
        sum += per_r6.back();
    }
    const double r = 1.0 / portable::root(sum, 6), k = restraint.factor * parameters.disre_fc;
    const auto& [pairs, low, up1, up2, factor] = restraint;
    const double beyond = r < low ? r - low : r <= up1 ? 0.0 : r <= up2 ? r - up1 : up2 - up1;
    if (beyond == 0.0) return;
    const double further = r > up2 ? r - up2 : 0.0, slope = k * beyond;
    if (context.sums != nullptr) context.sums->add(EnergyTerm::distance_restraint, slope * (0.5 * beyond + further));
    const bool equal = parameters.disre_weighting == RestraintWeighting::equal;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
        // dR/dr of a pair is R^7 r^-7.
        const double distance = length(d[p]);
        const double share = equal ? 1.0 : r * per_r6[p] / (sum * distance);
        add_force(context, pairs[p][0], pairs[p][1], central_force(d[p], distance, slope * share), d[p]);
    }
}

} // namespace holon::bonded
