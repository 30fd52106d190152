#pragma once

#include <array>
#include <complex>
#include <memory>

namespace holon {

enum class LineKind { forward, backward, real_to_modes, modes_to_real };

/// One-dimensional Fourier transforms of `batch` lines at a time, in scratch memory of its own with the lines side by
/// side: element j of line w is at [j * batch + w]. Not normalised. Every line of an axis goes through the same plan,
/// and no line sees which place it has in the batch or what is beside it: the bits of a line belong to the line.
template <class Real>
class LineTransform {
public:
    static constexpr int batch = 8;

    LineTransform(int n, LineKind kind);
    ~LineTransform();
    LineTransform(LineTransform&&) noexcept;
    LineTransform& operator=(LineTransform&&) noexcept;

    Real* real_in();
    std::complex<Real>* complex_in();
    const Real* real_out() const;
    const std::complex<Real>* complex_out() const;

    /// From lines that lie one after the other, elements [0, n) of each, and back: elements [begin, end) of each. As
    /// many lines as pointers; of a batch that is not full, any others may be beside them.
    template <class T>
    using Rows = std::array<T*, batch>;
    void take(const Rows<const Real>& rows, int n);
    void take(const Rows<const std::complex<Real>>& rows, int begin, int end);
    void give(const Rows<Real>& rows, int count, int n) const;
    void give(const Rows<std::complex<Real>>& rows, int count, int begin, int end) const;
    void execute();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class LineTransform<float>;
extern template class LineTransform<double>;

} // namespace holon
