#include <holon/dynamics/scaling_groups.hpp>

#include <holon/comm/on_root.hpp>
#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/core/index.hpp>
#include <holon/dynamics/system.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace holon {

namespace {

constexpr double mass_unit = 0x1p-20; // [u]

/// a / b to the nearest integer, upwards where there are two: the same wherever the origin is.
std::int64_t divided(int128 a, int128 b)
{
    const int128 twice = 2 * a + b, divisor = 2 * b;
    const int128 quotient = twice / divisor;
    return static_cast<std::int64_t>(twice % divisor < 0 ? quotient - 1 : quotient);
}

/// Rows of the box on its lattice, from rows [nm].
std::array<IVec3, 3> lattice_rows(const Mat3& vectors, int lattice_bits)
{
    const std::int64_t unit = std::int64_t{1} << (position_bits - lattice_bits);
    std::array<IVec3, 3> rows;
    for (std::size_t k = 0; k < 3; ++k)
        rows[k] = unit * to_lattice(vectors.row(static_cast<int>(k)), std::ldexp(1.0, -lattice_bits));
    return rows;
}

IVec3 combined(const std::array<IVec3, 3>& rows, const Image& counts)
{
    IVec3 sum = IVec3::Zero();
    for (std::size_t k = 0; k < 3; ++k) sum += std::int64_t{counts[static_cast<int>(k)]} * rows[k];
    return sum;
}

} // namespace

/// From the first member of a group to the centre of all [nm].
Vec3 ScalingGroups::from_head(std::span<const Member> members, const std::vector<IVec3>& x)
{
    Vec3 sum = Vec3::Zero();
    for (const auto& member : members.subspan(1))
        sum += member.weight * to_real(IVec3(x[index(member.atom)] - x[index(members.front().atom)]), position_unit);
    return sum;
}

/// Of the centre [nm/ps].
Vec3 ScalingGroups::velocity(std::span<const Member> members, const Atoms& atoms)
{
    Vec3 sum = Vec3::Zero();
    for (const auto& member : members) sum += member.weight * to_real(atoms.v[index(member.atom)], velocity_unit);
    return sum;
}

IVec3 ScalingGroups::Sum::centre() const
{
    return {divided(x[0], mass), divided(x[1], mass), divided(x[2], mass)};
}

Vec3 ScalingGroups::Sum::velocity() const
{
    Vec3 u;
    for (int k = 0; k < 3; ++k) u[k] = static_cast<double>(v[index(k)]) / static_cast<double>(mass) * velocity_unit;
    return u;
}

ScalingGroups::Sum& ScalingGroups::Sum::operator+=(const Sum& other)
{
    mass += other.mass;
    for (std::size_t k = 0; k < 3; ++k) {
        x[k] += other.x[k];
        v[k] += other.v[k];
    }
    return *this;
}

ScalingGroups::ScalingGroups(Communicator comm, const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                             const Partition& partition, const Atoms& atoms)
    : comm_(std::move(comm)), n_atoms_(topology.n_atoms())
{
    for (const auto& molecule : clusters)
        any_cut_ |= std::ranges::any_of(molecule.clusters, [](const ConstraintCluster& c) { return !c.small; });
    const auto n = index(atoms.n_owned);
    std::map<AtomId, std::int32_t> cut;                 // by lowest id
    std::vector<std::pair<AtomId, std::int32_t>> whole; // id of the head, atom
    whole.reserve(n);
    for (std::size_t i = 0; i < n; ++i) {
        if (atoms.inverse_mass[i] == 0.0) {
            if (atoms.mass[i] > 0.0) frozen_.push_back(static_cast<std::int32_t>(i));
            continue;
        }
        const auto& place = partition.place()[i];
        const auto& molecule = clusters[index(place.molecule_type)];
        const auto of = molecule.cluster_of[index(place.index)];
        const auto atom = static_cast<std::int32_t>(i);
        if (of < 0 || molecule.clusters[index(of)].small) {
            whole.emplace_back(place.molecule_start + molecule.group_head[index(place.index)], atom);
            continue;
        }
        const AtomId key = place.molecule_start + molecule.clusters[index(of)].atoms.front();
        const auto [found, is_new] = cut.try_emplace(key, static_cast<std::int32_t>(cut_keys_.size()));
        if (is_new) cut_keys_.push_back(key);
        cut_members_.push_back({atom, found->second, round_to_int(atoms.mass[i] / mass_unit)});
    }
    // Members in the order of their ids: their sums have the same bits on any rank.
    std::ranges::sort(whole, [&](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : atoms.id[index(a.second)] < atoms.id[index(b.second)];
    });
    std::vector<std::span<const std::pair<AtomId, std::int32_t>>> groups;
    for (auto rest = std::span(std::as_const(whole)); !rest.empty(); rest = rest.subspan(groups.back().size())) {
        const auto is_other = [head = rest.front().first](const auto& member) { return member.first != head; };
        groups.push_back(rest.first(index(std::ranges::find_if(rest, is_other) - rest.begin())));
    }
    // Groups in the order of their atoms in memory.
    std::ranges::sort(groups, {}, [](const auto& group) { return group.front().second; });
    for (const auto& group : groups) {
        double mass = 0.0;
        for (const auto& [head, atom] : group) mass += atoms.mass[index(atom)];
        for (const auto& [head, atom] : group) members_.push_back({atom, atoms.mass[index(atom)] / mass});
        whole_.push_back({static_cast<std::int32_t>(members_.size()), mass});
    }
}

/// Calls use(members, mass) for each group that is owned whole.
template <class Use>
void ScalingGroups::for_each_whole(Use use) const
{
    std::size_t begin = 0;
    for (const auto& group : whole_) {
        use(std::span(members_).subspan(begin, index(group.end) - begin), group.mass);
        begin = index(group.end);
    }
}

std::int64_t ScalingGroups::count(const Topology& topology, const std::vector<MoleculeClusters>& clusters)
{
    std::int64_t n = 0;
    for (const auto& block : topology.blocks) {
        const auto& molecule = clusters[index(block.type)];
        const auto& atoms = topology.molecule_types[index(block.type)].atoms;
        std::int64_t heads = 0;
        for (std::size_t a = 0; a < molecule.group_head.size(); ++a) {
            if (atoms[a].inverse_mass() == 0.0) continue;
            const auto of = molecule.cluster_of[a];
            const bool cut = of >= 0 && !molecule.clusters[index(of)].small;
            if (cut ? molecule.clusters[index(of)].atoms.front() == static_cast<std::int32_t>(a)
                    : molecule.group_head[a] == static_cast<std::int32_t>(a))
                ++heads;
        }
        n += heads * block.count;
    }
    return n;
}

/// Position of a member of a group that may be cut, as part of it.
IVec3 ScalingGroups::unwrapped(const std::vector<IVec3>& x, std::int32_t i, const Atoms& atoms, const Box& box) const
{
    return x[index(i)] + box.shift(atoms.image[index(i)]);
}

/// Of each group with members here that may be cut: the sums over all its members. `x`: positions. Collective.
std::vector<ScalingGroups::Sum> ScalingGroups::cut_sums(const std::vector<IVec3>& x, const Atoms& atoms,
                                                        const Box& box) const
{
    std::vector<Sum> sums(cut_keys_.size());
    for (const auto& [atom, group, mass] : cut_members_) {
        Sum own{.mass = mass};
        const IVec3 place = unwrapped(x, atom, atoms, box);
        for (int k = 0; k < 3; ++k) {
            own.x[index(k)] = int128{mass} * place[k];
            own.v[index(k)] = int128{mass} * atoms.v[index(atom)][k];
        }
        sums[index(group)] += own;
    }
    if (!any_cut_) return sums;
    const auto directory_rank = [this](AtomId id) {
        return static_cast<int>(std::int64_t{id} * comm_.size() / n_atoms_);
    };
    struct Share {
        AtomId key;
        Sum sum;
    };
    Outbox<Share> asking, answers;
    std::map<AtomId, std::size_t> group_of_key;
    for (std::size_t g = 0; g < sums.size(); ++g) {
        group_of_key[cut_keys_[g]] = g;
        asking.send(directory_rank(cut_keys_[g]), {cut_keys_[g], sums[g]});
    }
    std::map<AtomId, Sum> totals;
    std::vector<std::pair<int, AtomId>> asked;
    asking.exchange(comm_, [&](int rank, const Share& share) {
        totals[share.key] += share.sum;
        asked.emplace_back(rank, share.key);
    });
    for (const auto& [rank, key] : asked) answers.send(rank, {key, totals[key]});
    answers.exchange(comm_, [&](int, const Share& share) { sums[group_of_key.at(share.key)] = share.sum; });
    return sums;
}

TensorSum ScalingGroups::kinetic_tensor(const Atoms& atoms, const Box& box) const
{
    TensorSum tensor;
    for_each_whole([&](std::span<const Member> members, double mass) {
        const Vec3 u = velocity(members, atoms);
        tensor.add((0.5 * mass * u) * u.transpose());
    });
    // Of a group that is cut, the rank that holds its first atom adds all.
    const auto sums = cut_sums(atoms.x, atoms, box);
    std::vector<bool> mine(sums.size());
    for (const auto& member : cut_members_)
        if (atoms.id[index(member.atom)] == cut_keys_[index(member.group)]) mine[index(member.group)] = true;
    for (std::size_t g = 0; g < sums.size(); ++g) {
        if (!mine[g]) continue;
        const Vec3 u = sums[g].velocity();
        tensor.add((0.5 * (static_cast<double>(sums[g].mass) * mass_unit) * u) * u.transpose());
    }
    return tensor;
}

TensorSum ScalingGroups::internal_virial(const Atoms& atoms, const Box& box) const
{
    const auto force = [&atoms](std::int32_t i) {
        IVec3 sum = atoms.f[index(i)];
        for (const auto& further : atoms.f_further) sum += further[index(i)];
        return to_real(sum, force_unit);
    };
    TensorSum tensor;
    for_each_whole([&](std::span<const Member> members, double) {
        if (members.size() == 1) return;
        const Vec3 centre = from_head(members, atoms.x_ref);
        const IVec3 head = atoms.x_ref[index(members.front().atom)];
        Mat3 of_group = Mat3::Zero(); // in the order of its members
        for (const auto& member : members) {
            const Vec3 d = to_real(IVec3(atoms.x_ref[index(member.atom)] - head), position_unit) - centre;
            of_group += (0.5 * d) * force(member.atom).transpose();
        }
        tensor.add(of_group);
    });
    const auto sums = cut_sums(atoms.x_ref, atoms, box);
    for (const auto& member : cut_members_) {
        const IVec3 d = unwrapped(atoms.x_ref, member.atom, atoms, box) - sums[index(member.group)].centre();
        tensor.add((0.5 * to_real(d, position_unit)) * force(member.atom).transpose());
    }
    return tensor;
}

void ScalingGroups::follow(Atoms& atoms, const Box& from, const BoxChange& box_change, double before) const
{
    const auto& velocities = box_change.velocities;
    auto change = lattice_rows(box_change.box, from.lattice_bits());
    for (std::size_t k = 0; k < 3; ++k) change[k] -= from.lattice_vector(static_cast<int>(k));

    struct Move {
        IVec3 x, v;
    };
    const auto move_of = [&](const IVec3& centre, const Vec3& u) -> Move {
        Vec3 more;
        for (int k = 0; k < 3; ++k)
            more[k] = u[0] * velocities(0, k) + u[1] * velocities(1, k) + u[2] * velocities(2, k) - u[k];
        // From where it is in the canonical cell: the same on any rank.
        IVec3 middle = centre - to_lattice(u * before, position_unit);
        const Image image = from.wrap(middle);
        const Vec3 s = from.fractional(middle);
        Vec3 along = Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) along[a] += s[static_cast<int>(k)] * static_cast<double>(change[k][a]);
        const IVec3 v = to_lattice(more, velocity_unit);
        return {to_lattice(along, 1.0) + combined(change, image) +
                    to_lattice(to_real(v, velocity_unit) * before, position_unit),
                v};
    };
    const auto apply = [&atoms](std::int32_t i, const Move& move) {
        atoms.x[index(i)] += move.x;
        atoms.v[index(i)] += move.v;
    };
    if (box_change.takes_frozen)
        for (const auto atom : frozen_) apply(atom, move_of(atoms.x[index(atom)], Vec3::Zero()));
    for_each_whole([&](std::span<const Member> members, double) {
        const IVec3 centre =
            atoms.x[index(members.front().atom)] + to_lattice(from_head(members, atoms.x), position_unit);
        const Move move = move_of(centre, velocity(members, atoms));
        for (const auto& member : members) apply(member.atom, move);
    });
    std::vector<Move> moves;
    for (const auto& sum : cut_sums(atoms.x, atoms, from)) moves.push_back(move_of(sum.centre(), sum.velocity()));
    for (const auto& member : cut_members_) {
        apply(member.atom, moves[index(member.group)]);
        atoms.x[index(member.atom)] -= combined(change, atoms.image[index(member.atom)]);
    }
}

namespace {

/// The atoms of a molecule, by their place in it.
using Molecule = std::map<std::int32_t, AtomRecord>;

/// A cluster that goes on in another image of itself spans a vector of the box and is as long as that: it can not move
/// as a whole while the vector changes.
void check_closure(const Molecule& molecule, const MoleculeType& type, const ConstraintCluster& cluster, const Box& box,
                   const std::array<bool, 3>& kept)
{
    for (const auto& c : cluster.constraints) {
        const auto &from = molecule.at(c.i), &to = molecule.at(c.j);
        Image spanned;
        box.minimum_image(to.x + box.shift(to.image) - from.x - box.shift(from.image), spanned);
        for (int k = 0; k < 3; ++k)
            if (spanned[k] != 0 && !kept[static_cast<std::size_t>(k)])
                throw InputError(fmt::format(
                    "Molecule type {}: constraints hold it to its own periodic images along {} (atoms {} and {}), and "
                    "that vector of the box changes. Use constraints = h-bonds, a compressibility of 0 along it, or "
                    "pcoupl = no and no deform.",
                    type.name, "abc" [k], std::int64_t { c.i } + 1, std::int64_t{c.j} + 1));
    }
}

/// Image counts that make the clusters of a molecule whole, one after the other from its first atom on.
void make_whole(Molecule& molecule, const MoleculeType& type, const MoleculeClusters& clusters, const Box& box,
                const std::array<bool, 3>& kept)
{
    for (const auto& cluster : clusters.clusters) {
        if (cluster.small) continue;
        std::map<std::int32_t, std::vector<std::int32_t>> bound;
        for (const auto& c : cluster.constraints) {
            bound[c.i].push_back(c.j);
            bound[c.j].push_back(c.i);
        }
        std::vector<std::int32_t> reached = {cluster.atoms.front()};
        std::map<std::int32_t, bool> seen = {{reached.front(), true}};
        for (std::size_t k = 0; k < reached.size(); ++k)
            for (const auto next : bound[reached[k]]) {
                if (std::exchange(seen[next], true)) continue;
                const auto& here = molecule.at(reached[k]);
                auto& there = molecule.at(next);
                Image taken;
                box.minimum_image(there.x - here.x, taken); // x_there - x_here - taken is nearest
                there.image = here.image - taken;
                reached.push_back(next);
            }
        HOLON_ASSERT(reached.size() == cluster.atoms.size(), type.name);
        check_closure(molecule, type, cluster, box, kept);
    }
}

} // namespace

void make_clusters_whole(const Communicator& comm, const Topology& topology, const Box& box,
                         const std::array<bool, 3>& kept, std::vector<AtomRecord>& records)
{
    const auto clusters = clusters_of(topology);
    const auto may_be_cut = [](const ConstraintCluster& c) { return !c.small; };
    if (std::ranges::none_of(clusters, [&](const MoleculeClusters& molecule) {
            return std::ranges::any_of(molecule.clusters, may_be_cut);
        }))
        return;
    // To one rank per molecule, and back.
    struct Sent {
        std::int64_t at; // among the records of its rank
        AtomRecord record;
    };
    Outbox<Sent> outgoing;
    for (std::size_t r = 0; r < records.size(); ++r) {
        const auto place = topology.place(records[r].id);
        const auto& of = clusters[index(place.molecule_type)];
        const auto cluster = of.cluster_of[index(place.index)];
        if (cluster < 0 || of.clusters[index(cluster)].small) continue;
        outgoing.send(static_cast<int>(place.molecule % comm.size()), {static_cast<std::int64_t>(r), records[r]});
    }
    struct Home {
        int rank;
        std::int64_t at;
    };
    std::map<AtomId, std::pair<AtomPlace, Molecule>> molecules; // by first atom
    std::map<AtomId, Home> homes;
    outgoing.exchange(comm, [&](int rank, const Sent& sent) {
        const auto place = topology.place(sent.record.id);
        auto& [of, molecule] = molecules[place.molecule_start];
        of = place;
        molecule[place.index] = sent.record;
        homes[sent.record.id] = {rank, sent.at};
    });
    on_all(comm, [&] {
        for (auto& [start, entry] : molecules) {
            const auto type = index(entry.first.molecule_type);
            make_whole(entry.second, topology.molecule_types[type], clusters[type], box, kept);
        }
    });
    struct Returned {
        std::int64_t at;
        Image image;
    };
    Outbox<Returned> returning;
    for (const auto& [start, entry] : molecules)
        for (const auto& [at, record] : entry.second) {
            const auto& home = homes.at(record.id);
            returning.send(home.rank, {home.at, record.image});
        }
    returning.exchange(comm, [&](int, const Returned& back) { records[index(back.at)].image = back.image; });
}

} // namespace holon
