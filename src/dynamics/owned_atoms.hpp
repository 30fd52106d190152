#pragma once

#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>
#include <holon/system/atoms.hpp>

#include <cstddef>

namespace holon {

inline constexpr std::size_t few_atoms = 1024; // for a thread

/// Calls use(begin, n) for slices of the owned atoms, n from `begin` on, by several threads.
template <class Use>
void for_slices_of_owned(const Atoms& atoms, Use use)
{
    parallel_for(index(atoms.n_owned), few_atoms, [&](std::size_t begin, std::size_t end) {
        if (end > begin) use(begin, static_cast<std::int64_t>(end - begin));
    });
}

/// Calls use(i) for every owned atom, by several threads.
template <class Use>
void for_each_owned(const Atoms& atoms, Use use)
{
    for_slices_of_owned(atoms, [&](std::size_t begin, std::int64_t n) {
        for (std::size_t i = begin; i < begin + index(n); ++i) use(i);
    });
}

} // namespace holon
