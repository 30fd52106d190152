#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/core/index.hpp>
#include <holon/core/vec3.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace holon {

/// An order-independent sum of tensors [kJ/mol], this rank's share.
class TensorSum {
public:
    /// 64 bits hold the sum of `most` that are smaller than this [energy_unit].
    static constexpr double small = 0x1p50;
    static constexpr int most = 1 << 12;

    void add(const Mat3& tensor)
    {
        make_room(1);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                const double units = tensor(i, j) * (1.0 / energy_unit);
                if (std::abs(units) < small) [[likely]]
                    small_[index(3 * i + j)] += __builtin_llrint(units);
                else
                    sum_[index(3 * i + j)].add(tensor(i, j));
            }
    }

    /// Adds the sum of n tensors, no more than `most`, of small elements: by rows [energy_unit].
    void add(std::span<const std::int64_t, 9> units, int n)
    {
        make_room(n);
        for (std::size_t k = 0; k < units.size(); ++k) small_[k] += units[k];
    }

    TensorSum& operator+=(TensorSum other)
    {
        const auto parts = other.parts();
        for (std::size_t k = 0; k < parts.size(); ++k) sum_[k] += parts[k];
        return *this;
    }

    /// By rows. What is added later does not show in them.
    std::span<const FixedSum, 9> parts()
    {
        gather();
        return sum_;
    }

private:
    /// For n further ones among the small.
    void make_room(int n)
    {
        if (n_small_ + n > most) gather();
        n_small_ += n;
    }

    void gather()
    {
        for (std::size_t k = 0; k < sum_.size(); ++k) sum_[k] += FixedSum::from_raw(std::exchange(small_[k], 0));
        n_small_ = 0;
    }

    std::array<FixedSum, 9> sum_;
    std::array<std::int64_t, 9> small_{}; // further ones, energy_unit
    int n_small_ = 0;
};

/// The sums over all ranks, at once. Collective.
std::vector<Mat3> over_all(const Communicator& comm, std::span<TensorSum> sums);

} // namespace holon
