#include <holon/system/partition.hpp>

#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/system/owners.hpp>

#include "import_region.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace holon {

void Partition::append_copy(Atoms& atoms, const Announced& copy, int owner)
{
    const auto& atom = topology_.atom(copy.id);
    atoms.id.push_back(copy.id);
    atoms.x.push_back(IVec3::Zero());
    atoms.type.push_back(atom.type);
    atoms.charge.push_back(atom.charge);
    atoms.mass.push_back(atom.mass);
    atoms.inverse_mass.push_back(atom.inverse_mass());
    zone_.push_back(copy.zone);
    lists_.push_back(copy.lists);
    owner_.push_back(owner);
    local_.insert(copy.id, atoms.n_total);
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
void Partition::add_neighbour_copies(Atoms& atoms, const HaloWidths& widths)
{
    const double stick_out = group_reach(atoms);
    std::vector<ImportRegion> regions; // of each list
    for (const double width : widths) regions.emplace_back(grid_, box_, width, stick_out);
    const auto& widest = regions[index(std::ranges::max_element(widths) - widths.begin())];
    std::vector<Vec3> fractional;
    fractional.reserve(index(atoms.n_owned));
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) fractional.push_back(box_.fractional(atoms.x[index(i)]));

    std::map<int, HaloSend> sends;
    Outbox<Announced> announced; // in the order of the halo messages
    const auto me = grid_.cell(comm_.rank());
    widest.for_each_receiver(me, [&](DomainGrid::Cell to, const ImportRegion::Bounds&) {
        std::array<ImportRegion::Bounds, std::tuple_size_v<HaloWidths>> bounds;
        for (std::size_t l = 0; l < bounds.size(); ++l) bounds[l] = regions[l].bounds(to, me);
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
        for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
            const Vec3& s = fractional[index(i)];
            std::uint8_t needed = 0;
            for (std::size_t l = 0; l < bounds.size(); ++l) {
                bool within = true;
                for (std::size_t k = 0; k < 3; ++k) {
                    const double at = s[static_cast<int>(k)];
                    within &= at >= bounds[l].low[k] && at < bounds[l].high[k];
                }
                needed = static_cast<std::uint8_t>(needed | (within ? 1 << l : 0));
            }
            needed &= lists_[index(i)];
            if (needed == 0) continue;
            send.atoms.push_back(i);
            send.wrap_of.push_back(static_cast<std::int32_t>(send.wraps.size()) - 1);
            announced.send(rank, {atoms.id[index(i)], zone, needed});
        }
    });
    sends_.clear();
    for (auto& [rank, send] : sends)
        if (!send.atoms.empty()) sends_.push_back(std::move(send));
    receives_.clear();
    announced.exchange(comm_, [&](int rank, const Announced& copy) {
        if (receives_.empty() || receives_.back().rank != rank) receives_.emplace_back().rank = rank;
        receives_.back().atoms.push_back(atoms.n_total);
        append_copy(atoms, copy, rank);
    });
}

/// Atoms that others may ask for by name.
std::vector<AtomId> Partition::needed_atoms(const Atoms& atoms) const
{
    std::vector<AtomId> needed;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto& place = place_[index(i)];
        if (needs_[index(place.molecule_type)].needed[index(place.index)]) needed.push_back(atoms.id[index(i)]);
    }
    return needed;
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

        const auto list_for = [](auto& lists, int rank) -> auto&
        {
            auto found = std::ranges::find_if(lists, [rank](const auto& list) { return list.rank == rank; });
            if (found == lists.end()) {
                lists.emplace_back().rank = rank;
                return lists.back();
            }
            return *found;
        };
        Outbox<AtomId> requests;
        for (const auto& [owner, id] : find_owners(comm_, needed_atoms(atoms), std::move(wanted))) {
            requests.send(owner, id);
            list_for(receives_, owner).atoms.push_back(atoms.n_total);
            append_copy(atoms, {id, named, 0}, owner);
        }
        int last = -1;
        requests.exchange(comm_, [&](int rank, AtomId id) {
            auto& send = list_for(sends_, rank);
            if (std::exchange(last, rank) != rank) send.wraps.push_back(Image::Zero());
            send.atoms.push_back(local_.find(id));
            send.wrap_of.push_back(static_cast<std::int32_t>(send.wraps.size()) - 1);
        });
    }
    atoms.f.resize(index(atoms.n_total));
    atoms.x_ref.resize(index(atoms.n_total));
    halo_ = std::make_unique<HaloExchange>(comm_, std::move(sends_), std::move(receives_), box_);
    halo_->update_positions(atoms.x);
}

} // namespace holon
