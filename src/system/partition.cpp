#include <holon/system/partition.hpp>

#include <holon/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace holon {

namespace {

template <class T>
std::size_t index(T i)
{
    return static_cast<std::size_t>(i);
}

/// Index of the coupling or COM group of an atom; 255: none.
template <class Groups, class Get>
std::uint8_t group_of(const Groups& groups, AtomId id, Get get)
{
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (get(groups[g]).contains(id)) return static_cast<std::uint8_t>(g);
    return 255;
}

/// Messages to be filled rank by rank.
class Outbox {
public:
    std::vector<std::byte>& to(int rank) { return bytes_[rank]; }
    std::vector<Message> take()
    {
        std::vector<Message> messages;
        for (auto& [rank, data] : bytes_) messages.push_back({rank, std::move(data)});
        return messages;
    }

private:
    std::map<int, std::vector<std::byte>> bytes_;
};

} // namespace

Partition::Partition(Communicator comm, const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                     std::vector<MoleculeNeeds> needs, const Parameters& parameters, const Box& box,
                     const DomainGrid& grid)
    : comm_(std::move(comm)), topology_(topology), clusters_(clusters), needs_(std::move(needs)),
      parameters_(parameters), box_(box), grid_(grid)
{
}

AtomId Partition::head_of(AtomId id, const AtomPlace& place) const
{
    return id - place.index + clusters_[index(place.molecule_type)].group_head[index(place.index)];
}

void Partition::distribute(std::vector<AtomRecord> records, Atoms& atoms, double width)
{
    // All atoms of a molecule meet on one rank first: only then are the heads of all groups known to their members.
    const auto n_atoms = topology_.n_atoms();
    Outbox by_molecule;
    for (const auto& record : records) {
        const auto start = std::int64_t{topology_.place(record.id).molecule_start};
        Packer(by_molecule.to(static_cast<int>(start * comm_.size() / n_atoms))).put(record);
    }
    records = {};
    for (const auto& message : comm_.exchange(by_molecule.take())) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) records.push_back(unpack.get<AtomRecord>());
    }
    std::ranges::sort(records, {}, &AtomRecord::id);

    Outbox by_owner;
    for (const auto& record : records) {
        const auto head = head_of(record.id, topology_.place(record.id));
        const auto found = std::ranges::lower_bound(records, head, {}, &AtomRecord::id);
        HOLON_ASSERT(found != records.end() && found->id == head, std::to_string(head));
        Packer(by_owner.to(grid_.rank(grid_.cell_of(box_, found->x)))).put(record);
    }
    records = {};
    for (const auto& message : comm_.exchange(by_owner.take())) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) records.push_back(unpack.get<AtomRecord>());
    }
    accept(std::move(records), atoms);
    add_neighbour_copies(atoms, width);
    add_named_copies(atoms);
}

void Partition::repartition(Atoms& atoms, double width)
{
    std::vector<AtomRecord> kept;
    kept.reserve(index(atoms.n_owned));
    Outbox leaving;
    std::vector<int> target(index(atoms.n_owned));
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto head = head_[index(i)];
        IVec3 x = atoms.x[index(head)];
        box_.wrap(x);
        const int rank = grid_.rank(grid_.cell_of(box_, x));
        if (rank == comm_.rank())
            kept.push_back(canonical(atoms, box_, i));
        else
            Packer(leaving.to(rank)).put(canonical(atoms, box_, i));
    }
    for (const auto& message : comm_.exchange(leaving.take())) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) kept.push_back(unpack.get<AtomRecord>());
    }
    accept(std::move(kept), atoms);
    add_neighbour_copies(atoms, width);
    add_named_copies(atoms);
}

/// Makes `records` the owned atoms, in an order that keeps neighbours in space close in memory and groups together.
void Partition::accept(std::vector<AtomRecord> records, Atoms& atoms)
{
    const auto n = records.size();
    local_.reset(n);
    for (std::size_t i = 0; i < n; ++i) local_.insert(records[i].id, static_cast<std::int32_t>(i));

    struct Key {
        std::uint64_t cell;
        AtomId head;
        AtomId id;
        std::int32_t record;
        auto operator<=>(const Key&) const = default;
    };
    std::vector<Key> keys(n);
    constexpr double cell_size = 0.6; // [nm]: a handful of molecules
    const Vec3 cells(box_.height(0) / cell_size, box_.height(1) / cell_size, box_.height(2) / cell_size);
    for (std::size_t i = 0; i < n; ++i) {
        const auto head = head_of(records[i].id, topology_.place(records[i].id));
        const auto at = local_.find(head);
        HOLON_ASSERT(at >= 0, std::to_string(head));
        Vec3 s = box_.fractional(records[index(at)].x);
        for (int k = 0; k < 3; ++k) s[k] = (s[k] - std::floor(s[k])) * cells[k];
        const auto part = [&s](int k) { return static_cast<std::uint64_t>(s[k]); };
        keys[i] = {part(0) << 42 | part(1) << 21 | part(2), head, records[i].id, static_cast<std::int32_t>(i)};
    }
    std::ranges::sort(keys);

    atoms.n_owned = atoms.n_total = static_cast<std::int32_t>(n);
    for (auto* field : {&atoms.x, &atoms.v}) field->resize(n);
    atoms.id.resize(n);
    atoms.image.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto& record = records[index(keys[i].record)];
        atoms.id[i] = record.id;
        atoms.x[i] = record.x;
        atoms.v[i] = record.v;
        atoms.image[i] = record.image;
    }
    look_up(atoms);
    unite_groups(atoms);
}

void Partition::look_up(Atoms& atoms)
{
    const auto n = index(atoms.n_owned);
    place_.resize(n);
    atoms.type.resize(n);
    atoms.charge.resize(n);
    atoms.mass.resize(n);
    atoms.inverse_mass.resize(n);
    atoms.tc_group.resize(n);
    atoms.comm_group.resize(n);
    local_.reset(n + n / 2);
    for (std::size_t i = 0; i < n; ++i) {
        place_[i] = topology_.place(atoms.id[i]);
        const auto& atom = topology_.molecule_types[index(place_[i].molecule_type)].atoms[index(place_[i].index)];
        atoms.type[i] = atom.type;
        atoms.charge[i] = atom.charge;
        atoms.mass[i] = atom.mass;
        atoms.inverse_mass[i] = 1.0 / atom.mass;
        atoms.tc_group[i] = group_of(parameters_.tc_groups, atoms.id[i],
                                     [](const CouplingGroup& g) -> const AtomGroup& { return g.atoms; });
        atoms.comm_group[i] =
            group_of(parameters_.comm_groups, atoms.id[i], [](const AtomGroup& g) -> const AtomGroup& { return g; });
        local_.insert(atoms.id[i], static_cast<std::int32_t>(i));
    }
    zone_.assign(n, 0);
    owner_.assign(n, comm_.rank());
}

/// Puts the head of each group into the domain, and its members into the periodic images that are nearest to it.
void Partition::unite_groups(Atoms& atoms)
{
    const auto n = index(atoms.n_owned);
    head_.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        if (head_of(atoms.id[i], place_[i]) == atoms.id[i]) {
            const Image image = DomainGrid::parallelepiped_image(box_, atoms.x[i]);
            atoms.x[i] -= box_.shift(image);
            atoms.image[i] += image;
        }
    for (std::size_t i = 0; i < n; ++i) {
        head_[i] = local_.find(head_of(atoms.id[i], place_[i]));
        const IVec3& head = atoms.x[index(head_[i])];
        Image taken;
        atoms.x[i] = head + box_.minimum_image(atoms.x[i] - head, taken);
        atoms.image[i] += taken;
    }
}

void Partition::append_copy(Atoms& atoms, AtomId id, std::uint8_t zone, int owner)
{
    const auto& atom = topology_.atom(id);
    atoms.id.push_back(id);
    atoms.x.push_back(IVec3::Zero());
    atoms.type.push_back(atom.type);
    atoms.charge.push_back(atom.charge);
    atoms.mass.push_back(atom.mass);
    atoms.inverse_mass.push_back(1.0 / atom.mass);
    zone_.push_back(zone);
    owner_.push_back(owner);
    local_.insert(id, atoms.n_total);
    ++atoms.n_total;
}

/// Eighth shell: sends to each domain further along -a, -b, -c what lies within `width` of its upper faces.
void Partition::add_neighbour_copies(Atoms& atoms, double width)
{
    // Members stick out of their head's domain: how far, over all ranks?
    double reach2 = 0.0;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i)
        if (head_[index(i)] != i)
            reach2 = std::max(reach2, to_real(atoms.x[index(i)] - atoms.x[index(head_[index(i)])], 1.0).squaredNorm());
    const auto reach = static_cast<double>(comm_.max(static_cast<std::int64_t>(std::sqrt(reach2)) + 1)) * position_unit;

    constexpr double rounding = 1e-9; // [nm] of fractional coordinates
    const auto me = grid_.cell(comm_.rank());
    std::array<double, 3> in_cells{}; // halo width in units of a domain's side
    std::array<int, 3> furthest{};
    for (std::size_t k = 0; k < 3; ++k) {
        const double side = box_.height(static_cast<int>(k)) / grid_.n()[k];
        in_cells[k] = (width + reach + rounding) / side;
        furthest[k] = static_cast<int>(std::ceil(1.0 + in_cells[k] + reach / side)) - 1;
    }
    std::vector<Vec3> cell_position(index(atoms.n_owned));
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const Vec3 s = box_.fractional(atoms.x[index(i)]);
        for (int k = 0; k < 3; ++k) cell_position[index(i)][k] = s[k] * grid_.n()[index(k)];
    }

    std::map<int, HaloSend> sends;
    Outbox announced; // per copy: id and zone, in the order of the halo messages
    for (int oa = 0; oa <= furthest[0]; ++oa)
        for (int ob = 0; ob <= furthest[1]; ++ob)
            for (int oc = 0; oc <= furthest[2]; ++oc) {
                if (oa + ob + oc == 0) continue;
                const std::array<int, 3> offset{oa, ob, oc};
                std::array<int, 3> cell{};
                Image wraps;
                std::array<double, 3> limit{};
                std::uint8_t zone = 0;
                for (std::size_t k = 0; k < 3; ++k) {
                    const int n = grid_.n()[k];
                    const int at = me[k] - offset[k];
                    wraps[static_cast<int>(k)] = at >= 0 ? 0 : (-at + n - 1) / n;
                    cell[k] = at + wraps[static_cast<int>(k)] * n;
                    limit[k] = offset[k] > 0 ? at + 1 + in_cells[k] : 1e30;
                    if (offset[k] > 0) zone = static_cast<std::uint8_t>(zone | 1 << k);
                }
                const int rank = grid_.rank(cell);
                auto& send = sends[rank];
                send.rank = rank;
                send.shifts.push_back(box_.shift(wraps));
                Packer announce(announced.to(rank));
                for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
                    const Vec3& g = cell_position[index(i)];
                    if (g[0] >= limit[0] || g[1] >= limit[1] || g[2] >= limit[2]) continue;
                    send.atoms.push_back(i);
                    send.shift_of.push_back(static_cast<std::int32_t>(send.shifts.size()) - 1);
                    announce.put(atoms.id[index(i)]);
                    announce.put(zone);
                }
            }
    sends_.clear();
    receives_.clear();
    for (auto& [rank, send] : sends) sends_.push_back(std::move(send));
    for (const auto& message : comm_.exchange(announced.take())) {
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
            for (const auto other : needs_[index(place.molecule_type)].needs[index(place.index)])
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
            send.shifts.push_back(IVec3::Zero());
            Unpacker unpack(message.data);
            while (!unpack.empty()) {
                send.atoms.push_back(local_.find(unpack.get<AtomId>()));
                send.shift_of.push_back(static_cast<std::int32_t>(send.shifts.size()) - 1);
            }
        }
    }
    atoms.f.resize(index(atoms.n_total));
    atoms.x_ref.resize(index(atoms.n_total));
    halo_ = std::make_unique<HaloExchange>(comm_, std::move(sends_), std::move(receives_));
    halo_->update_positions(atoms.x);
}

} // namespace holon
