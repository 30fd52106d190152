#include "layout.hpp"
#include "row_dealer.hpp"

#include <holon/comm/on_root.hpp>

namespace holon {

namespace {

/// What rank 0 found out, for the other ranks: texts one after the other, each after its name.
void broadcast_texts(const Communicator& comm, std::map<std::string, std::string>& texts)
{
    auto count = static_cast<std::uint64_t>(texts.size());
    comm.broadcast(std::as_writable_bytes(std::span(&count, 1)));
    auto next = texts.begin();
    for (std::uint64_t k = 0; k < count; ++k) {
        std::string name, text;
        if (comm.root()) std::tie(name, text) = *next++;
        comm.broadcast(name);
        comm.broadcast(text);
        if (!comm.root()) texts[name] = text;
    }
}

/// Calls end() when it goes, with an exception, too: the other ranks wait for it.
struct EndOfDeal {
    RowDealer& dealer;
    ~EndOfDeal() { dealer.end(); }
};

} // namespace

CheckpointContents read_checkpoint(const Communicator& comm, const std::string& path, const StateCheck& check)
{
    CheckpointContents contents;
    CommitRecord record{};
    std::vector<StateValue> more;
    RowDealer dealer(comm);
    if (!comm.root()) dealer.receive();
    on_root(comm, [&] {
        const EndOfDeal end{dealer};
        const auto file = open_input(path);
        const auto directory = read_directory(file);
        auto found =
            read_newest(file, directory, check,
                        {[&] { dealer.begin(directory); }, [&](SlotPart part, auto rows) { dealer.deal(part, rows); }});
        record = found.records.front();
        more = std::move(found.more);
        contents.slot = found.slot;
        contents.notes = std::move(found.notes);
        contents.input = read_input(file, directory);
    });
    const auto broadcast = [&comm](auto& value) { comm.broadcast(std::as_writable_bytes(std::span(&value, 1))); };
    broadcast(record);
    auto n_more = more.size();
    broadcast(n_more);
    more.resize(n_more);
    comm.broadcast(std::as_writable_bytes(std::span(more)));
    broadcast(contents.slot);
    broadcast(contents.input.atoms);
    broadcast(contents.input.run_id);
    broadcast_texts(comm, contents.input.texts);
    contents.state = state_of(record, more);
    contents.atoms = dealer.rows().atoms(box_in_force(record));
    contents.kept = std::move(dealer.rows().kept);
    return contents;
}

} // namespace holon
