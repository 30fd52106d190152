#pragma once

#include <holon/core/box.hpp>
#include <holon/core/vec3.hpp>

#include "newton_kernel.hpp"
#include "newton_report.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

/// Constraints of four atoms to a plane in a leaf of Newton's tree; see PlaneConstraint. The condition is
/// e1.(e2 x e3) / sqrt(area) = 0, so that its gradient is about as long as a bond. Each has a place among the links of
/// its leaf, in which the kernel finds a link that moves nothing.
namespace holon::newton {

/// What the planes of a leaf have in common in all molecules of a type.
struct PlaneShape {
    struct Plane {
        std::int32_t place = 0;            // among the links
        std::array<std::int32_t, 4> atoms; // of the leaf
        std::array<double, 4> inverse_mass;
        double area;
    };
    /// One that takes part in an element of the matrix, by what it has at one atom.
    struct Side {
        std::int32_t number = 0; // of a plane, or place of a link
        std::int8_t atom = 0;    // of its four, or its two
        bool is_plane = false;
    };
    /// What an element gets from an atom that row and column share; one of them is a plane at least.
    struct Product {
        std::int32_t position = 0; // in the values
        Side row, column;
        double inverse_mass = 0.0;
    };
    std::vector<Plane> planes; // own ones first
    std::int32_t n_own = 0;
    std::vector<Product> products; // of own rows
};

/// Differences of x_j, x_k and x_l from x_i, or of velocities; gradients at i, j, k, l [nm].
using PlaneEdges = std::array<Vec3, 3>;
using PlaneGradient = std::array<Vec3, 4>;

/// The numbers of a stage.
struct PlaneNumbers {
    std::vector<PlaneGradient> reference, present;
    std::vector<PlaneEdges> edges; // trial
};

/// A stage of the planes of one leaf, beside what the kernel does to its links.
class LeafPlanes {
public:
    /// `first`: where the leaf's planes begin in the numbers.
    LeafPlanes(const PlaneShape& shape, PlaneNumbers& numbers, std::size_t first);

    bool empty() const { return shape_.planes.empty(); }

    /// From positions or velocities of the leaf's atoms. `box`: null for what has no periodic images.
    void start(const IVec3* reference, const IVec3* trial, const Box& box, bool velocities);

    /// Right side of own planes; `move`: four numbers for each of the leaf's atoms, null: nothing has moved. `scale`:
    /// of errors. `names`: of the constraint at each place.
    void set_right_side(const double* move, bool velocities, double scale, std::span<const std::int32_t> names,
                        std::span<double> rhs, Report& report) const;

    /// Adds the elements of own rows that planes take part in. `leaf`: after its rows are set.
    void add_rows(const Leaf& leaf, bool with_reference, std::span<double> values) const;

    /// Moves the leaf's atoms by a change of the multipliers.
    void update(std::span<const double> change, double* move) const;

    /// The largest error left in own planes, as of lengths or rates.
    double largest_error(const IVec3* trial, const Box& box, bool velocities) const;

private:
    PlaneEdges edges_of(const PlaneShape::Plane& plane, const IVec3* values, const Box* box, double unit) const;

    const PlaneShape& shape_;
    std::span<PlaneGradient> reference_, present_;
    std::span<PlaneEdges> edges_;
};

} // namespace holon::newton
