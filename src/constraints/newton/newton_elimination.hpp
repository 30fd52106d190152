#pragma once

#include <holon/core/index.hpp>

#include "elimination_kernel.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace holon {

/// Place of an element of a sparse matrix: row, column.
using Entry = std::pair<std::int32_t, std::int32_t>;

/// An order of the pivots 0 to n_pivots - 1 that fills the matrix little: least degree first, those of equal degree by
/// number. Of those that need not wait for each other, the ones with as many neighbours come one after another, so that
/// a processor has several under way. Arguments as of Elimination.
std::vector<std::int32_t> elimination_order(std::int32_t n_pivots, std::int32_t n_unknowns,
                                            const std::vector<Entry>& entries);

/// LU elimination without pivoting of some unknowns of a sparse matrix, planned once from the structure alone: fill and
/// the place of each number. What is left between the other unknowns is their Schur complement.
///
/// Pivots are taken by number; the last ones, whose rows have filled up, as one dense block. All arithmetic is element
/// by element in the order of the plan: the same bits anywhere.
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

    /// Replaces the matrix by its factors and the Schur complement, whatever the pivots, and takes the pivots out of
    /// the right side: what remains belongs to the Schur complement. Returns what the inverse pivots have grown to, in
    /// units of `scale`, a number for each pivot; `limit`: what is sound.
    elimination::Growth factor(std::span<double> values, std::span<double> rhs, std::span<const double> scale,
                               double limit) const;

    /// After factor(): one over the pivot of an unknown. Infinite, negative or NaN if the matrix is singular or worse.
    double inverse_pivot(std::span<const double> values, std::int32_t unknown) const
    {
        return values[index(diagonal_[index(unknown)])];
    }

    /// Takes the pivots out of another right side.
    void forward(std::span<const double> values, std::span<double> rhs) const;

    /// Turns the right side of the pivots into their solution, given that of the other unknowns.
    void backward(std::span<const double> values, std::span<double> rhs) const;

    /// After factor(), and with elements of the inverse of the whole matrix in the places of those between unknowns
    /// that stay: replaces the factors, too, by elements of the inverse.
    void invert(std::span<double> values) const;

private:
    class Planner;
    elimination::Plan sparse() const;
    void factor_dense(std::span<double> values) const;
    void forward_dense(std::span<const double> values, std::span<double> rhs) const;
    void invert_dense(std::span<double> values) const;

    std::size_t n_values_ = 0;
    std::vector<elimination::Run> runs_; // sparse pivots
    std::vector<std::int32_t> others_, targets_;
    std::vector<std::int32_t> diagonal_; // per pivot: position

    std::vector<std::int32_t> dense_; // unknowns of the dense block, its pivots first; empty: there is none
    std::int32_t dense_pivots_ = 0;
    std::size_t dense_begin_ = 0; // of its elements, row-major

    std::vector<Entry> remaining_;
    std::map<Entry, std::int32_t> position_;
};

} // namespace holon
