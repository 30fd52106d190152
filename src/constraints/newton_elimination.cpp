#include "newton_elimination.hpp"

#include <holon/core/error.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <set>
#include <string>
#include <type_traits>

namespace holon {

namespace {

/// A dense block pays from this many pivots, and from this share of elements that are not zero.
constexpr std::size_t least_dense_pivots = 12;
constexpr double least_density = 0.7;

std::size_t index(std::int32_t k)
{
    return static_cast<std::size_t>(k);
}

/// Calls f(n), with n known to the compiler if it is one of the numbers that most pivots have.
template <class F>
void with_size(std::int32_t n, F f)
{
    switch (n) {
    case 0:
        return f(std::integral_constant<int, 0>());
    case 1:
        return f(std::integral_constant<int, 1>());
    case 2:
        return f(std::integral_constant<int, 2>());
    case 3:
        return f(std::integral_constant<int, 3>());
    case 4:
        return f(std::integral_constant<int, 4>());
    case 5:
        return f(std::integral_constant<int, 5>());
    case 6:
        return f(std::integral_constant<int, 6>());
    default:
        return f(n);
    }
}

} // namespace

/// Builds an Elimination.
class Elimination::Planner {
public:
    Planner(Elimination& plan, std::int32_t n_pivots, std::int32_t n_unknowns, const std::vector<Entry>& entries)
        : plan_(plan), n_pivots_(n_pivots), neighbours_(index(n_unknowns))
    {
        for (const auto& [i, j] : entries) {
            if (i >= n_pivots && j >= n_pivots)
                remaining_.emplace(i, j);
            else if (i != j)
                neighbours_[index(i)].insert(j);
        }
    }

    void run()
    {
        order_pivots();
        const auto n_dense = dense_tail();
        const auto n_sparse = order_.size() - n_dense;
        sort_sparse(n_sparse);
        plan_.diagonal_.resize(index(n_pivots_));
        place_sparse(n_sparse);
        place_dense(n_sparse);
        place_remaining();
        plan_.n_values_ = next_;
        find_targets(n_sparse);
    }

private:
    using Set = std::set<std::int32_t>;

    /// Least degree first. Eliminating an unknown couples all its neighbours to each other.
    void order_pivots()
    {
        std::set<std::pair<std::size_t, std::int32_t>> queue;
        for (std::int32_t k = 0; k < n_pivots_; ++k) queue.emplace(neighbours_[index(k)].size(), k);
        while (!queue.empty()) {
            const auto pivot = queue.begin()->second;
            queue.erase(queue.begin());
            order_.push_back(pivot);
            const auto& around =
                after_.emplace_back(neighbours_[index(pivot)].begin(), neighbours_[index(pivot)].end());
            for (const auto a : around) {
                auto& others = neighbours_[index(a)];
                if (a < n_pivots_) queue.erase({others.size(), a});
                others.erase(pivot);
                for (const auto b : around) {
                    if (a >= n_pivots_ && b >= n_pivots_)
                        remaining_.emplace(a, b);
                    else if (a != b)
                        others.insert(b);
                }
                if (a < n_pivots_) queue.emplace(others.size(), a);
            }
        }
    }

    /// Number of pivots at the end of the order that are best treated as a dense block.
    std::size_t dense_tail() const
    {
        Set block; // the pivots considered and all that they are coupled to
        std::size_t n_elements = 0, tail = 0;
        double n_full = 0.0;
        for (std::size_t n = 1; n <= order_.size(); ++n) {
            const auto k = order_.size() - n;
            block.insert(order_[k]);
            block.insert(after_[k].begin(), after_[k].end());
            n_elements += after_[k].size();
            n_full += static_cast<double>(block.size() - 1);
            if (n >= least_dense_pivots && static_cast<double>(n_elements) >= least_density * n_full) tail = n;
        }
        return tail;
    }

    /// Pivots that do not need each other one after another, so that the processor has several under way, and those
    /// of a kind together. What waits for what stays as it is, and so does the fill.
    void sort_sparse(std::size_t n_sparse)
    {
        std::vector<std::int32_t> level(neighbours_.size()); // per unknown: length of the chain of pivots before it
        std::vector<std::size_t> sorted(n_sparse);
        for (std::size_t k = 0; k < n_sparse; ++k) {
            sorted[k] = k;
            for (const auto other : after_[k])
                level[index(other)] = std::max(level[index(other)], level[index(order_[k])] + 1);
        }
        std::ranges::stable_sort(sorted, {},
                                 [&](std::size_t k) { return std::pair(level[index(order_[k])], after_[k].size()); });
        const auto order = order_;
        const auto after = after_;
        for (std::size_t k = 0; k < n_sparse; ++k) {
            order_[k] = order[sorted[k]];
            after_[k] = after[sorted[k]];
        }
    }

    std::int32_t place(Entry entry)
    {
        const auto position = static_cast<std::int32_t>(next_++);
        plan_.position_.emplace(entry, position);
        return position;
    }

    void place_sparse(std::size_t n_sparse)
    {
        for (std::size_t k = 0; k < n_sparse; ++k) {
            const auto unknown = order_[k];
            const auto& others = after_[k];
            const auto n = static_cast<std::int32_t>(others.size());
            if (plan_.runs_.empty() || plan_.runs_.back().n != n)
                plan_.runs_.push_back({n, 0, next_, plan_.pivots_.size(), plan_.others_.size(), plan_.targets_.size()});
            ++plan_.runs_.back().n_pivots;
            plan_.pivots_.push_back(unknown);
            plan_.diagonal_[index(unknown)] = place({unknown, unknown});
            for (const auto other : others) place({unknown, other});
            for (const auto other : others) place({other, unknown});
            plan_.others_.insert(plan_.others_.end(), others.begin(), others.end());
            plan_.targets_.resize(plan_.targets_.size() + others.size() * others.size());
        }
    }

    void place_dense(std::size_t n_sparse)
    {
        if (n_sparse == order_.size()) return;
        auto& dense = plan_.dense_;
        dense.assign(order_.begin() + static_cast<std::ptrdiff_t>(n_sparse), order_.end());
        plan_.dense_pivots_ = static_cast<std::int32_t>(dense.size());
        Set staying;
        for (std::size_t k = n_sparse; k < order_.size(); ++k)
            for (const auto other : after_[k])
                if (other >= n_pivots_) staying.insert(other);
        dense.insert(dense.end(), staying.begin(), staying.end());
        plan_.dense_begin_ = next_;
        for (const auto i : dense)
            for (const auto j : dense) {
                const auto position = place({i, j});
                if (i == j && i < n_pivots_) plan_.diagonal_[index(i)] = position;
                if (i >= n_pivots_ && j >= n_pivots_) remaining_.emplace(i, j);
            }
    }

    void place_remaining()
    {
        for (const auto& entry : remaining_)
            if (!plan_.position_.contains(entry)) place(entry);
        plan_.remaining_.assign(remaining_.begin(), remaining_.end());
    }

    void find_targets(std::size_t n_sparse)
    {
        auto target = plan_.targets_.begin();
        for (std::size_t k = 0; k < n_sparse; ++k)
            for (const auto i : after_[k])
                for (const auto j : after_[k]) *target++ = plan_.position({i, j});
    }

    Elimination& plan_;
    std::int32_t n_pivots_;
    std::vector<Set> neighbours_; // per unknown: the pivots, and for pivots all unknowns, still coupled to it
    std::set<Entry> remaining_;
    std::vector<std::int32_t> order_;
    std::vector<std::vector<std::int32_t>> after_; // per pivot in order: unknowns that it is coupled to and that follow
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

void Elimination::factor(std::span<double> all_values) const
{
    double* const values = all_values.data();
    for (const auto& run : runs_)
        with_size(run.n, [&](auto n) {
            const std::int32_t* target = targets_.data() + run.targets;
            double* diagonal = values + run.values;
            for (std::int32_t k = 0; k < run.n_pivots; ++k, diagonal += 1 + 2 * n) {
                const double* const u = diagonal + 1;
                double* const l = diagonal + 1 + n;
                const double inverse = *diagonal = 1.0 / *diagonal;
                for (int i = 0; i < n; ++i) {
                    const double factor = l[i] *= inverse;
                    for (int j = 0; j < n; ++j) values[*target++] -= factor * u[j];
                }
            }
        });
    if (!dense_.empty()) factor_dense(all_values);
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
    for (const auto& run : runs_)
        with_size(run.n, [&](auto n) {
            const std::int32_t* const pivot = pivots_.data() + run.pivots;
            const std::int32_t* other = others_.data() + run.others;
            const double* diagonal = values.data() + run.values;
            for (std::int32_t k = 0; k < run.n_pivots; ++k, diagonal += 1 + 2 * n) {
                const double* const l = diagonal + 1 + n;
                const double b = rhs[index(pivot[k])];
                for (int i = 0; i < n; ++i) rhs[index(*other++)] -= l[i] * b;
            }
        });
    const auto n = dense_.size();
    for (std::size_t k = 0; k < index(dense_pivots_); ++k)
        for (std::size_t i = k + 1; i < n; ++i)
            rhs[index(dense_[i])] -= values[dense_begin_ + i * n + k] * rhs[index(dense_[k])];
}

void Elimination::backward(std::span<const double> values, std::span<double> rhs) const
{
    const auto n_dense = dense_.size();
    for (auto k = index(dense_pivots_); k-- > 0;) {
        double b = rhs[index(dense_[k])];
        const double* const row = values.data() + dense_begin_ + k * n_dense;
        for (std::size_t j = k + 1; j < n_dense; ++j) b -= row[j] * rhs[index(dense_[j])];
        rhs[index(dense_[k])] = b * row[k];
    }
    for (auto run = runs_.rbegin(); run != runs_.rend(); ++run)
        with_size(run->n, [&](auto n) {
            const std::int32_t* const pivot = pivots_.data() + run->pivots;
            const std::int32_t* const others = others_.data() + run->others;
            for (std::int32_t k = run->n_pivots; k-- > 0;) {
                const double* const diagonal = values.data() + run->values + index(k) * (1 + 2 * index(n));
                const std::int32_t* const other = others + k * n;
                double b = rhs[index(pivot[k])];
                for (int j = 0; j < n; ++j) b -= diagonal[1 + j] * rhs[index(other[j])];
                rhs[index(pivot[k])] = b * *diagonal;
            }
        });
}

} // namespace holon
