#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/system/atoms.hpp>

#include <span>
#include <vector>

namespace holon {

/// An atom and the rank that owns it.
struct OwnedAtom {
    int owner = 0;
    AtomId id = 0;
};

/// Who owns the wanted atoms, which may be anywhere, each once, by owner and id: from a directory that is spread over
/// the ranks by id. `own`: atoms that this rank owns and that others may ask for. Collective.
std::vector<OwnedAtom> find_owners(const Communicator& comm, std::span<const AtomId> own, std::vector<AtomId> wanted);

} // namespace holon
