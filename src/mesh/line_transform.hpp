#pragma once

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
    void execute();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

extern template class LineTransform<float>;
extern template class LineTransform<double>;

} // namespace holon
