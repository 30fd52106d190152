#pragma once

/// Elementary functions made of IEEE sums, products, quotients and roots in a fixed order. Those of the C library have
/// variants for processors, change from one version to the next, and compilers have their own for constants: what
/// reaches the trajectory is computed by these. Errors are in units of the last place of the result.
namespace holon::portable {

double exp(double x);   // within 1
double expm1(double x); // exp(x) - 1, within 4
double log(double x);   // within 1; -infinity at 0, NaN below

struct SineCosine {
    double sine, cosine;
};
/// Within 1 for |x| <= 10^6; beyond, x is taken modulo the double next to 2 pi. NaN of what is not finite.
SineCosine sine_cosine(double x);
double sin(double x);
double cos(double x);

/// Sine and cosine of 2 pi x, within 2; exact at multiples of a quarter. |x| < 2^49.
SineCosine sine_cosine_of_turns(double x);

double power(double x, int n); // x^n, rounded correctly but in one of 10^9 cases
double root(double x, int n);  // x^(1/n) likewise, of x >= 0 and n > 0

double erf(double x);  // within 4
double erfc(double x); // within 5, 16 below 1

} // namespace holon::portable
