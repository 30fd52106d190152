#include <holon/system/owners.hpp>

#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>

#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace holon {

namespace {

/// The rank that knows who owns an atom: neighbours in a molecule are looked up together.
int directory_rank(AtomId id, const Communicator& comm)
{
    constexpr AtomId ids_together = 64;
    return static_cast<int>(id / ids_together % comm.size());
}

} // namespace

std::vector<OwnedAtom> find_owners(const Communicator& comm, std::span<const AtomId> own, std::vector<AtomId> wanted)
{
    if (!comm.any(!wanted.empty())) return {};
    std::ranges::sort(wanted);
    wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());

    struct Entry {
        AtomId id;
        std::int32_t asked; // or told
    };
    Outbox<Entry> to_directory;
    for (const auto id : own) to_directory.send(directory_rank(id, comm), {id, 0});
    for (const auto id : wanted) to_directory.send(directory_rank(id, comm), {id, 1});
    std::unordered_map<AtomId, int> owners;
    std::vector<std::pair<int, AtomId>> queries;
    to_directory.exchange(comm, [&](int rank, const Entry& entry) {
        if (entry.asked == 0)
            owners[entry.id] = rank;
        else
            queries.emplace_back(rank, entry.id);
    });

    Outbox<OwnedAtom> answers;
    for (const auto& [rank, id] : queries) {
        const auto found = owners.find(id);
        HOLON_ASSERT(found != owners.end(), "no rank owns atom id " + std::to_string(id));
        answers.send(rank, {found->second, id});
    }
    std::vector<OwnedAtom> result;
    answers.exchange(comm, result);
    std::ranges::sort(result, {}, [](const OwnedAtom& atom) { return std::tuple(atom.owner, atom.id); });
    return result;
}

} // namespace holon
