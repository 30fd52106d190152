#include "force_table.hpp"

#include <holon/system/pair_list.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace holon::pair {

namespace {

std::uint32_t bits_of(double x)
{
    return std::bit_cast<std::uint32_t>(static_cast<float>(x));
}

double number_of(std::uint32_t bits)
{
    return static_cast<double>(std::bit_cast<float>(bits));
}

/// Writes the cubic polynomial that takes the values of f at four points of [begin, end]: both ends, and two between
/// that make the error of a smooth function the smallest.
template <class Function>
void interpolate(Function f, double begin, double end, float* coefficients)
{
    constexpr int n = 4;
    const double middle = 0.5 * (begin + end), half = 0.5 * (end - begin), inner = half * (std::sqrt(2.0) - 1.0);
    const double x[n] = {begin, middle - inner, middle + inner, end};
    double difference[n]; // divided ones, of Newton's form
    for (int k = 0; k < n; ++k) difference[k] = f(x[k]);
    for (int order = 1; order < n; ++order)
        for (int k = n - 1; k >= order; --k)
            difference[k] = (difference[k] - difference[k - 1]) / (x[k] - x[k - order]);
    double c[n] = {difference[n - 1], 0.0, 0.0, 0.0}; // multiplied out
    for (int k = n - 2; k >= 0; --k) {
        for (int p = n - 1; p > 0; --p) c[p] = c[p - 1] - x[k] * c[p];
        c[0] = difference[k] - x[k] * c[0];
    }
    // What rounding the others changes is nearly the same everywhere in the interval: the constant one makes up for it.
    for (int p = 1; p < n; ++p) coefficients[p] = static_cast<float>(c[p]);
    const auto missing = [&](double at) {
        double rest = 0.0;
        for (int p = n - 1; p > 0; --p) rest = (rest + static_cast<double>(coefficients[p])) * at;
        return f(at) - rest;
    };
    coefficients[0] = static_cast<float>(0.5 * (missing(begin) + missing(end)));
}

constexpr double unit2 = double{kernel_unit} * double{kernel_unit};
constexpr std::uint32_t interval = 1U << ForceTable::first_bit;

/// Bits of where the last interval of a table with this cutoff, squared [nm^2], begins, and its first.
std::uint32_t last_interval(double cutoff2)
{
    return bits_of(cutoff2 / unit2) / interval * interval;
}
std::uint32_t first_interval(double cutoff2)
{
    return last_interval(cutoff2) - (ForceTable::n_intervals - 1) * interval;
}

} // namespace

ForceTable::ForceTable(const Constants<double>& constants)
{
    const auto force = [&](double square) {
        const double r2 = square * unit2, rinv = 1.0 / std::sqrt(r2);
        return coulomb_force<Form::ewald>(r2, rinv, 1.0, constants) * (double{kernel_unit} * unit2 / double{scale});
    };
    const double end = constants.rc2_coulomb / unit2;
    const std::uint32_t first = first_interval(constants.rc2_coulomb), last = last_interval(constants.rc2_coulomb);
    begin = std::bit_cast<float>(first);
    for (std::uint32_t bits = first; bits < last; bits += interval)
        interpolate(force, number_of(bits), number_of(bits + interval), coefficients[bits / interval % n_intervals]);
    // What vanishes at the cutoff does so here, too: the last one ends there, unless it would become too narrow to be
    // rounded; it is as good as exact then.
    interpolate(force, number_of(last), std::max(end, number_of(last + interval / 2)),
                coefficients[last / interval % n_intervals]);
}

double ForceTable::shortest_distance(double cutoff)
{
    return std::sqrt(number_of(first_interval(cutoff * cutoff))) * kernel_unit;
}

} // namespace holon::pair
