#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace holon {

/// Place of an element of a sparse matrix: row, column.
using Entry = std::pair<std::int32_t, std::int32_t>;

/// LU elimination without pivoting of some unknowns of a sparse matrix, planned once from the structure alone: order,
/// fill and the place of each number. What is left between the other unknowns is their Schur complement.
///
/// Pivots are taken in order of least degree, those of equal degree by number; the last ones, whose rows have filled
/// up, as one dense block. All arithmetic is element by element in the order of the plan: the same bits anywhere.
class Elimination {
public:
    Elimination() = default;

    /// Unknowns 0 to n_pivots - 1 are to be eliminated from n_unknowns. `entries`: elements that are not zero, each
    /// once. An element (i, j) of which i or j is a pivot needs its mirror image (j, i).
    Elimination(std::int32_t n_pivots, std::int32_t n_unknowns, const std::vector<Entry>& entries);

    /// Size of the array of values that the following work on.
    std::size_t n_values() const { return n_values_; }

    /// Index in the values of an element that was given, or of one between unknowns that stay.
    std::int32_t position(Entry entry) const;

    /// Elements between unknowns that stay, those that fill up included, in ascending order.
    const std::vector<Entry>& remaining() const { return remaining_; }

    /// Replaces the matrix by its factors and the Schur complement. Nothing is checked: see inverse_pivot().
    void factor(std::span<double> values) const;

    /// After factor(): one over the pivot of an unknown. Infinite, negative or NaN if the matrix is singular or worse.
    double inverse_pivot(std::span<const double> values, std::int32_t unknown) const
    {
        return values[static_cast<std::size_t>(diagonal_[static_cast<std::size_t>(unknown)])];
    }

    /// Takes the pivots out of the right side: what remains belongs to the Schur complement.
    void forward(std::span<const double> values, std::span<double> rhs) const;

    /// Turns the right side of the pivots into their solution, given that of the other unknowns.
    void backward(std::span<const double> values, std::span<double> rhs) const;

private:
    /// Sparse pivots one after another with n others each. In the values each has its diagonal, its row of U and its
    /// column of L.
    struct Run {
        std::int32_t n = 0, n_pivots = 0;
        std::size_t values = 0, pivots = 0, others = 0, targets = 0; // where those of the first one begin
    };

    class Planner;
    void factor_dense(std::span<double> values) const;

    std::size_t n_values_ = 0;
    std::vector<Run> runs_;
    std::vector<std::int32_t> pivots_;   // sparse ones in order: unknowns
    std::vector<std::int32_t> others_;   // of each sparse pivot: the unknowns after it that it is coupled to
    std::vector<std::int32_t> targets_;  // of each sparse pivot: positions of the elements that it changes, by row
    std::vector<std::int32_t> diagonal_; // per pivot unknown: position

    std::vector<std::int32_t> dense_; // unknowns of the dense block, its pivots first; empty: there is none
    std::int32_t dense_pivots_ = 0;
    std::size_t dense_begin_ = 0; // of its elements, row-major

    std::vector<Entry> remaining_;
    std::map<Entry, std::int32_t> position_;
};

} // namespace holon
