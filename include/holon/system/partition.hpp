#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/comm/domain_grid.hpp>
#include <holon/comm/halo_exchange.hpp>
#include <holon/core/box.hpp>
#include <holon/core/index.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/id_map.hpp>
#include <holon/system/needs.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <cstdint>
#include <vector>

namespace holon {

/// Decides which rank owns which atom and which copies it holds, and moves both.
///
/// An atom is owned where the head of its group is (itself, the oxygen of its rigid water, the centre of its X-H
/// group, that of the first parent of a virtual site). Copies come from the domains that lie further along +a, +b, +c
/// only (eighth shell): a pair is computed on the one rank from which neither atom lies further along the same
/// direction, see `zone`. How far they come from depends on the pair lists that an atom takes part in, see `lists`.
/// Periodic images are copies like any other, also of a rank's own atoms, so no force ever searches for an image.
/// Price: on one rank a small box holds about half as many images as atoms. Atoms that bonded terms, constraints or
/// virtual sites need beyond that are requested by id from their owners, however far away they are.
class Partition {
public:
    /// Of the molecule types.
    struct Types {
        const std::vector<MoleculeClusters>& clusters; // must outlive the partition
        std::vector<MoleculeNeeds> needs;
    };
    Partition(Communicator comm, const Topology& topology, Types types, const Parameters& parameters, const Box& box,
              const DomainGrid& grid);

    /// First distribution, from records that are anywhere (each atom on exactly one rank). Of `kept`, likewise, what is
    /// not there becomes 0, and what no method wants is dropped. Collective.
    void distribute(std::vector<AtomRecord> records, std::vector<KeptNumber> kept, Atoms& atoms,
                    const HaloWidths& widths);

    /// Moves atoms to their owners and sets up all copies that pair lists need. Collective.
    /// Post: atoms.x of copies is up to date; f and x_ref have the new size, contents undefined.
    void repartition(Atoms& atoms, const HaloWidths& widths);

    /// After the box has changed: copies are shifted by its vectors from the next update on.
    void follow_box() { halo_->follow(box_); }

    /// Other faces of the domains, in force from the next repartition() on. Alike on all ranks.
    void set_grid(const DomainGrid& grid) { grid_ = grid; }

    HaloExchange& halo() { return *halo_; }
    const HaloExchange& halo() const { return *halo_; }
    const IdMap& local() const { return local_; }
    const std::vector<std::uint8_t>& zone() const { return zone_; } // per local atom: bit k set: from further along k
    /// Per local atom: bit l set: it takes part in pair list l, and is near enough for it.
    const std::vector<std::uint8_t>& lists() const { return lists_; }
    static constexpr std::uint8_t named = 8; // zone of a copy that was requested by id
    int owner_of(std::int32_t copy) const { return owner_[index(copy)]; }
    const std::vector<AtomPlace>& place() const { return place_; } // per owned atom
    const DomainGrid& grid() const { return grid_; }

private:
    void accept(std::vector<AtomRecord> records, Atoms& atoms);
    void lay_out_kept(const std::vector<KeptNumber>& numbers, Atoms& atoms) const;
    void unite_groups(Atoms& atoms);
    void look_up(Atoms& atoms);
    double group_reach(const Atoms& atoms) const;
    void add_neighbour_copies(Atoms& atoms, const HaloWidths& widths);
    void add_named_copies(Atoms& atoms);
    std::vector<AtomId> needed_atoms(const Atoms& atoms) const;
    struct Announced {
        AtomId id;
        std::uint8_t zone, lists;
    };
    void append_copy(Atoms& atoms, const Announced& copy, int owner);
    AtomId head_of(AtomId id, const AtomPlace& place) const;

    Communicator comm_;
    const Topology& topology_;
    const std::vector<MoleculeClusters>& clusters_;
    std::vector<MoleculeNeeds> needs_;
    bool keeps_; // methods keep numbers with atoms
    const Parameters& parameters_;
    const Box& box_;
    DomainGrid grid_;

    IdMap local_;
    std::vector<AtomPlace> place_;
    std::vector<std::int32_t> head_; // per owned atom: local index of its group's head
    std::vector<std::uint8_t> zone_, lists_;
    std::vector<int> owner_;
    std::vector<HaloSend> sends_;
    std::vector<HaloReceive> receives_;
    std::unique_ptr<HaloExchange> halo_;
};

} // namespace holon
