#include <holon/mesh/prolate.hpp>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace holon {

namespace {

/// Calls use(j, P_k(x), P_k'(x), int_0^x P_k) for k = 2 j, j < n. Recurrences: NIST DLMF 14.10, 18.9.
template <class Use>
void for_each_even_legendre(double x, std::size_t n, Use use)
{
    double below = 0.0, here = 1.0; // P_{k-1}, P_k
    double slope_below = 0.0, slope = 0.0;
    for (std::size_t k = 0; k < 2 * n; ++k) {
        const auto degree = static_cast<double>(k);
        const double above = ((2.0 * degree + 1.0) * x * here - degree * below) / (degree + 1.0);
        const double primitive = k == 0 ? x : (above - below) / (2.0 * degree + 1.0);
        if (k % 2 == 0) use(k / 2, here, slope, primitive);
        const double slope_above = slope_below + (2.0 * degree + 1.0) * here;
        below = here;
        here = above;
        slope_below = slope;
        slope = slope_above;
    }
}

} // namespace

/// The coefficients are the eigenvector of the smallest eigenvalue of the prolate differential operator in normalised
/// even Legendre polynomials: H. Xiao, V. Rokhlin, N. Yarvin, Inverse Problems 17, 805 (2001), eq. 62.
Prolate::Prolate(double band) : band_(band)
{
    const auto n = static_cast<Eigen::Index>(30.0 + 0.8 * band);
    Eigen::VectorXd diagonal(n), off(n - 1);
    const double c2 = band * band;
    for (Eigen::Index j = 0; j < n; ++j) {
        const double k = 2.0 * static_cast<double>(j);
        diagonal[j] = k * (k + 1) + c2 * (2 * k * (k + 1) - 1) / ((2 * k + 3) * (2 * k - 1));
        if (j + 1 < n) off[j] = c2 * (k + 1) * (k + 2) / ((2 * k + 3) * std::sqrt((2 * k + 1) * (2 * k + 5)));
    }
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    solver.computeFromTridiagonal(diagonal, off);
    coefficients_.resize(static_cast<std::size_t>(n));
    for (Eigen::Index j = 0; j < n; ++j)
        coefficients_[static_cast<std::size_t>(j)] =
            solver.eigenvectors()(j, 0) * std::sqrt(2.0 * static_cast<double>(j) + 0.5);
    const double at_zero = value(0.0);
    for (double& b : coefficients_) b /= at_zero;
}

double Prolate::value(double x) const
{
    double sum = 0.0;
    for_each_even_legendre(x, coefficients_.size(),
                           [&](std::size_t j, double p, double, double) { sum += coefficients_[j] * p; });
    return sum;
}

double Prolate::slope(double x) const
{
    double sum = 0.0;
    for_each_even_legendre(x, coefficients_.size(),
                           [&](std::size_t j, double, double slope, double) { sum += coefficients_[j] * slope; });
    return sum;
}

double Prolate::primitive(double x) const
{
    double sum = 0.0;
    for_each_even_legendre(x, coefficients_.size(), [&](std::size_t j, double, double, double primitive) {
        sum += coefficients_[j] * primitive;
    });
    return sum;
}

double Prolate::integral() const
{
    return coefficients_[0];
}

double Prolate::second_moment() const
{
    // x^2 = (2 P_2 + P_0) / 3
    return (0.4 * coefficients_[1] + coefficients_[0]) / (3.0 * coefficients_[0]);
}

double Prolate::transform(double k) const
{
    return 2.0 * integral() * value(k / band_);
}

} // namespace holon
