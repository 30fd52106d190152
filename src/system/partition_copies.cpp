#include <holon/system/partition.hpp>

#include <holon/core/error.hpp>

#include "import_region.hpp"
#include "outbox.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace holon {

namespace {

template <class T>
std::size_t index(T i)
{
    return static_cast<std::size_t>(i);
}

} // namespace

void Partition::append_copy(Atoms& atoms, AtomId id, std::uint8_t zone, int owner)
{
    const auto& atom = topology_.atom(id);
    atoms.id.push_back(id);
    atoms.x.push_back(IVec3::Zero());
    atoms.type.push_back(atom.type);
    atoms.charge.push_back(atom.charge);
    atoms.mass.push_back(atom.mass);
    atoms.inverse_mass.push_back(atom.inverse_mass());
    zone_.push_back(zone);
    owner_.push_back(owner);
    local_.insert(id, atoms.n_total);
    ++atoms.n_total;
}

/// How far group members are from their heads, on any rank [nm]. Collective.
double Partition::group_reach(const Atoms& atoms) const
{
    double reach2 = 0.0;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i)
        if (head_[index(i)] != i)
            reach2 = std::max(reach2, to_real(atoms.x[index(i)] - atoms.x[index(head_[index(i)])], 1.0).squaredNorm());
    return static_cast<double>(comm_.max(static_cast<std::int64_t>(std::sqrt(reach2)) + 1)) * position_unit;
}

/// Eighth shell: sends to each domain further along -a, -b, -c what that one needs, see ImportRegion.
void Partition::add_neighbour_copies(Atoms& atoms, double width)
{
    const ImportRegion region(grid_, box_, width, group_reach(atoms));
    std::vector<Vec3> fractional;
    fractional.reserve(index(atoms.n_owned));
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) fractional.push_back(box_.fractional(atoms.x[index(i)]));

    std::map<int, HaloSend> sends;
    Outbox announced; // per copy: id and zone, in the order of the halo messages
    const auto me = grid_.cell(comm_.rank());
    region.for_each_receiver(me, [&](DomainGrid::Cell to, const ImportRegion::Bounds& bounds) {
        std::uint8_t zone = 0;
        Image wraps; // into its frame
        for (std::size_t k = 0; k < 3; ++k) {
            if (to[k] != me[k]) zone = static_cast<std::uint8_t>(zone | 1 << k);
            const int n = grid_.n()[k];
            const int wrap = to[k] >= 0 ? 0 : (n - 1 - to[k]) / n;
            wraps[static_cast<int>(k)] = wrap;
            to[k] += wrap * n;
        }
        const int rank = grid_.rank(to);
        auto& send = sends[rank];
        send.rank = rank;
        send.wraps.push_back(wraps);
        Packer announce(announced.to(rank));
        for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
            const Vec3& s = fractional[index(i)];
            bool needed = true;
            for (std::size_t k = 0; k < 3; ++k) {
                const double at = s[static_cast<int>(k)];
                needed &= at >= bounds.low[k] && at < bounds.high[k];
            }
            if (!needed) continue;
            send.atoms.push_back(i);
            send.wrap_of.push_back(static_cast<std::int32_t>(send.wraps.size()) - 1);
            announce.put(atoms.id[index(i)]);
            announce.put(zone);
        }
    });
    sends_.clear();
    for (auto& [rank, send] : sends)
        if (!send.atoms.empty()) sends_.push_back(std::move(send));
    receive_copies(atoms, comm_.exchange(announced.take()));
}

/// Appends the copies that neighbours have announced.
void Partition::receive_copies(Atoms& atoms, const std::vector<Message>& announced)
{
    receives_.clear();
    for (const auto& message : announced) {
        auto& receive = receives_.emplace_back();
        receive.rank = message.rank;
        Unpacker unpack(message.data);
        while (!unpack.empty()) {
            const auto id = unpack.get<AtomId>();
            const auto zone = unpack.get<std::uint8_t>();
            receive.atoms.push_back(atoms.n_total);
            append_copy(atoms, id, zone, message.rank);
        }
    }
}

int Partition::directory_rank(AtomId id) const
{
    return static_cast<int>(std::int64_t{id} * comm_.size() / topology_.n_atoms());
}

/// Owners of the wanted atoms, from a directory that is spread over the ranks by id. Collective.
std::vector<std::pair<int, AtomId>> Partition::find_owners(const Atoms& atoms, const std::vector<AtomId>& wanted) const
{
    constexpr std::uint8_t publish = 0, query = 1;
    Outbox to_directory;
    const auto put = [&](AtomId id, std::uint8_t what) {
        Packer pack(to_directory.to(directory_rank(id)));
        pack.put(id);
        pack.put(what);
    };
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto& place = place_[index(i)];
        if (needs_[index(place.molecule_type)].needed[index(place.index)]) put(atoms.id[index(i)], publish);
    }
    for (const auto id : wanted) put(id, query);

    std::map<AtomId, int> owners;
    std::vector<std::pair<int, AtomId>> queries;
    for (const auto& message : comm_.exchange(to_directory.take())) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) {
            const auto id = unpack.get<AtomId>();
            if (unpack.get<std::uint8_t>() == publish)
                owners[id] = message.rank;
            else
                queries.emplace_back(message.rank, id);
        }
    }
    Outbox answers;
    for (const auto& [rank, id] : queries) {
        const auto found = owners.find(id);
        HOLON_ASSERT(found != owners.end(), std::to_string(id));
        Packer pack(answers.to(rank));
        pack.put(found->second);
        pack.put(id);
    }
    std::vector<std::pair<int, AtomId>> result;
    for (const auto& message : comm_.exchange(answers.take())) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) {
            const auto rank = unpack.get<int>();
            result.emplace_back(rank, unpack.get<AtomId>());
        }
    }
    std::ranges::sort(result);
    return result;
}

/// Copies of atoms that bonded terms or constraints of owned atoms need and that are not here yet; then the halo.
void Partition::add_named_copies(Atoms& atoms)
{
    if (comm_.size() > 1) {
        std::vector<AtomId> wanted;
        for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
            const auto& place = place_[index(i)];
            const auto& needs = needs_[index(place.molecule_type)];
            bool at_a_cut = false;
            for (const auto other : needs.needs[index(place.index)]) {
                const auto local = local_.find(place.molecule_start + other);
                if (local < 0) wanted.push_back(place.molecule_start + other);
                if (local < 0 || local >= atoms.n_owned) at_a_cut = true;
            }
            if (!at_a_cut) continue;
            for (const auto other : needs.beyond[index(place.index)])
                if (local_.find(place.molecule_start + other) < 0) wanted.push_back(place.molecule_start + other);
        }
        std::ranges::sort(wanted);
        wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());

        const auto list_for = [](auto& lists, int rank) -> auto&
        {
            auto found = std::ranges::find_if(lists, [rank](const auto& list) { return list.rank == rank; });
            if (found == lists.end()) {
                lists.emplace_back().rank = rank;
                return lists.back();
            }
            return *found;
        };
        Outbox requests;
        for (const auto& [rank, id] : find_owners(atoms, wanted)) {
            Packer(requests.to(rank)).put(id);
            list_for(receives_, rank).atoms.push_back(atoms.n_total);
            append_copy(atoms, id, named, rank);
        }
        for (const auto& message : comm_.exchange(requests.take())) {
            auto& send = list_for(sends_, message.rank);
            send.wraps.push_back(Image::Zero());
            Unpacker unpack(message.data);
            while (!unpack.empty()) {
                send.atoms.push_back(local_.find(unpack.get<AtomId>()));
                send.wrap_of.push_back(static_cast<std::int32_t>(send.wraps.size()) - 1);
            }
        }
    }
    atoms.f.resize(index(atoms.n_total));
    atoms.x_ref.resize(index(atoms.n_total));
    halo_ = std::make_unique<HaloExchange>(comm_, std::move(sends_), std::move(receives_), box_);
    halo_->update_positions(atoms.x);
}

} // namespace holon
