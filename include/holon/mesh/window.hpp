#pragma once

#include <holon/mesh/prolate.hpp>

#include <memory>
#include <vector>

namespace holon {

/// The function that carries charges to grid points and potentials back, along one axis; the product over three axes
/// is used. A point at u (in grid spacings) touches the `width` grid points g with |u + shift() - g| < width/2.
class Window {
public:
    virtual ~Window() = default;
    virtual int width() const = 0;
    virtual double shift() const { return 0.0; }

    virtual double value(double u) const = 0; // |u| <= width/2
    virtual double slope(double u) const = 0; // its derivative

    /// What spreading multiplies the mode m of a grid of n points with: to be divided out.
    virtual double transform(int m, int n) const = 0;
};

/// psi(2 u/width) - psi(1), psi the prolate function of this band. Lowered to zero at the edge because otherwise the
/// energy jumps whenever an atom's stencil moves on by a point, which no force accounts for.
class ProlateWindow final : public Window {
public:
    ProlateWindow(int width, double band);
    int width() const override { return width_; }
    double value(double u) const override;
    double slope(double u) const override;
    double transform(int m, int n) const override;

private:
    int width_;
    Prolate psi_;
    double edge_;
};

/// The B-spline of order `width`, with the grid as in smooth particle-mesh Ewald. U. Essmann et al., J. Chem. Phys.
/// 103, 8577 (1995), eqs. 3.5 and 4.4.
class SplineWindow final : public Window {
public:
    explicit SplineWindow(int order) : order_(order) {}
    int width() const override { return order_; }
    double shift() const override { return order_ % 2 == 0 ? 0.0 : -0.5; }
    double value(double u) const override;
    double slope(double u) const override;
    double transform(int m, int n) const override;

private:
    int order_;
};

/// A window in pieces: on the k-th of its points, counted upwards, a polynomial in the offset f - 1/2, f in [0, 1)
/// being how far the atom is beyond the first place for which these are its points.
class WindowPieces {
public:
    /// Fits until no piece errs by more than `tolerance` (window values are of order one).
    WindowPieces(const Window& window, double tolerance);

    int width() const { return width_; }
    int degree() const { return static_cast<int>(value_.size()) - 1; }
    double shift() const { return shift_; }

    /// Coefficients of power p (ascending): one per point, of the value or of the derivative with respect to u.
    const std::vector<double>& value(int p) const { return value_[static_cast<std::size_t>(p)]; }
    const std::vector<double>& slope(int p) const { return slope_[static_cast<std::size_t>(p)]; }

private:
    int width_;
    double shift_;
    std::vector<std::vector<double>> value_, slope_;
};

} // namespace holon
