#include "line_transform.hpp"

#include <holon/core/instruction_sets.hpp>
#include <holon/core/portable_math.hpp>

#include "line_kernel.hpp"

#include <algorithm>
#include <vector>

namespace holon {

namespace {

/// Radices in the order of the passes.
std::vector<int> radices_of(int n)
{
    std::vector<int> odd, even;
    for (; n % 4 == 0; n /= 4) even.push_back(4);
    for (; n % 2 == 0; n /= 2) even.push_back(2);
    for (int p = 3; n > 1; p += 2) {
        if (p > n / p) p = n; // a prime
        for (; n % p == 0; n /= p) odd.push_back(p);
    }
    odd.insert(odd.end(), even.begin(), even.end());
    if (odd.empty()) odd.push_back(1);
    return odd;
}

/// Adds exp(-2 pi i k / n), 0 <= k < n.
template <class Real>
void add_root(std::vector<Real>& factors, std::int64_t k, std::int64_t n)
{
    const auto [sine, cosine] = portable::sine_cosine_of_turns(static_cast<double>(k) / static_cast<double>(n));
    factors.push_back(static_cast<Real>(cosine));
    factors.push_back(static_cast<Real>(-sine));
}

} // namespace

template <class Real>
struct LineTransform<Real>::Impl {
    LineKind kind;
    std::vector<line::Pass> passes;
    std::vector<Real> factors, in, out, work;
    line::Lines<Real> lines{};

    Impl(int n, LineKind k) : kind(k)
    {
        const auto radices = radices_of(n);
        int length = 1;
        for (const int radix : radices) {
            line::Pass pass{radix, length, n / length / radix, 0, 0};
            pass.twiddles = std::ssize(factors);
            for (int j = 0; j < length; ++j)
                for (int r = 1; r < radix; ++r) add_root(factors, std::int64_t{r} * j, std::int64_t{radix} * length);
            pass.roots = std::ssize(factors);
            for (int j = 0; j < radix; ++j) add_root(factors, j, radix);
            passes.push_back(pass);
            length *= radix;
        }
        const auto size = 2 * line::lanes * static_cast<std::size_t>(std::max(n, 2)); // n/2 + 1 modes of 2 or fewer
        in.assign(size, Real(0));
        out.assign(size, Real(0));
        const int largest = *std::max_element(radices.begin(), radices.end());
        work.resize(line::work_size(static_cast<std::size_t>(std::max(n, 2)), static_cast<std::size_t>(largest)));
        lines = {n, static_cast<int>(passes.size()), passes.data(), factors.data(), work.data(), in.data(), out.data()};
    }

    void execute()
    {
        switch (kind) {
        case LineKind::forward:
            return HOLON_CALL(line::forward, lines);
        case LineKind::backward:
            return HOLON_CALL(line::backward, lines);
        case LineKind::real_to_modes:
            return HOLON_CALL(line::real_to_modes, lines);
        case LineKind::modes_to_real:
            return HOLON_CALL(line::modes_to_real, lines);
        }
    }
};

template <class Real>
LineTransform<Real>::LineTransform(int n, LineKind kind) : impl_(std::make_unique<Impl>(n, kind))
{
    static_assert(batch == line::lanes);
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
    return impl_->in.data();
}
template <class Real>
std::complex<Real>* LineTransform<Real>::complex_in()
{
    return reinterpret_cast<std::complex<Real>*>(impl_->in.data());
}
template <class Real>
const Real* LineTransform<Real>::real_out() const
{
    return impl_->out.data();
}
template <class Real>
const std::complex<Real>* LineTransform<Real>::complex_out() const
{
    return reinterpret_cast<const std::complex<Real>*>(impl_->out.data());
}
template <class Real>
void LineTransform<Real>::execute()
{
    impl_->execute();
}

namespace {

/// What a kernel moves in the place of a mode.
template <class Real>
using Moved = std::conditional_t<std::is_same_v<Real, float>, double, line::DoubleMode>;

} // namespace

template <class Real>
void LineTransform<Real>::take(const Rows<const Real>& rows, int n)
{
    HOLON_CALL(line::interleave, rows.data(), n, real_in());
}
template <class Real>
void LineTransform<Real>::take(const Rows<const std::complex<Real>>& rows, int begin, int end)
{
    Rows<const Moved<Real>> moved;
    for (std::size_t w = 0; w < batch; ++w) moved[w] = reinterpret_cast<const Moved<Real>*>(rows[w]);
    HOLON_CALL(line::interleave, moved.data(), end - begin,
               reinterpret_cast<Moved<Real>*>(complex_in() + begin * batch));
}
template <class Real>
void LineTransform<Real>::give(const Rows<Real>& rows, int count, int n) const
{
    HOLON_CALL(line::separate, real_out(), n, count, rows.data());
}
template <class Real>
void LineTransform<Real>::give(const Rows<std::complex<Real>>& rows, int count, int begin, int end) const
{
    Rows<Moved<Real>> moved;
    for (std::size_t w = 0; w < batch; ++w) moved[w] = reinterpret_cast<Moved<Real>*>(rows[w]);
    HOLON_CALL(line::separate, reinterpret_cast<const Moved<Real>*>(complex_out() + begin * batch), end - begin, count,
               moved.data());
}

template class LineTransform<float>;
template class LineTransform<double>;

} // namespace holon
