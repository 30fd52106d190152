#include "distance_restraint.hpp"

#include "function_types/rare_term.hpp"

#include <holon/core/portable_math.hpp>

#include <algorithm>
#include <vector>

namespace holon::bonded {

namespace {

/// Of the distance R that several make, R^-6 being the sum of their r^-6.
struct Joint {
    double sum = 0.0; // of r^-6
    double distance = 0.0;
    double violation = 0.0; // of the bounds, towards which side

    Joint(const std::vector<double>& per_r3, const DistanceRestraint& restraint)
    {
        for (const double x : per_r3) sum += x * x;
        distance = 1.0 / portable::root(sum, 6);
        if (distance < restraint.low) violation = distance - restraint.low;
        if (distance > restraint.up1) violation = distance - restraint.up1;
    }

    /// dR/dr of a pair, which is R^7 r^-7.
    double share(double per_r3) const
    {
        const double per_r = portable::root(per_r3, 3);
        return distance / sum * per_r3 * per_r3 * per_r;
    }
};

/// On each pair, dV/dr.
std::vector<double> slopes(const DistanceRestraint& restraint, const Parameters& parameters, double k,
                           const std::vector<double>& present, const std::vector<double>& averaged)
{
    const Joint past(averaged, restraint), now(present, restraint);
    const std::size_t n = present.size();
    const bool mixed = parameters.disre_mixed && restraint.averaged && parameters.disre_tau > 0.0;
    double violation = past.violation;
    if (mixed) {
        const double product = past.violation * now.violation, mean = product > 0.0 ? square_root(product) : 0.0;
        violation = past.violation < 0.0 ? -mean : mean;
    }
    const bool equal = parameters.disre_weighting == RestraintWeighting::equal && restraint.averaged;
    const double most = restraint.up2 - restraint.up1, per_pair = 1.0 / static_cast<double>(n);
    std::vector<double> result(n, 0.0);
    if (violation == 0.0) return result;
    for (std::size_t p = 0; p < n; ++p) {
        if (equal || n == 1) {
            result[p] = k * std::min(per_pair * violation, most);
        } else if (mixed) {
            const double both = past.violation * past.share(averaged[p]) + now.violation * now.share(present[p]);
            result[p] = k * std::min(violation, most) / (2.0 * violation) * both;
        } else {
            result[p] = k * std::min(violation, most) * past.share(averaged[p]);
        }
    }
    return result;
}

double energy(const DistanceRestraint& restraint, double k, const std::vector<double>& averaged)
{
    const double violation = Joint(averaged, restraint).violation, most = restraint.up2 - restraint.up1;
    return violation <= most ? 0.5 * k * violation * violation : k * most * (violation - 0.5 * most);
}

} // namespace

void distance_restraints(const ScalarContext& context, std::span<const DistanceRestraint> restraints,
                         const Parameters& parameters, DistanceAverages& averages)
{
    std::size_t pair = 0;
    for (const auto& restraint : restraints) {
        std::vector<V3<double>> d;
        std::vector<double> present, averaged;
        for (const auto& [i, j] : restraint.pairs) {
            d.push_back(difference(context, i, j));
            const double per_r = inverse(length(d.back()));
            present.push_back(per_r * per_r * per_r);
            const double average = averages.add(pair++, present.back());
            averaged.push_back(restraint.averaged ? average : present.back());
        }
        const double k = restraint.factor * parameters.disre_fc * averages.ramp();
        if (context.sums != nullptr) context.sums->add(EnergyTerm::distance_restraint, energy(restraint, k, averaged));
        const auto slope = slopes(restraint, parameters, k, present, averaged);
        for (std::size_t p = 0; p < d.size(); ++p) {
            const auto& [i, j] = restraint.pairs[p];
            add_force(context, i, j, central_force(d[p], length(d[p]), slope[p]), d[p]);
        }
    }
}

} // namespace holon::bonded
