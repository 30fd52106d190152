#pragma once

#include <holon/core/box.hpp>
#include <holon/core/lattice.hpp>
#include <holon/core/vec3.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace holon {

/// Hash of one atom's state: canonical position [2^-48 nm], image counts, velocity [2^-44 nm/ps]. Every bit of the
/// input reaches every bit of the result.
std::uint64_t atom_hash(AtomId id, const IVec3& x, const Image& image, const IVec3& v);

/// Hash of a number that a method keeps with an atom from step to step, the `index`th of that atom. 0 adds nothing to
/// the state: a state without the number is the same.
std::uint64_t kept_hash(AtomId id, std::int32_t index, double value);

/// Hash of a number of the whole system, the `index`th of this name. 0 adds nothing, likewise.
std::uint64_t number_hash(std::string_view name, std::size_t index, double value);

/// Hash of the box: its master vectors, bit by bit (a box of -0.0 and one of 0.0 are the same).
std::uint64_t box_hash(const Mat3& master);
inline std::uint64_t box_hash(const Box& box)
{
    return box_hash(box.master());
}

/// The state hash of a system is the sum modulo 2^64 of all its atom_hash(), kept_hash() and number_hash() and
/// its box_hash(): no order matters.
/// This is how it is printed: 16 hexadecimal digits.
std::string state_hash_text(std::uint64_t hash);

} // namespace holon
