#include <holon/core/box.hpp>
#include <holon/core/error.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/core/index.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// Positions reach 2^15 nm either way; a box of a quarter of that leaves room for images and differences.
constexpr double max_extent = 8192.0;

/// Image counts of positions as far away as the lattice reaches stay below 2^31.
constexpr double min_extent = 1e-3;

/// Off-diagonal elements may exceed half a diagonal one by this factor: files give few digits.
constexpr double skew_margin = 1.001;

/// Of a box that changes, vectors are flipped a little earlier.
constexpr double flip_margin = 1.0005;

void check_vectors(const Mat3& box)
{
    const auto text = [&] {
        return fmt::format("a = ({:g}, {:g}, {:g}), b = ({:g}, {:g}, {:g}), c = ({:g}, {:g}, {:g}) nm", box(0, 0),
                           box(0, 1), box(0, 2), box(1, 0), box(1, 1), box(1, 2), box(2, 0), box(2, 1), box(2, 2));
    };
    if (!box.allFinite() || box.cwiseAbs().maxCoeff() > max_extent)
        throw InputError(fmt::format("The box {} is not usable: every component must be a number of at most {:g} nm. "
                                     "Check the last line of the coordinate file.",
                                     text(), max_extent));
    if (box(0, 1) != 0.0 || box(0, 2) != 0.0 || box(1, 2) != 0.0)
        throw InputError(fmt::format("The box {} is not lower triangular: a must lie along x and b in the xy plane. "
                                     "Rotate the system.",
                                     text()));
    if (!(box.diagonal().minCoeff() > 0.0))
        throw InputError(fmt::format("The box {} has no volume: ax, by and cz must be positive. Give a box in the last "
                                     "line of the coordinate file.",
                                     text()));
    for (int i = 1; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            if (std::abs(box(i, j)) > 0.5 * skew_margin * box(j, j))
                throw InputError(
                    fmt::format("The box {} is too skewed: |bx| and |cx| may be at most ax/2, |cy| at most "
                                "by/2. Add or subtract box vectors until they are.",
                                text()));
}

} // namespace

std::array<std::int32_t, 3> Box::reduce(Mat3& vectors, int lattice_bits)
{
    const double unit = std::ldexp(1.0, -lattice_bits);
    std::array<IVec3, 3> lattice;
    for (std::size_t k = 0; k < 3; ++k) lattice[k] = to_lattice(vectors.row(static_cast<int>(k)), unit);
    std::array<std::int32_t, 3> flips{};
    // Adds to row `of` as many rows `other` as bring its element there to half of the diagonal one or less.
    const auto flip = [&](int of, int other, std::int32_t& count) {
        if (std::abs(vectors(of, other)) <= 0.5 * flip_margin * vectors(other, other)) return;
        count = -static_cast<std::int32_t>(round_to_int(vectors(of, other) / vectors(other, other)));
        vectors.row(of) += count * vectors.row(other);
        lattice[index(of)] += std::int64_t{count} * lattice[index(other)];
    };
    flip(1, 0, flips[0]);
    flip(2, 1, flips[2]);
    flip(2, 0, flips[1]);
    // What is rounded and then added is in force, not what is added and then rounded.
    for (int i = 1; i < 3; ++i)
        for (int j = 0; j < i; ++j) {
            const auto in_force = lattice[index(i)][j];
            if (flips != std::array<std::int32_t, 3>{} && round_to_int(vectors(i, j) / unit) != in_force)
                vectors(i, j) = static_cast<double>(in_force) * unit;
        }
    return flips;
}

Box::Box(const Mat3& vectors, int lattice_bits) : lattice_bits_(lattice_bits), master_(vectors)
{
    HOLON_ASSERT(lattice_bits > 0 && lattice_bits <= position_bits, fmt::format("lattice_bits = {}", lattice_bits));
    check_vectors(vectors);
    const std::int64_t unit = std::int64_t{1} << (position_bits - lattice_bits);
    for (std::size_t k = 0; k < 3; ++k)
        vectors_[k] = unit * to_lattice(vectors.row(static_cast<int>(k)), std::ldexp(1.0, -lattice_bits));
    for (int k = 0; k < 3; ++k) {
        half_[k] = lattice_vector(k)[k] / 2;
        if (!(vectors(k, k) >= min_extent))
            throw InputError(fmt::format("The box is too thin: its diagonal element {} is {:g} nm. Give a larger box.",
                                         k + 1, vectors(k, k)));
    }
    const Mat3 h = this->vectors();
    orthorhombic_ = h.isDiagonal(0.0);
    // Inverse of the lower triangular matrix, element by element.
    for (int k = 0; k < 3; ++k) inverse_(k, k) = 1.0 / h(k, k);
    inverse_(1, 0) = -h(1, 0) * inverse_(0, 0) * inverse_(1, 1);
    inverse_(2, 1) = -h(2, 1) * inverse_(1, 1) * inverse_(2, 2);
    inverse_(2, 0) = -(h(2, 0) * inverse_(0, 0) + h(2, 1) * inverse_(1, 0)) * inverse_(2, 2);
}

Mat3 Box::vectors() const
{
    Mat3 rows;
    for (int k = 0; k < 3; ++k) rows.row(k) = to_real(lattice_vector(k), position_unit).transpose();
    return rows;
}

double Box::volume() const
{
    return vectors().diagonal().prod();
}

double Box::height(int k) const
{
    return 1.0 / inverse_.col(k).norm();
}

double Box::max_cutoff() const
{
    constexpr int reach = 3;
    const Mat3 h = vectors();
    // A combination with a coefficient n of vector k is at least n heights long, so that nothing beyond the reach
    // is shorter than this.
    double shortest = (reach + 1) * std::min({height(0), height(1), height(2)});
    for (int a = -reach; a <= reach; ++a)
        for (int b = -reach; b <= reach; ++b)
            for (int c = -reach; c <= reach; ++c)
                if (a != 0 || b != 0 || c != 0) shortest = std::min(shortest, (Vec3(a, b, c).transpose() * h).norm());
    return 0.5 * shortest;
}

Vec3 Box::fractional(const IVec3& x) const
{
    const Vec3 r = to_real(x, position_unit);
    return {r[0] * inverse_(0, 0) + r[1] * inverse_(1, 0) + r[2] * inverse_(2, 0),
            r[1] * inverse_(1, 1) + r[2] * inverse_(2, 1), r[2] * inverse_(2, 2)};
}

Image Box::wrap_outside(IVec3& x) const
{
    Image image = Image::Zero();
    // Far away from a flat and skewed cell, other components are out of range in between.
    std::array<int128, 3> y = {x[0], x[1], x[2]};
    for (int k = 2; k >= 0; --k) {
        const auto axis = index(k);
        const std::int64_t length = lattice_vector(k)[k];
        if (y[axis] >= 0 && y[axis] < length) continue;
        const int128 remainder = y[axis] % length;
        const int128 count = (y[axis] - remainder) / length - (remainder < 0 ? 1 : 0);
        for (int j = 0; j <= k; ++j) y[index(j)] -= count * lattice_vector(k)[j];
        image[k] = static_cast<std::int32_t>(count);
    }
    for (int j = 0; j < 3; ++j) x[j] = static_cast<std::int64_t>(y[index(j)]);
    return image;
}

IVec3 Box::shift(const Image& image) const
{
    IVec3 sum = IVec3::Zero();
    for (int k = 0; k < 3; ++k) sum += std::int64_t{image[k]} * lattice_vector(k);
    return sum;
}

} // namespace holon
