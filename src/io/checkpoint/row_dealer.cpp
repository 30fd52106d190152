#include "row_dealer.hpp"

#include <holon/core/index.hpp>

#include <algorithm>
#include <utility>

namespace holon {

namespace {

constexpr std::size_t many_bytes = 64 << 20;
constexpr std::array<std::size_t, 4> row_bytes = {sizeof(AtomIdentity), sizeof(IVec3), sizeof(IVec3),
                                                  sizeof(KeptNumber)}; // in the order of SlotPart

} // namespace

RowDealer::RowDealer(const Communicator& comm) : comm_(comm), pending_(index(comm.size())) {}

void RowDealer::begin(const CheckpointDirectory& directory)
{
    total_ = {directory.atoms, directory.atoms, directory.atoms, directory.kept};
    if (sent_) say(Word::begin);
    sent_ = false;
    dealt_ = {};
    pending_bytes_ = 0;
    rows_ = {};
    for (auto& message : pending_) message.data.clear();
}

/// Rank r gets the rows [total * r / ranks, total * (r + 1) / ranks) of each part.
void RowDealer::deal(SlotPart part, std::span<const std::byte> rows)
{
    const auto kind = index(part);
    const auto size = row_bytes[kind];
    for (auto& next = dealt_[kind]; !rows.empty();) {
        const auto rank = index(((next + 1) * comm_.size() - 1) / total_[kind]);
        const auto end = total_[kind] * static_cast<std::int64_t>(rank + 1) / comm_.size();
        const auto now = rows.first(std::min(rows.size(), index(end - next) * size));
        Packer pack(pending_[rank].data);
        pack.put(part);
        pack.put(now.size());
        pending_[rank].data.insert(pending_[rank].data.end(), now.begin(), now.end());
        next += static_cast<std::int64_t>(now.size() / size);
        rows = rows.subspan(now.size());
        pending_bytes_ += now.size();
    }
    if (pending_bytes_ >= many_bytes) send();
}

void RowDealer::end()
{
    send();
    say(Word::end);
}

void RowDealer::receive()
{
    for (;;) {
        std::int64_t word = 0;
        comm_.broadcast(std::as_writable_bytes(std::span(&word, 1)));
        if (word == static_cast<std::int64_t>(Word::end)) return;
        if (word == static_cast<std::int64_t>(Word::begin))
            rows_ = {};
        else
            take(comm_.exchange({}));
    }
}

void RowDealer::say(Word word)
{
    comm_.broadcast(std::as_writable_bytes(std::span(&word, 1)));
}

void RowDealer::send()
{
    say(Word::rows);
    sent_ = true;
    std::vector<Message> messages(pending_.size());
    for (std::size_t rank = 0; rank < messages.size(); ++rank)
        messages[rank] = {static_cast<int>(rank), std::exchange(pending_[rank].data, {})};
    pending_bytes_ = 0;
    take(comm_.exchange(std::move(messages)));
}

void RowDealer::take(std::span<const Message> messages)
{
    for (const auto& message : messages) {
        auto bytes = std::span(message.data);
        while (!bytes.empty()) {
            Unpacker unpack(bytes);
            const auto part = unpack.get<SlotPart>();
            const auto size = unpack.get<std::size_t>();
            bytes = bytes.subspan(sizeof(part) + sizeof(size));
            rows_.add(part, bytes.first(size));
            bytes = bytes.subspan(size);
        }
    }
}

} // namespace holon
