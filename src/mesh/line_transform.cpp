#include "line_transform.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fftw3.h>
#include <vector>

namespace holon {

namespace {

template <class Real>
struct Fftw;

#define HOLON_FFTW(Real, prefix)                                                                                       \
    template <>                                                                                                        \
    struct Fftw<Real> {                                                                                                \
        using Plan = prefix##_plan;                                                                                    \
        using Complex = prefix##_complex;                                                                              \
        static constexpr auto allocate = prefix##_malloc;                                                              \
        static constexpr auto release = prefix##_free;                                                                 \
        static constexpr auto plan_complex = prefix##_plan_many_dft;                                                   \
        static constexpr auto plan_forward = prefix##_plan_many_dft_r2c;                                               \
        static constexpr auto plan_backward = prefix##_plan_many_dft_c2r;                                              \
        static constexpr auto execute = prefix##_execute;                                                              \
        static constexpr auto destroy = prefix##_destroy_plan;                                                         \
    };
HOLON_FFTW(float, fftwf)
HOLON_FFTW(double, fftw)
#undef HOLON_FFTW

} // namespace

template <class Real>
struct LineTransform<Real>::Impl {
    using Api = Fftw<Real>;
    using Complex = typename Api::Complex;

    int n;
    LineKind kind;
    std::size_t in_size, out_size; // of one line, in Real
    Real* in;
    Real* out;
    typename Api::Plan plan = nullptr;
    bool one_by_one = false;
    Real *line_in = nullptr, *line_out = nullptr; // one line, only if one_by_one

    Impl(int length, LineKind k) : n(length), kind(k)
    {
        const auto real = static_cast<std::size_t>(n), modes = 2 * (real / 2 + 1);
        in_size = kind == LineKind::real_to_modes ? real : kind == LineKind::modes_to_real ? modes : 2 * real;
        out_size = kind == LineKind::real_to_modes ? modes : kind == LineKind::modes_to_real ? real : 2 * real;
        in = allocate(in_size * batch);
        out = allocate(out_size * batch);
        plan = make_plan(in, out, batch);
        if (places_differ()) {
            Api::destroy(plan);
            line_in = allocate(in_size);
            line_out = allocate(out_size);
            plan = make_plan(line_in, line_out, 1);
            one_by_one = true;
        }
        std::fill_n(in, in_size * batch, Real(0));
    }

    ~Impl()
    {
        Api::destroy(plan);
        for (auto* memory : {in, out, line_in, line_out}) Api::release(memory);
    }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    static Real* allocate(std::size_t size) { return static_cast<Real*>(Api::allocate(size * sizeof(Real))); }

    typename Api::Plan make_plan(Real* from, Real* to, int howmany) const
    {
        // FFTW_ESTIMATE: the plan is a function of the problem alone, without timings.
        constexpr unsigned flags = FFTW_ESTIMATE;
        auto* complex_from = reinterpret_cast<Complex*>(from);
        auto* complex_to = reinterpret_cast<Complex*>(to);
        if (kind == LineKind::real_to_modes)
            return Api::plan_forward(1, &n, howmany, from, nullptr, howmany, 1, complex_to, nullptr, howmany, 1, flags);
        if (kind == LineKind::modes_to_real)
            return Api::plan_backward(1, &n, howmany, complex_from, nullptr, howmany, 1, to, nullptr, howmany, 1,
                                      flags);
        const int sign = kind == LineKind::forward ? FFTW_FORWARD : FFTW_BACKWARD;
        return Api::plan_complex(1, &n, howmany, complex_from, nullptr, howmany, 1, complex_to, nullptr, howmany, 1,
                                 sign, flags);
    }

    void copy_line(const Real* from, int from_batch, int from_place, Real* to, int to_batch, int to_place,
                   std::size_t size, std::size_t parts) const
    {
        for (std::size_t j = 0; j < size / parts; ++j)
            for (std::size_t c = 0; c < parts; ++c)
                to[(j * static_cast<std::size_t>(to_batch) + static_cast<std::size_t>(to_place)) * parts + c] =
                    from[(j * static_cast<std::size_t>(from_batch) + static_cast<std::size_t>(from_place)) * parts + c];
    }

    std::size_t in_parts() const { return kind == LineKind::real_to_modes ? 1 : 2; }
    std::size_t out_parts() const { return kind == LineKind::modes_to_real ? 1 : 2; }

    void execute()
    {
        if (!one_by_one) return Api::execute(plan);
        for (int w = 0; w < batch; ++w) {
            copy_line(in, batch, w, line_in, 1, 0, in_size, in_parts());
            Api::execute(plan);
            copy_line(line_out, 1, 0, out, batch, w, out_size, out_parts());
        }
    }

    /// Whether the same line gives different bits at different places of a batch, among different neighbours.
    bool places_differ()
    {
        std::uint32_t state = 1;
        const auto random = [&state] {
            state = state * 1664525U + 1013904223U;
            return static_cast<Real>(static_cast<std::int32_t>(state)) * Real(0x1p-31);
        };
        std::vector<Real> line(in_size), first(out_size), result(out_size);
        for (Real& x : line) x = random();
        for (int place = 0; place < batch; ++place) {
            for (std::size_t i = 0; i < in_size * batch; ++i) in[i] = random();
            copy_line(line.data(), 1, 0, in, batch, place, in_size, in_parts());
            Api::execute(plan);
            copy_line(out, batch, place, result.data(), 1, 0, out_size, out_parts());
            if (place == 0) first = result;
            if (std::memcmp(first.data(), result.data(), out_size * sizeof(Real)) != 0) return true;
        }
        return false;
    }
};

template <class Real>
LineTransform<Real>::LineTransform(int n, LineKind kind) : impl_(std::make_unique<Impl>(n, kind))
{
}
template <class Real>
LineTransform<Real>::~LineTransform() = default;
template <class Real>
LineTransform<Real>::LineTransform(LineTransform&&) noexcept = default;
template <class Real>
LineTransform<Real>& LineTransform<Real>::operator=(LineTransform&&) noexcept = default;

template <class Real>
Real* LineTransform<Real>::real_in()
{
    return impl_->in;
}
template <class Real>
std::complex<Real>* LineTransform<Real>::complex_in()
{
    return reinterpret_cast<std::complex<Real>*>(impl_->in);
}
template <class Real>
const Real* LineTransform<Real>::real_out() const
{
    return impl_->out;
}
template <class Real>
const std::complex<Real>* LineTransform<Real>::complex_out() const
{
    return reinterpret_cast<const std::complex<Real>*>(impl_->out);
}
template <class Real>
void LineTransform<Real>::execute()
{
    impl_->execute();
}

template class LineTransform<float>;
template class LineTransform<double>;

} // namespace holon
