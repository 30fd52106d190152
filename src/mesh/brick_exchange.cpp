#include "brick_exchange.hpp"

#include <holon/comm/outbox.hpp>
#include <holon/core/index.hpp>

#include <algorithm>

namespace holon {

template <class Int, class Real>
std::size_t BrickExchange<Int, Real>::Overlap::points() const
{
    std::size_t product = 1;
    for (const auto& axis : runs) {
        std::size_t sum = 0;
        for (const auto& run : axis) sum += index(run.size);
        product *= sum;
    }
    return product;
}

template <class Int, class Real>
auto BrickExchange<Int, Real>::overlap(const Brick& brick, int pencil) const -> Overlap
{
    const std::array<Range, 3> target = {layout_.x(pencil / layout_.fy), layout_.y(pencil % layout_.fy),
                                         Range{0, layout_.n[2]}};
    Overlap result;
    for (std::size_t k = 0; k < 3; ++k) {
        const int n = layout_.n[k];
        const auto floor_div = [n](int i) { return i >= 0 ? i / n : -((-i + n - 1) / n); };
        if (brick.empty()) continue;
        for (int image = floor_div(brick.lo[k]); image <= floor_div(brick.hi[k] - 1); ++image) {
            const int begin = std::max(brick.lo[k], target[k].begin + image * n);
            const int end = std::min(brick.hi[k], target[k].end + image * n);
            if (begin < end)
                result.runs[k].push_back({begin - brick.lo[k], begin - image * n - target[k].begin, end - begin});
        }
    }
    return result;
}

template <class Int, class Real>
BrickExchange<Int, Real>::BrickExchange(const Communicator& comm, const PencilLayout& layout, const Brick& brick,
                                        int row)
    : layout_(layout), pencil_(layout.pencil_of(comm.rank())), brick_size_{brick.size(0), brick.size(1), row}
{
    using Part = BufferExchange::Part;
    std::vector<Part> charges_out, charges_in, potentials_out, potentials_in;
    Outbox<Brick> to_owners; // of pencils: which brick they share points with
    for (int p = 0; p < layout_.pencils(); ++p) {
        auto shared = overlap(brick, p);
        if (shared.points() == 0) continue;
        const int rank = layout_.rank_of(p / layout_.fy, p % layout_.fy);
        if (rank == comm.rank()) {
            own_ = std::move(shared);
            continue;
        }
        charges_out.push_back({rank, shared.points() * sizeof(Int)});
        potentials_in.push_back({rank, shared.points() * sizeof(Real)});
        to_owners.send(rank, brick);
        as_brick_.push_back(std::move(shared));
    }
    to_owners.exchange(comm, [&](int rank, const Brick& theirs) {
        auto shared = overlap(theirs, pencil_);
        charges_in.push_back({rank, shared.points() * sizeof(Int)});
        potentials_out.push_back({rank, shared.points() * sizeof(Real)});
        as_pencil_.push_back(std::move(shared));
    });
    to_pencils_.emplace(comm, charges_out, charges_in, 4);
    to_bricks_.emplace(comm, potentials_out, potentials_in, 5);
}

/// Calls use(brick point, pencil point, number of points) for runs along z, in the order of the message.
template <class Int, class Real>
template <class Use>
void BrickExchange<Int, Real>::for_each_row(const Overlap& overlap, Use use) const
{
    for (const auto& x : overlap.runs[0])
        for (int i = 0; i < x.size; ++i)
            for (const auto& y : overlap.runs[1])
                for (int j = 0; j < y.size; ++j)
                    for (const auto& z : overlap.runs[2])
                        use(std::array{x.brick + i, y.brick + j, z.brick},
                            std::array{x.pencil + i, y.pencil + j, z.pencil}, index(z.size));
}

template <class Int, class Real>
std::size_t BrickExchange<Int, Real>::in_brick(int x, int y, int z) const
{
    return (index(x) * index(brick_size_[1]) + index(y)) * index(brick_size_[2]) + index(z);
}

template <class Int, class Real>
std::size_t BrickExchange<Int, Real>::in_pencil(int x, int y, int z) const
{
    return (index(x) * index(layout_.y(pencil_ % layout_.fy).size()) + index(y)) * index(layout_.n[2]) + index(z);
}

template <class Int, class Real>
void BrickExchange<Int, Real>::start_collecting(std::span<const Int> brick)
{
    to_pencils_->wait_for_sends();
    for (std::size_t p = 0; p < as_brick_.size(); ++p) {
        Int* out = to_pencils_->template outgoing<Int>(p).data();
        for_each_row(as_brick_[p], [&](const auto& from, const auto&, std::size_t n) {
            out = std::copy_n(&brick[in_brick(from[0], from[1], from[2])], n, out);
        });
    }
    to_pencils_->start();
}

template <class Int, class Real>
void BrickExchange<Int, Real>::finish_collecting(std::span<const Int> brick, std::span<Int> pencil)
{
    const auto add = [&](const Int* in, const auto& to, std::size_t n) {
        Int* target = &pencil[in_pencil(to[0], to[1], to[2])];
        for (std::size_t i = 0; i < n; ++i) target[i] += in[i];
    };
    std::ranges::fill(pencil, Int(0));
    if (own_)
        for_each_row(*own_, [&](const auto& from, const auto& to, std::size_t n) {
            add(&brick[in_brick(from[0], from[1], from[2])], to, n);
        });
    to_pencils_->wait();
    for (std::size_t p = 0; p < as_pencil_.size(); ++p) {
        const Int* in = to_pencils_->template incoming<Int>(p).data();
        for_each_row(as_pencil_[p], [&](const auto&, const auto& to, std::size_t n) {
            add(in, to, n);
            in += n;
        });
    }
}

template <class Int, class Real>
void BrickExchange<Int, Real>::start_distributing(std::span<const Real> pencil)
{
    to_bricks_->wait_for_sends();
    for (std::size_t p = 0; p < as_pencil_.size(); ++p) {
        Real* out = to_bricks_->template outgoing<Real>(p).data();
        for_each_row(as_pencil_[p], [&](const auto&, const auto& from, std::size_t n) {
            out = std::copy_n(&pencil[in_pencil(from[0], from[1], from[2])], n, out);
        });
    }
    to_bricks_->start();
}

template <class Int, class Real>
void BrickExchange<Int, Real>::finish_distributing(std::span<const Real> pencil, std::span<Real> brick)
{
    if (own_)
        for_each_row(*own_, [&](const auto& to, const auto& from, std::size_t n) {
            std::copy_n(&pencil[in_pencil(from[0], from[1], from[2])], n, &brick[in_brick(to[0], to[1], to[2])]);
        });
    to_bricks_->wait();
    for (std::size_t p = 0; p < as_brick_.size(); ++p) {
        const Real* in = to_bricks_->template incoming<Real>(p).data();
        for_each_row(as_brick_[p], [&](const auto& to, const auto&, std::size_t n) {
            std::copy_n(in, n, &brick[in_brick(to[0], to[1], to[2])]);
            in += n;
        });
    }
}

template class BrickExchange<std::int32_t, float>;
template class BrickExchange<std::int64_t, double>;

} // namespace holon
