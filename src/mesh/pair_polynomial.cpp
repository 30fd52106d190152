#include <holon/mesh/pair_polynomial.hpp>

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace holon {

namespace {

constexpr int n_nodes = 400;
constexpr double t_min = 0.01; // (r/rc)^2 of the nearest atoms that interact

double horner(const std::vector<double>& coefficients, double s)
{
    double sum = 0.0;
    for (auto c = coefficients.rbegin(); c != coefficients.rend(); ++c) sum = sum * s + *c;
    return sum;
}

/// sum_k a_k T_k(2 s) by powers of s.
std::vector<double> to_powers(const Eigen::VectorXd& chebyshev)
{
    const auto n = static_cast<std::size_t>(chebyshev.size());
    std::vector<double> below(n, 0.0), here(n, 0.0), sum(n, 0.0);
    here[0] = 1.0;
    for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t i = 0; i < n; ++i) sum[i] += chebyshev[static_cast<Eigen::Index>(k)] * here[i];
        std::vector<double> above(n, 0.0); // T_{k+1} = 2 u T_k - T_{k-1}, T_1 = u, u = 2 s
        for (std::size_t i = 0; i < n; ++i) {
            if (i + 1 < n) above[i + 1] += (k == 0 ? 2.0 : 4.0) * here[i];
            above[i] -= below[i];
        }
        below = here;
        here = above;
    }
    return sum;
}

/// G rc^3 as a function of t = (r/rc)^2.
double scaled_force(const EwaldSplit& split, double cutoff, double t)
{
    return -split.smooth_force(std::sqrt(t) * cutoff) * cutoff * cutoff * cutoff;
}

double node(int i)
{
    return 0.5 * (1.0 + t_min) + 0.5 * (1.0 - t_min) * portable::cos(units::pi * (i + 0.5) / n_nodes);
}

} // namespace

double PairPolynomial::force_at(double r2) const
{
    return horner(force, r2 / (cutoff * cutoff) - 0.5);
}

double PairPolynomial::energy_at(double r2) const
{
    return horner(energy, r2 / (cutoff * cutoff) - 0.5);
}

namespace {

/// G rc^3 at the nodes.
std::vector<double> scaled_forces(const EwaldSplit& split, double cutoff)
{
    std::vector<double> exact;
    for (int i = 0; i < n_nodes; ++i) exact.push_back(scaled_force(split, cutoff, node(i)));
    return exact;
}

PairPolynomial fit(const EwaldSplit& split, double cutoff, const std::vector<double>& exact, int degree, bool to_zero)
{
    // to_zero: G = -1 + (1 - t) H, and H is fitted with one degree less.
    const int unknowns = to_zero ? degree : degree + 1;
    Eigen::MatrixXd matrix(n_nodes, unknowns);
    Eigen::VectorXd right(n_nodes);
    for (int i = 0; i < n_nodes; ++i) {
        const double t = node(i), force = exact[static_cast<std::size_t>(i)];
        const double weight =
            std::sqrt(std::sqrt(t)); // the error of the force is sqrt(t) times that of G; near 0 relaxed
        const double factor = to_zero ? 1.0 - t : 1.0;
        double below = 2.0 * t - 1.0, here = 1.0; // T_{k-1}(2 t - 1), T_k
        for (int k = 0; k < unknowns; ++k) {
            matrix(i, k) = weight * factor * here;
            const double above = 2.0 * (2.0 * t - 1.0) * here - below;
            below = here;
            here = above;
        }
        right[i] = weight * (to_zero ? force + 1.0 : force);
    }
    auto g = to_powers(matrix.householderQr().solve(right));
    if (to_zero) { // 1 - t = 1/2 - s
        g.push_back(0.0);
        for (std::size_t k = g.size(); k-- > 0;) g[k] = 0.5 * g[k] - (k > 0 ? g[k - 1] : 0.0);
        g[0] -= 1.0;
    }

    PairPolynomial result;
    result.cutoff = cutoff;
    result.energy.assign(g.size() + 1, 0.0); // dE/ds = -G/2
    for (std::size_t k = 0; k < g.size(); ++k) result.energy[k + 1] = -0.5 * g[k] / static_cast<double>(k + 1);
    const double at_cutoff = to_zero ? -1.0 : -split.smooth(cutoff) * cutoff;
    result.energy[0] = at_cutoff - horner(result.energy, 0.5);
    for (double& e : result.energy) e /= cutoff;
    for (double& c : g) result.force.push_back(c / (cutoff * cutoff * cutoff));
    return result;
}

} // namespace

PairPolynomial fit_pair_polynomial(const EwaldSplit& split, double cutoff, int degree, bool to_zero)
{
    return fit(split, cutoff, scaled_forces(split, cutoff), degree, to_zero);
}

PairPolynomial fit_pair_polynomial_to(const EwaldSplit& split, double cutoff, double tolerance, int max_degree,
                                      bool to_zero)
{
    const auto exact = scaled_forces(split, cutoff);
    for (int degree = 3;; ++degree) {
        const auto free = fit(split, cutoff, exact, degree, false);
        double error = 0.0;
        for (int i = 0; i < n_nodes; ++i) {
            const double t = node(i);
            const double fitted = free.force_at(t * cutoff * cutoff) * cutoff * cutoff * cutoff;
            error = std::max(error, std::sqrt(t) * std::abs(fitted - exact[static_cast<std::size_t>(i)]));
        }
        if (error <= tolerance || degree >= max_degree) return to_zero ? fit(split, cutoff, exact, degree, true) : free;
    }
}

} // namespace holon
