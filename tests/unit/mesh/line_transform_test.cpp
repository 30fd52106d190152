// Fourier transforms of lines: against the sum, and the same bits with every instruction set, on any processor.
#include <mesh/line_transform.hpp>

#include <holon/core/instruction_sets.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <vector>

namespace holon {
namespace {

using Sum = std::complex<long double>;
constexpr int batch = LineTransform<float>::batch;
constexpr LineKind kinds[] = {LineKind::forward, LineKind::backward, LineKind::real_to_modes, LineKind::modes_to_real};

/// All radices, alone and in all kinds of passes, and primes that have no code of their own.
constexpr int lengths[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 20,  21,  22,
                           24, 25, 26, 27, 28, 30, 32, 33, 34, 35, 36, 42, 44, 48, 49, 52, 60, 64, 101, 143, 144};

std::size_t index(int i)
{
    return static_cast<std::size_t>(i);
}

/// Numbers between -1 and 1, the same everywhere.
class Numbers {
public:
    explicit Numbers(std::uint32_t seed) : state_(seed) {}
    double next()
    {
        state_ = state_ * 1664525U + 1013904223U;
        return static_cast<std::int32_t>(state_) * 0x1p-31;
    }

private:
    std::uint32_t state_;
};

template <class Real>
struct Line {
    LineKind kind;
    int n;

    bool real_in() const { return kind == LineKind::real_to_modes; }
    bool real_out() const { return kind == LineKind::modes_to_real; }
    int size_in() const { return real_out() ? n / 2 + 1 : n; }
    int size_out() const { return real_in() ? n / 2 + 1 : n; }

    std::vector<std::complex<Real>> random(Numbers& numbers) const
    {
        std::vector<std::complex<Real>> values;
        for (int j = 0; j < size_in(); ++j) {
            const auto re = static_cast<Real>(numbers.next()), im = static_cast<Real>(numbers.next());
            values.emplace_back(re, real_in() ? Real(0) : im);
        }
        return values;
    }
    /// The transform of `values`, at a place among lines of other numbers.
    std::vector<std::complex<Real>> transform(const std::vector<std::complex<Real>>& values, int place = 3,
                                              std::uint32_t others = 5) const
    {
        LineTransform<Real> lines(n, kind);
        Numbers numbers(others);
        for (int w = 0; w < batch; ++w) {
            const auto line = w == place ? values : random(numbers);
            for (int j = 0; j < size_in(); ++j)
                if (real_in())
                    lines.real_in()[j * batch + w] = line[index(j)].real();
                else
                    lines.complex_in()[j * batch + w] = line[index(j)];
        }
        lines.execute();
        std::vector<std::complex<Real>> result;
        for (int j = 0; j < size_out(); ++j)
            result.push_back(real_out() ? lines.real_out()[j * batch + place] : lines.complex_out()[j * batch + place]);
        return result;
    }
    /// The sum itself.
    std::vector<Sum> expected(std::vector<std::complex<Real>> values) const
    {
        if (real_out()) {
            values[0].imag(0);
            if (n % 2 == 0) values[index(n / 2)].imag(0);
            for (int k = n / 2 + 1; k < n; ++k) values.push_back(std::conj(values[index(n - k)]));
        }
        const int sign = kind == LineKind::backward || real_out() ? 1 : -1;
        std::vector<Sum> sums(index(size_out()));
        for (int k = 0; k < size_out(); ++k)
            for (int j = 0; j < n; ++j)
                sums[index(k)] += Sum(values[index(j)]) *
                                  std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> * (j * k % n) / n);
        return sums;
    }
};

template <class Real>
class Transforms : public testing::Test {
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Transforms, Precisions);

TYPED_TEST(Transforms, AreTheSums)
{
    Numbers numbers(1);
    for (const auto kind : kinds)
        for (const int n : lengths) {
            const Line<TypeParam> line{kind, n};
            const auto values = line.random(numbers);
            const auto result = line.transform(values);
            const auto expected = line.expected(values);
            long double error = 0.0L, norm = 0.0L;
            for (std::size_t k = 0; k < expected.size(); ++k) {
                error += std::norm(Sum(result[k]) - expected[k]);
                norm += std::norm(expected[k]);
            }
            const auto limit = 1.5 * std::numeric_limits<TypeParam>::epsilon() * std::max(1.0, 0.2 * std::sqrt(n));
            EXPECT_LE(std::sqrt(error / norm), limit) << static_cast<int>(kind) << " " << n;
        }
}

TYPED_TEST(Transforms, KnowNoNeighbours)
{
    Numbers numbers(2);
    for (const auto kind : kinds)
        for (const int n : {4, 13, 17, 24}) {
            const Line<TypeParam> line{kind, n};
            const auto values = line.random(numbers);
            const auto first = line.transform(values);
            for (int place = 0; place < batch; ++place)
                EXPECT_EQ(line.transform(values, place, 11), first) << static_cast<int>(kind) << " " << n;
        }
}

/// The same as what is written and read element by element.
TYPED_TEST(Transforms, TakeAndGiveRows)
{
    using Mode = std::complex<TypeParam>;
    Numbers numbers(4);
    for (const int n : {1, 2, 7, 8, 9, 16, 21, 35})
        for (const int count : {1, 3, batch}) {
            constexpr int begin = 1;
            const int end = n / 2 + 1;
            std::vector<std::vector<TypeParam>> reals(batch);
            std::vector<std::vector<Mode>> modes(batch);
            typename LineTransform<TypeParam>::template Rows<const TypeParam> from_reals;
            typename LineTransform<TypeParam>::template Rows<const Mode> from_modes;
            for (int w = 0; w < batch; ++w) {
                for (int j = 0; j < n; ++j) reals[index(w)].push_back(static_cast<TypeParam>(numbers.next()));
                for (int k = begin; k < end; ++k)
                    modes[index(w)].emplace_back(static_cast<TypeParam>(numbers.next()),
                                                 static_cast<TypeParam>(numbers.next()));
                from_reals[index(w)] = reals[index(w)].data();
                from_modes[index(w)] = modes[index(w)].data();
            }
            LineTransform<TypeParam> forward(n, LineKind::real_to_modes), backward(n, LineKind::modes_to_real);
            forward.take(from_reals, n);
            backward.take(from_modes, begin, end);
            for (int w = 0; w < batch; ++w) {
                for (int j = 0; j < n; ++j) EXPECT_EQ(forward.real_in()[j * batch + w], reals[index(w)][index(j)]);
                for (int k = begin; k < end; ++k)
                    EXPECT_EQ(backward.complex_in()[k * batch + w], modes[index(w)][index(k - begin)]);
            }
            forward.execute();
            backward.execute();
            const TypeParam untouched(77);
            for (auto& row : reals) row.assign(index(n), untouched);
            for (auto& row : modes) row.assign(index(end - begin), untouched);
            typename LineTransform<TypeParam>::template Rows<TypeParam> to_reals;
            typename LineTransform<TypeParam>::template Rows<Mode> to_modes;
            for (int w = 0; w < batch; ++w) {
                to_reals[index(w)] = reals[index(w)].data();
                to_modes[index(w)] = modes[index(w)].data();
            }
            forward.give(to_modes, count, begin, end);
            backward.give(to_reals, count, n);
            for (int w = 0; w < batch; ++w) {
                for (int j = 0; j < n; ++j)
                    EXPECT_EQ(reals[index(w)][index(j)], w < count ? backward.real_out()[j * batch + w] : untouched);
                for (int k = begin; k < end; ++k)
                    EXPECT_EQ(modes[index(w)][index(k - begin)],
                              w < count ? forward.complex_out()[k * batch + w] : Mode(untouched));
            }
        }
}

TYPED_TEST(Transforms, HaveRealMiddles)
{
    Numbers numbers(3);
    for (const int n : lengths) {
        const Line<TypeParam> line{LineKind::real_to_modes, n};
        const auto modes = line.transform(line.random(numbers));
        EXPECT_EQ(modes[0].imag(), 0) << n;
        EXPECT_TRUE(n % 2 != 0 || modes[index(n / 2)].imag() == 0) << n;
    }
}

/// All bits of transforms of all kinds and lengths.
template <class Real>
std::uint64_t all_bits()
{
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    std::uint64_t hash = 0;
    Numbers numbers(4);
    for (const auto kind : kinds)
        for (const int n : lengths) {
            const Line<Real> line{kind, n};
            for (const auto& value : line.transform(line.random(numbers)))
                for (const Real part : {value.real(), value.imag()}) {
                    hash = (hash ^ std::bit_cast<Bits>(part + Real(0))) * 0x9e3779b97f4a7c15;
                    hash ^= hash >> 29;
                }
        }
    return hash;
}

TEST(LineTransform, HasTheseBitsWithEveryInstructionSetOnAnyProcessor)
{
    const auto best = best_instruction_set();
    for (const auto set : {InstructionSet::baseline, InstructionSet::v3, InstructionSet::v4}) {
        if (set > best) continue;
        use_instruction_set(set);
        EXPECT_EQ(all_bits<float>(), 0x7f2b8cd15b491284u) << name_of(set);
        EXPECT_EQ(all_bits<double>(), 0x1f138194509a7e3eu) << name_of(set);
    }
    use_instruction_set(best);
}

} // namespace
} // namespace holon
