#pragma once

#include <cstdint>

/// Spreading and gathering: one source, compiled once per instruction set, chosen when the program starts. All variants
/// do the same IEEE operations in the same order, so they give the same bits.
namespace holon::mesh {

/// Lanes of a row of window values: the width, filled up with zeros.
inline constexpr int narrow = 8, wide = 16;
inline constexpr int max_degree = 24;

/// Plain arrays only: nothing of the standard library may be instantiated with another instruction set's code.
/// Window polynomials: value[p * lanes + k] multiplies (f - 1/2)^p at point k; `slope` likewise, one degree less.
template <class Real>
struct WindowData {
    int width, degree;
    const Real* value;
    const Real* slope;
};

/// Atoms whose x and y weights are computed together. Arrays have room for a multiple of it.
inline constexpr int block = 16;

/// Where the atoms are: the first of an atom's grid points, as an index into the brick, and how far beyond it along
/// each axis, f - 1/2.
template <class Real>
struct Places {
    std::int64_t n_atoms;
    const std::int32_t* first;
    const Real* offset[3];
    const Real* charge;
};

/// Where on the grid positions of the canonical cell are: u_a = sum_(k >= a) to_grid[a][k] x_k + shift, as the integer
/// below (but for the last bits, which the offset makes up for) and as how far beyond it, less 1/2.
template <class Real>
struct Locate {
    std::int64_t n_atoms;
    const std::int64_t* x; // three of each
    double to_grid[3][3];
    double shift;
    std::int32_t* whole[3];
    Real* offset[3];
};

/// The part of the grid that this rank's atoms touch, z fastest. Rows have room for `lanes` values from any first
/// point.
struct BrickShape {
    std::int64_t stride_x, stride_y;
};

/// Adds each atom's charge, times the window, rounded to integers.
template <class Real, class Int>
struct SpreadData {
    WindowData<Real> window;
    Places<Real> places;
    BrickShape shape;
    Int* grid;
};

/// The gradient of the interpolated potential at each atom, times its charge, per grid spacing: gradient[a][i].
template <class Real>
struct GatherData {
    WindowData<Real> window;
    Places<Real> places;
    BrickShape shape;
    const Real* potential;
    Real* gradient[3];
};

/// Turns gradients into forces, f_k += sum_a to_force[k][a] gradient[a], rounded.
template <class Real>
struct ForceData {
    std::int64_t n_atoms;
    const Real* gradient[3];
    double to_force[3][3];
    std::int64_t* f; // per atom: x, y, z
};

#define HOLON_DECLARE(variant)                                                                                         \
    void locate_##variant(const Locate<float>&);                                                                       \
    void locate_##variant(const Locate<double>&);                                                                      \
    void spread_##variant(const SpreadData<float, std::int32_t>&);                                                     \
    void spread_##variant(const SpreadData<double, std::int64_t>&);                                                    \
    void gather_##variant(const GatherData<float>&);                                                                   \
    void gather_##variant(const GatherData<double>&);                                                                  \
    void add_forces_##variant(const ForceData<float>&);                                                                \
    void add_forces_##variant(const ForceData<double>&);
HOLON_DECLARE(baseline)
HOLON_DECLARE(v3)
HOLON_DECLARE(v4)
#undef HOLON_DECLARE

} // namespace holon::mesh
