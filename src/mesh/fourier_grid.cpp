#include "fourier_grid.hpp"

#include <holon/comm/buffer_exchange.hpp>
#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>
#include <holon/system/load_balance.hpp>

#include "line_transform.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace holon {

PencilLayout PencilLayout::choose(const std::array<int, 3>& n, int ranks, std::int64_t most, bool several_computers)
{
    // [s], as in tools/scaling_model: of both transforms, of each message where many ranks of many computers have some
    // under way at once, and of waiting for each other once more.
    constexpr double per_point = 10e-9;
    constexpr int least_points = 1024; // of a pencil
    const double per_message = several_computers ? 8e-6 : 0.5e-6, per_exchange = several_computers ? 4e-6 : 5e-6;
    const auto points = std::int64_t{n[0]} * n[1] * n[2];
    const auto useful =
        static_cast<int>(std::clamp<std::int64_t>(points / least_points, 1, std::min<std::int64_t>(ranks, most)));
    PencilLayout best;
    best.n = n;
    best.ranks = ranks;
    double least = std::numeric_limits<double>::infinity();
    for (int fy = 1; fy <= std::min({n[1], best.half(), useful}); ++fy)
        for (int fx = 1; fx <= std::min({useful / fy, n[0], n[1]}); ++fx) {
            const int exchanges = (fx > 1 ? 2 : 0) + (fy > 1 ? 2 : 0);
            const double seconds = static_cast<double>(points) * per_point / (fx * fy) +
                                   2 * (fx + fy - 2) * per_message + exchanges * per_exchange;
            if (seconds >= least) continue;
            least = seconds;
            best.fx = fx;
            best.fy = fy;
        }
    return best;
}

int PencilLayout::pencil_of(int rank) const
{
    for (int p = 0; p < pencils(); ++p)
        if (rank_of(p / fy, p % fy) == rank) return p;
    return -1;
}

namespace {

constexpr int batch = 8;

/// Calls use(slice, first line, number of lines) for batches of lines: a slice does one after the other.
template <class Use>
void for_each_batch(std::size_t lines, Use use)
{
    constexpr std::size_t few_lines = 4 * batch; // for a thread
    const Slices slices(lines, few_lines);
    parallel_parts(slices.count(), [&](int slice, int) {
        const auto [begin, end] = slices[slice];
        for (std::size_t first = begin; first < end; first += batch)
            use(index(slice), first, std::min<std::size_t>(batch, end - first));
    });
}

/// `count` modes side by side; nearly always a whole batch, for which a call would take longer than the copy.
template <class Mode>
void copy_modes(const Mode* from, std::size_t count, Mode* to)
{
    auto* const target = static_cast<void*>(to);
    if (count == batch)
        std::memcpy(target, from, batch * sizeof(Mode));
    else
        std::memcpy(target, from, count * sizeof(Mode));
}

/// Calls use(w, row, place, n) for runs of the lines [first, first + count) that are in the same row of so many: the
/// w-th line is at that place in it.
template <class Use>
void for_each_run(std::size_t first, std::size_t count, std::size_t per_row, Use use)
{
    for (std::size_t w = 0; w < count;) {
        const auto row = (first + w) / per_row, place = (first + w) % per_row;
        const auto n = std::min(count - w, per_row - place);
        use(w, row, place, n);
        w += n;
    }
}

/// Pointers to the lines of a batch, rows[w] = of(w); where it is not full, to its first one.
template <class T, class Of>
std::array<T*, batch> rows_of(std::size_t count, Of of)
{
    std::array<T*, batch> rows;
    for (std::size_t w = 0; w < batch; ++w) rows[w] = of(w < count ? w : 0);
    return rows;
}

} // namespace

/// Four exchanges, each laid out so that the transforms after it find their lines side by side. What comes in for lines
/// along y or x, and what goes out of these on the way back, is one array, in which they are transformed: the less
/// memory a transform goes through, the more of it stays in the caches.
template <class Real>
struct FourierGrid<Real>::Impl {
    using Mode = std::complex<Real>;
    static_assert(LineTransform<Real>::batch == batch);

    PencilLayout layout;
    int a = -1, b = -1;
    Range x, y, ky, kz;
    std::vector<Real> points;
    std::vector<Mode> of_z;  // [y][x][kz], all y: transformed along z only
    std::vector<Mode> modes; // [kx][ky][kz], and before the transform along x and after that back [x][ky][kz]
    // z <-> y within rows of pencils with one a, y <-> x within columns with one b
    std::optional<BufferExchange> z_to_y, y_to_x, x_to_y, y_to_z;
    struct Lines {
        LineTransform<Real> z_forward, y_forward, x_forward, x_backward, y_backward, z_backward;
    };
    std::vector<Lines> lines_of; // each thread's
    double work_seconds = 0.0;

    Impl(const Communicator& comm, const PencilLayout& l) : layout(l)
    {
        const int pencil = layout.pencil_of(comm.rank());
        if (pencil < 0) return;
        a = pencil / layout.fy;
        b = pencil % layout.fy;
        x = layout.x(a);
        y = layout.y(b);
        ky = layout.ky(a);
        kz = layout.kz(b);
        points.assign(index(x.size()) * index(y.size()) * index(layout.n[2]), Real(0));
        of_z.assign(index(layout.n[1]) * along_y(), Mode(0));
        modes.assign(index(layout.n[0]) * along_x(), Mode(0));

        std::vector<BufferExchange::Part> along_b, back_b, along_a, back_a;
        for (int peer = 0; peer < layout.fy; ++peer) {
            Mode* const here = &of_z[index(layout.y(peer).begin) * along_y()];
            along_b.push_back({layout.rank_of(a, peer), bytes(x, y, layout.kz(peer)), peer == b ? here : nullptr});
            back_b.push_back({layout.rank_of(a, peer), bytes(x, layout.y(peer), kz), here});
        }
        for (int peer = 0; peer < layout.fx; ++peer) {
            Mode* const here = &modes[index(layout.x(peer).begin) * along_x()];
            along_a.push_back({layout.rank_of(peer, b), bytes(x, layout.ky(peer), kz), peer == a ? here : nullptr});
            back_a.push_back({layout.rank_of(peer, b), bytes(layout.x(peer), ky, kz), here});
        }
        z_to_y.emplace(comm, along_b, back_b, 0);
        y_to_x.emplace(comm, along_a, back_a, 1);
        x_to_y.emplace(comm, back_a, along_a, 2);
        y_to_z.emplace(comm, back_b, along_b, 3);
        for (int thread = 0; thread < thread_count(); ++thread)
            lines_of.push_back({{layout.n[2], LineKind::real_to_modes},
                                {layout.n[1], LineKind::forward},
                                {layout.n[0], LineKind::forward},
                                {layout.n[0], LineKind::backward},
                                {layout.n[1], LineKind::backward},
                                {layout.n[2], LineKind::modes_to_real}});
    }

    static std::size_t bytes(Range p, Range q, Range r)
    {
        return index(p.size()) * index(q.size()) * index(r.size()) * sizeof(Mode);
    }

    static void exchange(BufferExchange& messages)
    {
        messages.start();
        messages.wait();
        messages.wait_for_sends();
    }

    // Lines along z are numbered (x, y), along y (x, kz), along x (ky, kz). Parts between z and y: [y][x][kz];
    // between y and x: [x][ky][kz].
    std::size_t along_y() const { return index(x.size()) * index(kz.size()); }
    std::size_t along_x() const { return index(ky.size()) * index(kz.size()); }

    void transform_z()
    {
        const LoadBalance::Scope work(work_seconds);
        const auto nz = index(layout.n[2]), nx = index(x.size()), ny = index(y.size());
        for_each_batch(nx * ny, [&](std::size_t slice, std::size_t first, std::size_t count) {
            auto& t = lines_of[slice].z_forward;
            t.take(rows_of<const Real>(count, [&](std::size_t w) { return &points[(first + w) * nz]; }), layout.n[2]);
            t.execute();
            for (int peer = 0; peer < layout.fy; ++peer) {
                const Range part = layout.kz(peer);
                const auto out = z_to_y->outgoing<Mode>(index(peer));
                const auto row = [&](std::size_t w) {
                    const auto lx = (first + w) / ny, ly = (first + w) % ny;
                    return out.data() + (ly * nx + lx) * index(part.size());
                };
                t.give(rows_of<Mode>(count, row), static_cast<int>(count), part.begin, part.end);
            }
        });
    }

    void transform_y()
    {
        const LoadBalance::Scope work(work_seconds);
        const auto nz = index(kz.size()), lines = along_y();
        for_each_batch(lines, [&](std::size_t slice, std::size_t first, std::size_t count) {
            auto& t = lines_of[slice].y_forward;
            for (std::size_t j = 0; j < index(layout.n[1]); ++j)
                copy_modes(&of_z[j * lines + first], count, t.complex_in() + j * batch);
            t.execute();
            for (int peer = 0; peer < layout.fx; ++peer) {
                const Range part = layout.ky(peer);
                const auto out = y_to_x->outgoing<Mode>(index(peer));
                for_each_run(first, count, nz, [&](std::size_t w, std::size_t lx, std::size_t lz, std::size_t n) {
                    for (int k = part.begin; k < part.end; ++k)
                        copy_modes(t.complex_out() + index(k) * batch + w, n,
                                   &out[(lx * index(part.size()) + index(k - part.begin)) * nz + lz]);
                });
            }
        });
    }

    /// In place.
    void transform_x(LineTransform<Real> Lines::*transform)
    {
        const LoadBalance::Scope work(work_seconds);
        const auto lines = along_x();
        for_each_batch(lines, [&](std::size_t slice, std::size_t first, std::size_t count) {
            auto& t = lines_of[slice].*transform;
            for (std::size_t i = 0; i < index(layout.n[0]); ++i)
                copy_modes(&modes[i * lines + first], count, t.complex_in() + i * batch);
            t.execute();
            for (std::size_t i = 0; i < index(layout.n[0]); ++i)
                copy_modes(t.complex_out() + i * batch, count, &modes[i * lines + first]);
        });
    }

    void transform_y_back()
    {
        const LoadBalance::Scope work(work_seconds);
        const auto nz = index(kz.size()), lines = along_y();
        for_each_batch(lines, [&](std::size_t slice, std::size_t first, std::size_t count) {
            auto& t = lines_of[slice].y_backward;
            for (int peer = 0; peer < layout.fx; ++peer) {
                const Range part = layout.ky(peer);
                const auto in = x_to_y->incoming<Mode>(index(peer));
                for_each_run(first, count, nz, [&](std::size_t w, std::size_t lx, std::size_t lz, std::size_t n) {
                    for (int k = part.begin; k < part.end; ++k)
                        copy_modes(&in[(lx * index(part.size()) + index(k - part.begin)) * nz + lz], n,
                                   t.complex_in() + index(k) * batch + w);
                });
            }
            t.execute();
            for (std::size_t j = 0; j < index(layout.n[1]); ++j)
                copy_modes(t.complex_out() + j * batch, count, &of_z[j * lines + first]);
        });
    }

    void transform_z_back()
    {
        const LoadBalance::Scope work(work_seconds);
        const auto nz = index(layout.n[2]), nx = index(x.size()), ny = index(y.size());
        for_each_batch(nx * ny, [&](std::size_t slice, std::size_t first, std::size_t count) {
            auto& t = lines_of[slice].z_backward;
            for (int peer = 0; peer < layout.fy; ++peer) {
                const Range part = layout.kz(peer);
                const auto in = y_to_z->incoming<Mode>(index(peer));
                const auto row = [&](std::size_t w) {
                    const auto lx = (first + w) / ny, ly = (first + w) % ny;
                    return in.data() + (ly * nx + lx) * index(part.size());
                };
                t.take(rows_of<const Mode>(count, row), part.begin, part.end);
            }
            t.execute();
            const auto row = [&](std::size_t w) { return &points[(first + w) * nz]; };
            t.give(rows_of<Real>(count, row), static_cast<int>(count), layout.n[2]);
        });
    }
};

template <class Real>
FourierGrid<Real>::FourierGrid(const Communicator& comm, const PencilLayout& layout)
    : impl_(std::make_unique<Impl>(comm, layout))
{
}
template <class Real>
FourierGrid<Real>::~FourierGrid() = default;

template <class Real>
std::span<Real> FourierGrid<Real>::points()
{
    return impl_->points;
}
template <class Real>
std::span<std::complex<Real>> FourierGrid<Real>::modes()
{
    return impl_->modes;
}

template <class Real>
void FourierGrid<Real>::start_forward()
{
    auto& self = *impl_;
    if (self.a < 0) return;
    self.transform_z();
    self.exchange(*self.z_to_y);
    self.y_to_x->wait_for_sends();
    self.transform_y();
    self.x_to_y->wait_for_sends(); // of the last time, out of what is coming in now
    self.y_to_x->start();
}

template <class Real>
void FourierGrid<Real>::finish_forward()
{
    auto& self = *impl_;
    if (self.a < 0) return;
    self.y_to_x->wait();
    self.transform_x(&Impl::Lines::x_forward);
}

template <class Real>
void FourierGrid<Real>::start_backward()
{
    auto& self = *impl_;
    if (self.a < 0) return;
    self.transform_x(&Impl::Lines::x_backward);
    self.x_to_y->start();
}

template <class Real>
void FourierGrid<Real>::finish_backward()
{
    auto& self = *impl_;
    if (self.a < 0) return;
    self.x_to_y->wait();
    self.transform_y_back();
    self.exchange(*self.y_to_z);
    self.transform_z_back();
}

template <class Real>
double FourierGrid<Real>::take_work_seconds()
{
    return std::exchange(impl_->work_seconds, 0.0);
}

template <class Real>
std::int64_t FourierGrid<Real>::messages() const
{
    std::int64_t n = 0;
    for (const auto* exchange : {&impl_->z_to_y, &impl_->y_to_x, &impl_->x_to_y, &impl_->y_to_z})
        if (exchange->has_value()) n += (*exchange)->messages();
    return n;
}

template <class Real>
std::int64_t FourierGrid<Real>::bytes_sent() const
{
    std::int64_t n = 0;
    for (const auto* exchange : {&impl_->z_to_y, &impl_->y_to_x, &impl_->x_to_y, &impl_->y_to_z})
        if (exchange->has_value()) n += (*exchange)->bytes_sent();
    return n;
}

template class FourierGrid<float>;
template class FourierGrid<double>;

} // namespace holon
