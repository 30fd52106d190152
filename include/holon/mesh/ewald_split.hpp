#pragma once

#include <holon/mesh/prolate.hpp>

#include <limits>
#include <memory>
#include <vector>

namespace holon {

/// How 1/r is divided: a smooth part Phi(r)/r, whose Fourier transform 4 pi / k^2 chi(k) the mesh sums, and the rest,
/// (1 - Phi(r))/r, summed over pairs within the cutoff.
class EwaldSplit {
public:
    virtual ~EwaldSplit() = default;

    virtual double smooth(double r) const = 0;          // Phi(r)/r [1/nm]; finite at 0
    virtual double smooth_force(double r) const = 0;    // -1/r d/dr (Phi(r)/r) [1/nm^3]: force over distance
    virtual double transform(double k) const = 0;       // chi(k), k in 1/nm; chi(0) = 1
    virtual double transform_slope(double k) const = 0; // k chi'(k) / chi(k), where chi is not zero
    /// Both at once, to the last bit.
    struct Transform {
        double value, slope;
    };
    virtual Transform transform_and_slope(double k) const { return {transform(k), transform_slope(k)}; }
    virtual double k_max() const { return std::numeric_limits<double>::infinity(); } // chi vanishes beyond [1/nm]

    /// What a uniform background that neutralises the net charge Q costs: energy -pi K Q^2 background / V [nm^2].
    virtual double background() const = 0;
};

/// The split of least bandwidth: Phi' is the prolate function of band c on [-rc, rc], so that the smooth part is 1/r
/// exactly beyond rc and its transform stops at k = c/rc but for a relative error near 0.4 psi(1)/integral.
/// J. Liang, L. Lu, S. Jiang et al., arXiv:2505.09727.
///
/// Made at once; where many values of the transform are wanted, take ProlateSplit.
class PlainProlateSplit : public EwaldSplit {
public:
    PlainProlateSplit(double cutoff, double band) : cutoff_(cutoff), psi_(band) {}
    const Prolate& psi() const { return psi_; }

    double smooth(double r) const override;
    double smooth_force(double r) const override;
    double transform(double k) const override;
    double transform_slope(double k) const override;
    double k_max() const override { return psi_.band() / cutoff_; }
    double background() const override { return cutoff_ * cutoff_ * psi_.second_moment(); }

private:
    double cutoff_;
    Prolate psi_;
};

/// The same with a table of the transform, whose making takes a hundred times as long as a few values.
class ProlateSplit final : public PlainProlateSplit {
public:
    ProlateSplit(double cutoff, double band);

    double transform(double k) const override { return transform_and_slope(k).value; }
    double transform_slope(double k) const override { return transform_and_slope(k).slope; }
    Transform transform_and_slope(double k) const override;

private:
    struct Node {
        double value, slope; // of psi, per interval
    };
    Node transform_at(double at) const;
    std::vector<Node> transform_; // psi at equal distances over [0, 1]: cubic between, to 1e-13
};

/// Ewald's own: Phi(r) = erf(beta r). P. P. Ewald, Ann. Phys. 369, 253 (1921).
class GaussianSplit final : public EwaldSplit {
public:
    explicit GaussianSplit(double beta) : beta_(beta) {}
    double beta() const { return beta_; }

    /// The beta [1/nm] for which erfc(beta cutoff) = tolerance.
    static double beta_for(double cutoff, double tolerance);

    double smooth(double r) const override;
    double smooth_force(double r) const override;
    double transform(double k) const override;
    double transform_slope(double k) const override;
    double background() const override { return 0.5 / (beta_ * beta_); }

private:
    double beta_;
};

} // namespace holon
