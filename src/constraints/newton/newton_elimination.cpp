#include "newton_elimination.hpp"

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

namespace holon {

namespace {

/// A dense block pays from this many pivots, and from this share of elements that are not zero.
constexpr std::size_t least_dense_pivots = 12;
constexpr double least_density = 0.7;

using Set = std::set<std::int32_t>;

/// The structure of a matrix of which unknowns are eliminated.
class Structure {
public:
    Structure(std::int32_t n_pivots, std::int32_t n_unknowns, const std::vector<Entry>& entries)
        : n_pivots_(n_pivots), neighbours_(index(n_unknowns))
    {
        for (const auto& [i, j] : entries) {
            if (i >= n_pivots && j >= n_pivots)
                remaining_.emplace(i, j);
            else if (i != j)
                neighbours_[index(i)].insert(j);
        }
    }

    /// The pivots, and for pivots all unknowns, still coupled to an unknown.
    const Set& neighbours(std::int32_t unknown) const { return neighbours_[index(unknown)]; }

    /// Eliminating a pivot couples all its neighbours, which are returned, to each other.
    std::vector<std::int32_t> eliminate(std::int32_t pivot)
    {
        std::vector<std::int32_t> around(neighbours(pivot).begin(), neighbours(pivot).end());
        for (const auto a : around) {
            auto& others = neighbours_[index(a)];
            others.erase(pivot);
            for (const auto b : around) {
                if (a >= n_pivots_ && b >= n_pivots_)
                    remaining_.emplace(a, b);
                else if (a != b)
                    others.insert(b);
            }
        }
        return around;
    }

    /// Elements between unknowns that stay.
    std::set<Entry>& remaining() { return remaining_; }

private:
    std::int32_t n_pivots_;
    std::vector<Set> neighbours_;
    std::set<Entry> remaining_;
};

/// Number of pivots at the end of the order that are best treated as a dense block. `after`: per pivot in order, the
/// unknowns that it is coupled to and that follow.
std::size_t dense_tail(const std::vector<std::int32_t>& order, const std::vector<std::vector<std::int32_t>>& after)
{
    Set block; // the pivots considered and all that they are coupled to
    std::size_t n_elements = 0, tail = 0;
    double n_full = 0.0;
    for (std::size_t n = 1; n <= order.size(); ++n) {
        const auto k = order.size() - n;
        block.insert(order[k]);
        block.insert(after[k].begin(), after[k].end());
        n_elements += after[k].size();
        n_full += static_cast<double>(block.size() - 1);
        if (n >= least_dense_pivots && static_cast<double>(n_elements) >= least_density * n_full) tail = n;
    }
    return tail;
}

} // namespace

std::vector<std::int32_t> elimination_order(std::int32_t n_pivots, std::int32_t n_unknowns,
                                            const std::vector<Entry>& entries)
{
    Structure structure(n_pivots, n_unknowns, entries);
    std::set<std::pair<std::size_t, std::int32_t>> queue;
    const auto degree = [&](std::int32_t k) { return std::pair(structure.neighbours(k).size(), k); };
    for (std::int32_t k = 0; k < n_pivots; ++k) queue.insert(degree(k));

    std::vector<std::int32_t> order;
    std::vector<std::vector<std::int32_t>> after;
    std::vector<std::pair<int, std::size_t>> kind(index(n_unknowns)); // longest chain of pivots before it; neighbours
    while (!queue.empty()) {
        const auto [n, pivot] = *queue.begin();
        queue.erase(queue.begin());
        kind[index(pivot)].second = n;
        for (const auto a : structure.neighbours(pivot)) {
            queue.erase(degree(a));
            kind[index(a)].first = std::max(kind[index(a)].first, kind[index(pivot)].first + 1);
        }
        order.push_back(pivot);
        after.push_back(structure.eliminate(pivot));
        for (const auto a : after.back())
            if (a < n_pivots) queue.insert(degree(a));
    }
    const auto sparse = std::span(order).first(order.size() - dense_tail(order, after));
    std::ranges::stable_sort(sparse, {}, [&](std::int32_t k) { return kind[index(k)]; });
    return order;
}

/// Builds an Elimination.
class Elimination::Planner {
public:
    Planner(Elimination& plan, std::int32_t n_pivots, std::int32_t n_unknowns, const std::vector<Entry>& entries)
        : plan_(plan), n_pivots_(n_pivots), structure_(n_pivots, n_unknowns, entries)
    {
        for (std::int32_t k = 0; k < n_pivots; ++k) after_.push_back(structure_.eliminate(k));
    }

    void run()
    {
        std::vector<std::int32_t> pivots(index(n_pivots_));
        std::iota(pivots.begin(), pivots.end(), 0);
        const auto n_sparse = n_pivots_ - static_cast<std::int32_t>(dense_tail(pivots, after_));
        plan_.diagonal_.resize(pivots.size());
        place_sparse(n_sparse);
        if (n_sparse < n_pivots_) place_dense(n_sparse);
        place_remaining();
        plan_.n_values_ = next_;
        find_targets(n_sparse);
    }

private:
    std::int32_t place(Entry entry)
    {
        const auto position = static_cast<std::int32_t>(next_++);
        plan_.position_.emplace(entry, position);
        return position;
    }

    void place_sparse(std::int32_t n_sparse)
    {
        auto& runs = plan_.runs_;
        std::int64_t n_targets = 0;
        for (std::int32_t k = 0; k < n_sparse; ++k) {
            const auto& others = after_[index(k)];
            const auto n = static_cast<std::int32_t>(others.size());
            if (runs.empty() || runs.back().n != n)
                runs.push_back({n, k, 0, static_cast<std::int64_t>(next_), std::ssize(plan_.others_), n_targets});
            ++runs.back().n_pivots;
            n_targets += n * n;
            plan_.diagonal_[index(k)] = place({k, k});
            for (const auto other : others) place({k, other});
            for (const auto other : others) place({other, k});
            plan_.others_.insert(plan_.others_.end(), others.begin(), others.end());
        }
    }

    void place_dense(std::int32_t n_sparse)
    {
        auto& dense = plan_.dense_;
        plan_.dense_pivots_ = n_pivots_ - n_sparse;
        Set staying;
        for (auto k = n_sparse; k < n_pivots_; ++k) {
            dense.push_back(k);
            for (const auto other : after_[index(k)])
                if (other >= n_pivots_) staying.insert(other);
        }
        dense.insert(dense.end(), staying.begin(), staying.end());
        plan_.dense_begin_ = next_;
        for (const auto i : dense)
            for (const auto j : dense) {
                const auto position = place({i, j});
                if (i == j && i < n_pivots_) plan_.diagonal_[index(i)] = position;
                if (i >= n_pivots_ && j >= n_pivots_) structure_.remaining().emplace(i, j);
            }
    }

    void place_remaining()
    {
        const auto& remaining = structure_.remaining();
        for (const auto& entry : remaining)
            if (!plan_.position_.contains(entry)) place(entry);
        plan_.remaining_.assign(remaining.begin(), remaining.end());
    }

    void find_targets(std::int32_t n_sparse)
    {
        for (std::int32_t k = 0; k < n_sparse; ++k)
            for (const auto i : after_[index(k)])
                for (const auto j : after_[index(k)]) plan_.targets_.push_back(plan_.position({i, j}));
    }

    Elimination& plan_;
    std::int32_t n_pivots_;
    Structure structure_;
    std::vector<std::vector<std::int32_t>> after_; // per pivot: unknowns that it is coupled to and that follow
    std::size_t next_ = 0;                         // position to be given out
};

Elimination::Elimination(std::int32_t n_pivots, std::int32_t n_unknowns, const std::vector<Entry>& entries)
{
    Planner(*this, n_pivots, n_unknowns, entries).run();
}

std::int32_t Elimination::position(Entry entry) const
{
    const auto found = position_.find(entry);
    HOLON_ASSERT(found != position_.end(), std::to_string(entry.first) + ", " + std::to_string(entry.second));
    return found->second;
}

elimination::Plan Elimination::sparse() const
{
    return {runs_.data(), std::ssize(runs_), others_.data(), targets_.data()};
}

elimination::Growth Elimination::factor(std::span<double> values, std::span<double> rhs, std::span<const double> scale,
                                        double limit) const
{
    auto all = HOLON_CALL(elimination::factor, sparse(), values.data(), rhs.data(), scale.data(), limit);
    if (dense_.empty()) return all;
    factor_dense(values);
    forward_dense(values, rhs);
    for (const auto k : std::span(dense_).first(index(dense_pivots_))) {
        const double growth = inverse_pivot(values, k) * scale[index(k)];
        all.largest = std::max(all.largest, growth);
        all.is_sound &= growth > 0.0 && growth < limit;
    }
    return all;
}

void Elimination::factor_dense(std::span<double> values) const
{
    using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto n = static_cast<Eigen::Index>(dense_.size());
    Eigen::Map<Matrix> block(values.data() + dense_begin_, n, n);
    for (Eigen::Index k = 0; k < dense_pivots_; ++k) {
        const auto rest = n - k - 1;
        block(k, k) = 1.0 / block(k, k);
        block.col(k).tail(rest) *= block(k, k);
        block.bottomRightCorner(rest, rest).noalias() -= block.col(k).tail(rest) * block.row(k).tail(rest);
    }
}

void Elimination::forward(std::span<const double> values, std::span<double> rhs) const
{
    HOLON_CALL(elimination::forward, sparse(), values.data(), rhs.data());
    forward_dense(values, rhs);
}

void Elimination::forward_dense(std::span<const double> values, std::span<double> rhs) const
{
    const auto n = dense_.size();
    for (std::size_t k = 0; k < index(dense_pivots_); ++k)
        for (std::size_t i = k + 1; i < n; ++i)
            rhs[index(dense_[i])] -= values[dense_begin_ + i * n + k] * rhs[index(dense_[k])];
}

void Elimination::backward(std::span<const double> values, std::span<double> rhs) const
{
    const auto n = dense_.size();
    for (auto k = index(dense_pivots_); k-- > 0;) {
        double b = rhs[index(dense_[k])];
        const double* const row = values.data() + dense_begin_ + k * n;
        for (std::size_t j = k + 1; j < n; ++j) b -= row[j] * rhs[index(dense_[j])];
        rhs[index(dense_[k])] = b * row[k];
    }
    HOLON_CALL(elimination::backward, sparse(), values.data(), rhs.data());
}

namespace {

/// A pivot of A = L U, with its row of U, its column of L, and elements of the inverse Z between the unknowns after it,
/// n of each: Z_pN = -U_pN Z_NN / u_pp, Z_Np = -Z_NN L_Np, Z_pp = (1 - U_pN Z_Np) / u_pp. In place of the factors.
class PivotInverse {
public:
    template <class Z>
    void apply(double& diagonal, std::span<double> u, std::span<double> l, Z z)
    {
        const auto n = u.size();
        row_.assign(n, 0.0);
        column_.assign(n, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j) {
                row_[j] -= u[i] * z(i, j);
                column_[i] -= z(i, j) * l[j];
            }
        double product = 0.0;
        for (std::size_t i = 0; i < n; ++i) product += u[i] * column_[i];
        for (std::size_t i = 0; i < n; ++i) u[i] = diagonal * row_[i];
        std::ranges::copy(column_, l.begin());
        diagonal *= 1.0 - product;
    }

private:
    std::vector<double> row_, column_;
};

} // namespace

void Elimination::invert(std::span<double> values) const
{
    if (!dense_.empty()) invert_dense(values);
    PivotInverse inverse;
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run) {
        const auto n = index(run->n);
        for (auto k = index(run->n_pivots); k-- > 0;) {
            const auto pivot = values.subspan(index(run->values) + k * (1 + 2 * n), 1 + 2 * n);
            const auto targets = std::span(targets_).subspan(index(run->targets) + k * n * n, n * n);
            inverse.apply(pivot.front(), pivot.subspan(1, n), pivot.subspan(1 + n, n),
                          [&](std::size_t i, std::size_t j) { return values[index(targets[i * n + j])]; });
        }
    }
}

void Elimination::invert_dense(std::span<double> values) const
{
    const auto n = dense_.size();
    const auto block = values.subspan(dense_begin_, n * n);
    PivotInverse inverse;
    std::vector<double> column(n);
    for (auto k = index(dense_pivots_); k-- > 0;) {
        const auto rest = n - k - 1;
        const auto l = std::span(column).first(rest);
        for (std::size_t i = 0; i < rest; ++i) l[i] = block[(k + 1 + i) * n + k];
        inverse.apply(block[k * n + k], block.subspan(k * n + k + 1, rest), l,
                      [&](std::size_t i, std::size_t j) { return block[(k + 1 + i) * n + k + 1 + j]; });
        for (std::size_t i = 0; i < rest; ++i) block[(k + 1 + i) * n + k] = l[i];
    }
}

} // namespace holon
