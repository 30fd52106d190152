#pragma once

#include <holon/mesh/ewald_split.hpp>

#include <vector>

namespace holon {

/// What the split leaves to pairs, as polynomials in s = (r/rc)^2 - 1/2, in which the smooth part is entire:
///     F/r = K q q [r^-3 + G(s)],  V = K q q [r^-1 + E(s)],
/// E the exact integral of G, so that the force is the derivative of the energy whatever the error of the fit.
/// Coefficients by ascending power.
struct PairPolynomial {
    double cutoff = 0.0;        // rc [nm]
    std::vector<double> force;  // G [1/nm^3]
    std::vector<double> energy; // E [1/nm]

    double force_at(double r2) const;  // G [1/nm^3]
    double energy_at(double r2) const; // E [1/nm]
};

/// Least-squares fit of G with nearly uniform error of the force, from 0.1 rc to rc.
/// to_zero: V and F vanish at the cutoff exactly, so that no step heats the system when atoms cross it.
PairPolynomial fit_pair_polynomial(const EwaldSplit& split, double cutoff, int degree, bool to_zero);

/// The polynomial of lowest degree (at most `max_degree`) whose force errs nowhere from 0.1 rc to rc by more than
/// tolerance x K q q / rc^2, not counting what to_zero itself changes.
PairPolynomial fit_pair_polynomial_to(const EwaldSplit& split, double cutoff, double tolerance, int max_degree,
                                      bool to_zero);

} // namespace holon
