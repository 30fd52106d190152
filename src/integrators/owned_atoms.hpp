#pragma once

#include <holon/core/parallel.hpp>
#include <holon/system/atoms.hpp>

#include <cstddef>

namespace holon {

inline constexpr std::size_t few_atoms = 1024; // for a thread

/// Calls use(i) for every owned atom, by several threads.
template <class Use>
void for_each_owned(const Atoms& atoms, Use use)
{
    parallel_for(static_cast<std::size_t>(atoms.n_owned), few_atoms, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) use(i);
    });
}

} // namespace holon
