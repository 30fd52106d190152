#pragma once

#include <vector>

namespace holon {

/// The prolate spheroidal wave function of order zero and band c on [-1, 1], scaled to psi(0) = 1: of all functions
/// that vanish outside, the one whose Fourier transform is most concentrated in |k| <= c; and its transform is again
/// psi. D. Slepian, H. O. Pollak, Bell Syst. Tech. J. 40, 43 (1961). Evaluated by Legendre series, in double; for
/// set-up.
class Prolate {
public:
    explicit Prolate(double band);

    double band() const { return band_; }
    double value(double x) const;     // psi(x), |x| <= 1
    double slope(double x) const;     // psi'(x)
    double primitive(double x) const; // int_0^x psi
    double integral() const;          // int_0^1 psi
    double second_moment() const;     // int x^2 psi / int psi over [-1, 1]

    /// int_-1^1 psi(x) cos(k x) dx = 2 integral() psi(k / c) for |k| <= c.
    double transform(double k) const;

private:
    double band_;
    std::vector<double> coefficients_; // of P_0, P_2, P_4, ...
};

} // namespace holon
