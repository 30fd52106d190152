#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace holon {

/// An integer that is not negative, or an enumerator, as index of an array.
template <class T>
requires std::integral<T> || std::is_enum_v<T>
[[gnu::always_inline]] constexpr std::size_t index(T i)
{
    return static_cast<std::size_t>(i);
}

} // namespace holon
