#include <holon/dynamics/scaling_groups.hpp>

#include "group_batches.hpp"

#include <holon/comm/on_root.hpp>
#include <holon/comm/outbox.hpp>
#include <holon/core/error.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/parallel.hpp>
#include <holon/dynamics/system.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace holon {

namespace {

constexpr double mass_unit = 0x1p-20;   // [u]
constexpr std::size_t few_batches = 64; // for a thread

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

scaling_groups::Motion motion_of(const Box& from, const BoxChange& change, double before)
{
    scaling_groups::Motion motion{};
    const auto to = lattice_rows(change.box, from.lattice_bits());
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            motion.velocities[3 * i + j] = change.velocities(i, j);
            motion.inverse[3 * i + j] = from.inverse()(i, j);
            motion.box[3 * i + j] = from.lattice_vector(i)[j];
            motion.change[3 * i + j] = to[index(i)][j] - from.lattice_vector(i)[j];
        }
    motion.before = before;
    return motion;
}

/// Image counts times the change of the box.
IVec3 combined(const scaling_groups::Motion& motion, const Image& counts)
{
    IVec3 sum = IVec3::Zero();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) sum[j] += counts[i] * motion.change[3 * i + j];
    return sum;
}

struct Move {
    IVec3 x, v;
};

/// Of a group: its centre and the velocity of that.
Move move_of(const IVec3& centre, const Vec3& velocity, const scaling_groups::Motion& motion)
{
    Move move;
    HOLON_CALL(scaling_groups::move_of, centre.data(), velocity.data(), motion, move.x.data(), move.v.data());
    return move;
}

/// Three for each atom.
const std::int64_t* numbers(const std::vector<IVec3>& values)
{
    return values.empty() ? nullptr : values.front().data();
}
std::int64_t* numbers(std::vector<IVec3>& values)
{
    return values.empty() ? nullptr : values.front().data();
}

} // namespace

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
                             const std::vector<FrozenGroup>& frozen, const Partition& partition, const Atoms& atoms)
    : comm_(std::move(comm)), n_atoms_(topology.n_atoms()), whole_(std::make_unique<scaling_groups::GroupBatches>())
{
    for (const auto& molecule : clusters)
        any_cut_ |= std::ranges::any_of(molecule.clusters, [](const ConstraintCluster& c) { return !c.small; });
    std::map<AtomId, std::int32_t> cut; // by lowest id
    std::vector<std::int32_t> members;  // of the group that is not cut and has come last
    std::vector<double> masses;
    AtomId head = -1;
    const auto add_group = [&] {
        if (!members.empty()) whole_->add(members, masses);
        members.clear();
        masses.clear();
    };
    for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
        if (atoms.mass[i] > 0.0)
            for (const auto& [held, axes] : frozen)
                if (axes != std::array<bool, 3>{} && held.contains(atoms.id[i]))
                    held_.push_back({static_cast<std::int32_t>(i), axes});
        if (atoms.inverse_mass[i] == 0.0) continue;
        const auto& place = partition.place()[i];
        const auto& molecule = clusters[index(place.molecule_type)];
        const auto of = molecule.cluster_of[index(place.index)];
        const auto atom = static_cast<std::int32_t>(i);
        if (of < 0 || molecule.clusters[index(of)].small) {
            // Atoms lie in memory group by group, and in the order of their ids: sums have the same bits on any rank.
            const AtomId own = place.molecule_start + molecule.group_head[index(place.index)];
            if (own != head) add_group();
            head = own;
            members.push_back(atom);
            masses.push_back(atoms.mass[i]);
            continue;
        }
        const AtomId key = place.molecule_start + molecule.clusters[index(of)].atoms.front();
        const auto [found, is_new] = cut.try_emplace(key, static_cast<std::int32_t>(cut_keys_.size()));
        if (is_new) cut_keys_.push_back(key);
        cut_members_.push_back({atom, found->second, round_to_int(atoms.mass[i] / mass_unit)});
    }
    add_group();
    whole_->finish();
}

ScalingGroups::ScalingGroups(ScalingGroups&&) noexcept = default;
ScalingGroups& ScalingGroups::operator=(ScalingGroups&&) noexcept = default;
ScalingGroups::~ScalingGroups() = default;

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

/// The sum of what `call` sets the sums of some groups to.
template <class Call>
TensorSum ScalingGroups::sum_over_whole(Call call) const
{
    return parallel_reduce(
        whole_->size(), few_batches,
        [&](std::size_t begin, std::size_t end) {
            TensorSum tensor;
            scaling_groups::TensorSums sums;
            sums.bound = TensorSum::small;
            for (std::size_t next = 0; begin < end; begin = next) {
                next = std::min(end, begin + scaling_groups::TensorSums::most_batches);
                call(whole_->groups(begin, next), sums);
                tensor.add(sums.sum, scaling_groups::lanes * static_cast<int>(next - begin));
                for (std::int64_t l = 0; l < sums.n_large; ++l)
                    tensor.add(
                        Mat3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(sums.large + 9 * l)));
            }
            return tensor;
        },
        [](TensorSum& total, const TensorSum& next) { total += next; });
}

TensorSum ScalingGroups::kinetic_tensor(const Atoms& atoms, const Box& box) const
{
    TensorSum tensor = sum_over_whole([&](const scaling_groups::Groups& groups, scaling_groups::TensorSums& sums) {
        HOLON_CALL(scaling_groups::kinetic_tensor, groups, numbers(atoms.v), sums);
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

TensorSum ScalingGroups::internal_virial(const Atoms& atoms, const Box& box, const std::vector<IVec3>& outside) const
{
    std::vector<const std::int64_t*> forces = {numbers(atoms.f)};
    for (const auto& further : atoms.f_further) forces.push_back(numbers(further));
    std::vector<IVec3> less;
    for (const auto& force : outside) less.push_back(-force);
    if (!less.empty()) forces.push_back(numbers(less));
    const auto force_on = [&](std::int32_t atom) {
        IVec3 sum = IVec3::Zero();
        for (const auto* of : forces) sum += Eigen::Map<const IVec3>(of + 3 * index(atom));
        return sum;
    };
    TensorSum tensor = sum_over_whole([&](const scaling_groups::Groups& groups, scaling_groups::TensorSums& sums) {
        HOLON_CALL(scaling_groups::internal_virial, groups, numbers(atoms.x_ref), forces.data(),
                   static_cast<int>(forces.size()), sums);
    });
    const auto sums = cut_sums(atoms.x_ref, atoms, box);
    for (const auto& [atom, axes] : held_) {
        Vec3 force = to_real(force_on(atom), force_unit);
        for (int k = 0; k < 3; ++k)
            if (!axes[index(k)]) force[k] = 0.0;
        tensor.add((0.5 * to_real(unwrapped(atoms.x_ref, atom, atoms, box), position_unit)) * force.transpose());
    }
    for (const auto& member : cut_members_) {
        const IVec3 d = unwrapped(atoms.x_ref, member.atom, atoms, box) - sums[index(member.group)].centre();
        tensor.add((0.5 * to_real(d, position_unit)) * to_real(force_on(member.atom), force_unit).transpose());
    }
    return tensor;
}

void ScalingGroups::follow(Atoms& atoms, const Box& from, const BoxChange& change, double before) const
{
    const auto motion = motion_of(from, change, before);
    const auto apply = [&atoms](std::int32_t i, const Move& move) {
        atoms.x[index(i)] += move.x;
        atoms.v[index(i)] += move.v;
    };
    if (change.takes_frozen)
        for (const auto& held : held_)
            if (held.whole()) apply(held.atom, move_of(atoms.x[index(held.atom)], Vec3::Zero(), motion));
    parallel_for(whole_->size(), few_batches, [&](std::size_t begin, std::size_t end) {
        HOLON_CALL(scaling_groups::follow, whole_->groups(begin, end), motion, numbers(atoms.x), numbers(atoms.v));
    });
    std::vector<Move> moves;
    for (const auto& sum : cut_sums(atoms.x, atoms, from))
        moves.push_back(move_of(sum.centre(), sum.velocity(), motion));
    for (const auto& member : cut_members_) {
        apply(member.atom, moves[index(member.group)]);
        atoms.x[index(member.atom)] -= combined(motion, atoms.image[index(member.atom)]);
    }
    if (change.takes_frozen) return;
    for (const auto& [atom, axes] : held_) {
        const auto i = index(atom);
        const IVec3 stays = atoms.x_ref[i] - combined(motion, atoms.image[i]);
        for (int k = 0; k < 3; ++k) {
            if (!axes[index(k)]) continue;
            atoms.x[i][k] = stays[k];
            atoms.v[i][k] = 0;
        }
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
