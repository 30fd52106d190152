#pragma once

#include <holon/core/lattice.hpp>

#include <array>

namespace holon {

/// The periodic cell: three vectors a = (ax, 0, 0), b = (bx, by, 0), c = (cx, cy, cz), as in GROMACS, rounded to a
/// lattice on which a periodic shift of any atom is exact.
class Box {
public:
    Box() = default;

    /// `vectors`: rows a, b, c [nm]; they are rounded to multiples of 2^-lattice_bits nm. Throws InputError for a cell
    /// that is not lower triangular, has no volume or is too skewed (|bx| > ax/2 etc. beyond rounding).
    Box(const Mat3& vectors, int lattice_bits);

    /// The same lattice of points by vectors that are less skewed, where these are too skewed for the constructor:
    /// b + flips[0] a and c + flips[1] a + flips[2] b', exactly so in force; zeros, and nothing is changed, where they
    /// are not. `vectors`: rows, which become those of the result.
    static std::array<std::int32_t, 3> reduce(Mat3& vectors, int lattice_bits);

    /// Image counts of an atom by vectors that have been flipped by reduce(), for the same unwrapped position.
    static Image after_flips(const Image& image, const std::array<std::int32_t, 3>& flips)
    {
        return {image[0] - image[1] * flips[0] - image[2] * flips[1], image[1] - image[2] * flips[2], image[2]};
    }

    int lattice_bits() const { return lattice_bits_; }
    const Mat3& master() const { return master_; }                   // as given [nm]
    const IVec3& lattice_vector(int k) const { return vectors_[k]; } // in force [2^-48 nm]
    Mat3 vectors() const;                                            // in force, rows [nm]
    double volume() const;                                           // [nm^3]
    bool orthorhombic() const { return orthorhombic_; }

    /// Distance between the two faces that a, b, c (k = 0, 1, 2) connect [nm].
    double height(int k) const;

    /// The largest cutoff for which the minimum image is unique: half the shortest lattice vector [nm].
    double max_cutoff() const;

    /// Fractional coordinates of a point, not wrapped. The same bits for the same input anywhere.
    Vec3 fractional(const IVec3& x) const;

    /// Columns: the reciprocal vectors a*, b*, c* with a . a* = 1 [1/nm].
    const Mat3& inverse() const { return inverse_; }

    /// Moves x into the canonical cell and returns the number of box vectors taken off: x_old = x_new + image * box.
    /// Canonical: 0 <= z < cz, then 0 <= y < by, then 0 <= x < ax, in integers, so the result is unique.
    Image wrap(IVec3& x) const { return inside(x) ? Image(Image::Zero()) : wrap_outside(x); }

    IVec3 shift(const Image& image) const; // image * box [2^-48 nm]

    /// The image of the difference d nearest to zero, for |d| below half the cell's diagonal elements.
    IVec3 minimum_image(IVec3 d) const
    {
        for (int k = 2; k >= 0; --k) {
            while (d[k] > half_[k]) d -= vectors_[k];
            while (d[k] < -half_[k]) d += vectors_[k];
        }
        return d;
    }

    /// As above; `taken` counts the box vectors taken off: d_old = d_new + taken * box.
    IVec3 minimum_image(IVec3 d, Image& taken) const
    {
        taken = Image::Zero();
        for (int k = 2; k >= 0; --k) {
            for (; d[k] > half_[k]; d -= vectors_[k]) ++taken[k];
            for (; d[k] < -half_[k]; d += vectors_[k]) --taken[k];
        }
        return d;
    }

    /// Whether x is canonical.
    bool inside(const IVec3& x) const
    {
        return x[0] >= 0 && x[0] < vectors_[0][0] && x[1] >= 0 && x[1] < vectors_[1][1] && x[2] >= 0 &&
               x[2] < vectors_[2][2];
    }

private:
    Image wrap_outside(IVec3& x) const;

    int lattice_bits_ = position_bits;
    Mat3 master_ = Mat3::Zero();
    std::array<IVec3, 3> vectors_{IVec3::Zero(), IVec3::Zero(), IVec3::Zero()};
    IVec3 half_ = IVec3::Zero();
    Mat3 inverse_ = Mat3::Zero();
    bool orthorhombic_ = true;
};

} // namespace holon
