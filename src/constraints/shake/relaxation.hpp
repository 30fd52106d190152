#pragma once

#include "lincs/lincs_shape.hpp"

#include <algorithm>
#include <cmath>

namespace holon {

/// The factor by which Gauss-Seidel corrections are best exaggerated, from the square of the spectral radius of the
/// Jacobi iteration, which is the largest eigenvalue of the Gauss-Seidel iteration.
/// D. M. Young, Trans. Am. Math. Soc. 76, 92 (1954). The theory holds for chains and is a good guide elsewhere.
inline double best_relaxation(double radius2)
{
    return radius2 < 1.0 ? 2.0 / (1.0 + std::sqrt(1.0 - radius2)) : 2.0;
}

/// That of a cluster at its ideal angles, in the same bits wherever it is computed: the LINCS matrix is that of the
/// Jacobi iteration.
double best_relaxation(const KnownAngles& angles, const MoleculeType& molecule, const ConstraintCluster& cluster);

/// By how much Gauss-Seidel corrections are best exaggerated, found out while they are made.
///
/// With the factor w, the slowest error that is left falls by q per sweep; q tells the largest eigenvalue r^2 of the
/// Gauss-Seidel iteration, (q + w - 1)^2 = w^2 r^2 q, and that the best factor. The factor only grows, as the slow
/// errors come out, and by at most half of the way to 2 at a time.
class Relaxation {
public:
    Relaxation() = default;

    double factor() const { return factor_; }

    /// Largest error met in a sweep with this factor. The same on all ranks: so is what follows from it.
    void note(double error)
    {
        const double gain = std::sqrt(error / before_last_); // per sweep, of the last two
        before_last_ = last_;
        last_ = error;
        if (++sweeps_ < sweeps_to_settle() || !(gain < 1.0)) return;
        const double sum = gain + factor_ - 1.0;
        const double radius2 = sum * sum / (factor_ * factor_ * gain);
        const double best = best_relaxation(radius2);
        if (best - factor_ < 0.02 * (2.0 - factor_)) return;
        factor_ = std::min(best, 0.5 * (factor_ + 2.0));
        sweeps_ = 0;
    }

private:
    /// Until what the change of the factor has stirred up has died down by a factor of 4, and four at least.
    int sweeps_to_settle() const
    {
        int sweeps = 1;
        for (double left = factor_ - 1.0; left > 0.25; left *= factor_ - 1.0) ++sweeps;
        return std::max(sweeps + 2, 4);
    }

    double factor_ = 1.0;
    double last_ = 0.0, before_last_ = 0.0;
    int sweeps_ = 0; // with this factor
};

} // namespace holon
