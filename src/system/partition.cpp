#include <holon/system/partition.hpp>

#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/memory.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

constexpr std::uint8_t all_lists = (1U << std::tuple_size_v<HaloWidths>)-1U;

/// Index of the coupling or COM group of an atom; 255: none.
template <class Groups, class Get>
std::uint8_t group_of(const Groups& groups, AtomId id, Get get)
{
    for (std::size_t g = 0; g < groups.size(); ++g)
        if (get(groups[g]).contains(id)) return static_cast<std::uint8_t>(g);
    return 255;
}

} // namespace

Partition::Partition(Communicator comm, const Topology& topology, Types types, const Parameters& parameters,
                     const Box& box, const DomainGrid& grid)
    : comm_(std::move(comm)), topology_(topology), clusters_(types.clusters), needs_(std::move(types.needs)),
      keeps_(std::ranges::any_of(needs_, [](const MoleculeNeeds& type) { return !type.kept.empty(); })),
      parameters_(parameters), box_(box), grid_(grid)
{
}

AtomId Partition::head_of(AtomId id, const AtomPlace& place) const
{
    return id - place.index + clusters_[index(place.molecule_type)].group_head[index(place.index)];
}

void Partition::distribute(std::vector<AtomRecord> records, std::vector<KeptNumber> kept, Atoms& atoms,
                           const HaloWidths& widths)
{
    // All atoms of a molecule meet on one rank first: only then are the heads of all groups known to their members.
    const auto n_atoms = topology_.n_atoms();
    const auto meeting_place = [&](AtomId id) {
        return static_cast<int>(std::int64_t{topology_.place(id).molecule_start} * comm_.size() / n_atoms);
    };
    Outbox<AtomRecord> by_molecule;
    Outbox<KeptNumber> kept_by_molecule;
    for (const auto& record : records) by_molecule.send(meeting_place(record.id), record);
    if (!keeps_) kept.clear();
    for (const auto& number : kept) kept_by_molecule.send(meeting_place(number.id), number);
    release(records);
    release(kept);
    by_molecule.exchange(comm_, records);
    if (keeps_) kept_by_molecule.exchange(comm_, kept);
    std::ranges::sort(records, {}, &AtomRecord::id);

    const auto owner = [&](AtomId id) {
        const auto head = head_of(id, topology_.place(id));
        const auto found = std::ranges::lower_bound(records, head, {}, &AtomRecord::id);
        HOLON_ASSERT(found != records.end() && found->id == head, std::to_string(head));
        return grid_.rank(grid_.cell_of(box_, found->x));
    };
    Outbox<AtomRecord> by_owner;
    Outbox<KeptNumber> kept_by_owner;
    for (const auto& record : records) by_owner.send(owner(record.id), record);
    for (const auto& number : kept) kept_by_owner.send(owner(number.id), number);
    release(records);
    release(kept);
    by_owner.exchange(comm_, records);
    if (keeps_) kept_by_owner.exchange(comm_, kept);
    accept(std::move(records), atoms);
    lay_out_kept(kept, atoms);
    add_neighbour_copies(atoms, widths);
    add_named_copies(atoms);
}

void Partition::repartition(Atoms& atoms, const HaloWidths& widths)
{
    std::vector<AtomRecord> records;
    std::vector<KeptNumber> kept;
    for (auto* field : {&atoms.x_ref, &atoms.f}) release(*field); // of the last step; their memory is of use here
    records.reserve(index(atoms.n_owned));
    Outbox<AtomRecord> leaving;
    Outbox<KeptNumber> leaving_kept;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto head = head_[index(i)];
        IVec3 x = atoms.x[index(head)];
        box_.wrap(x);
        const int rank = grid_.rank(grid_.cell_of(box_, x));
        const bool stays = rank == comm_.rank();
        if (stays)
            records.push_back(canonical(atoms, box_, i));
        else
            leaving.send(rank, canonical(atoms, box_, i));
        for_each_kept(atoms, index(i), [&](const KeptNumber& number) {
            if (stays)
                kept.push_back(number);
            else
                leaving_kept.send(rank, number);
        });
    }
    leaving.exchange(comm_, records);
    if (keeps_) leaving_kept.exchange(comm_, kept);
    accept(std::move(records), atoms);
    lay_out_kept(kept, atoms);
    add_neighbour_copies(atoms, widths);
    add_named_copies(atoms);
}

/// Makes `records` the owned atoms, in an order that keeps neighbours in space close in memory and groups together; but
/// virtual sites come last, so that rigid waters follow each other with sites as they do without.
void Partition::accept(std::vector<AtomRecord> records, Atoms& atoms)
{
    const auto n = records.size();
    local_.reset(n);
    for (std::size_t i = 0; i < n; ++i) local_.insert(records[i].id, static_cast<std::int32_t>(i));

    struct Key {
        std::uint64_t cell; // highest bit: a virtual site
        AtomId head;
        AtomId id;
        std::int32_t record;
        auto operator<=>(const Key&) const = default;
    };
    std::vector<Key> keys(n);
    constexpr double cell_size = 0.6; // [nm]: a handful of molecules
    const Vec3 cells(box_.height(0) / cell_size, box_.height(1) / cell_size, box_.height(2) / cell_size);
    for (std::size_t i = 0; i < n; ++i) {
        const auto place = topology_.place(records[i].id);
        const auto head = head_of(records[i].id, place);
        const auto at = local_.find(head);
        HOLON_ASSERT(at >= 0, std::to_string(head));
        const auto& atom = topology_.molecule_types[index(place.molecule_type)].atoms[index(place.index)];
        const std::uint64_t section = atom.mass > 0.0 ? 0 : std::uint64_t{1} << 63;
        Vec3 s = box_.fractional(records[index(at)].x);
        for (int k = 0; k < 3; ++k) s[k] = (s[k] - std::floor(s[k])) * cells[k];
        const auto part = [&s](int k) { return static_cast<std::uint64_t>(s[k]); };
        keys[i] = {section | part(0) << 42 | part(1) << 21 | part(2), head, records[i].id,
                   static_cast<std::int32_t>(i)};
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

/// Makes room for the numbers of the owned atoms and fills in those that are known.
void Partition::lay_out_kept(const std::vector<KeptNumber>& numbers, Atoms& atoms) const
{
    atoms.kept_begin.clear();
    atoms.kept.clear();
    if (!keeps_) return;
    atoms.kept_begin.push_back(0);
    for (const auto& place : place_) {
        const auto& kept = needs_[index(place.molecule_type)].kept;
        atoms.kept_begin.push_back(atoms.kept_begin.back() + (kept.empty() ? 0 : kept[index(place.index)]));
    }
    atoms.kept.assign(index(atoms.kept_begin.back()), 0.0);
    for (const auto& number : numbers) {
        const auto i = local_.find(number.id);
        HOLON_ASSERT(i >= 0 && i < atoms.n_owned, std::to_string(number.id));
        const auto at = atoms.kept_begin[index(i)] + number.index;
        if (number.index >= 0 && at < atoms.kept_begin[index(i) + 1]) atoms.kept[index(at)] = number.value;
    }
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
        atoms.inverse_mass[i] = atom.inverse_mass();
        atoms.tc_group[i] = group_of(parameters_.tc_groups, atoms.id[i],
                                     [](const CouplingGroup& g) -> const AtomGroup& { return g.atoms; });
        atoms.comm_group[i] =
            group_of(parameters_.comm_groups, atoms.id[i], [](const AtomGroup& g) -> const AtomGroup& { return g; });
        local_.insert(atoms.id[i], static_cast<std::int32_t>(i));
    }
    zone_.assign(n, 0);
    lists_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto& lists = needs_[index(place_[i].molecule_type)].lists;
        lists_[i] = lists.empty() ? all_lists : lists[index(place_[i].index)];
    }
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

} // namespace holon
