#include <holon/dynamics/scaling_groups.hpp>

#include <holon/core/error.hpp>

#include "owned_atoms.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace holon {

namespace {

constexpr double mass_unit = 0x1p-20; // [u]

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

/// a / b to the nearest integer, upwards where there are two: the same wherever the origin is.
std::int64_t divided(int128 a, int128 b)
{
    const int128 twice = 2 * a + b, divisor = 2 * b;
    const int128 quotient = twice / divisor;
    return static_cast<std::int64_t>(twice % divisor < 0 ? quotient - 1 : quotient);
}

IVec3 mean(const std::array<int128, 3>& sum, int128 mass)
{
    return {divided(sum[0], mass), divided(sum[1], mass), divided(sum[2], mass)};
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

ScalingGroups::Sum& ScalingGroups::Sum::operator+=(const Sum& other)
{
    mass += other.mass;
    for (std::size_t k = 0; k < 3; ++k) {
        x[k] += other.x[k];
        x_ref[k] += other.x_ref[k];
        v[k] += other.v[k];
    }
    return *this;
}

ScalingGroups::ScalingGroups(Communicator comm, const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                             const Partition& partition, const Atoms& atoms)
    : comm_(std::move(comm)), topology_(topology)
{
    for (const auto& molecule : clusters)
        any_cut_ |= std::ranges::any_of(molecule.clusters, [](const ConstraintCluster& c) { return !c.small; });
    const auto n = index(atoms.n_owned);
    group_.resize(n);
    mass_.resize(n);
    std::map<AtomId, std::int32_t> cut; // by lowest id
    std::vector<std::int32_t> of_head(n, -1);
    const auto add_group = [this](AtomId key) {
        key_.push_back(key);
        return static_cast<std::int32_t>(key_.size()) - 1;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const auto& place = partition.place()[i];
        const auto& molecule = clusters[index(place.molecule_type)];
        const auto of = molecule.cluster_of[index(place.index)];
        group_[i] = -1;
        if (atoms.inverse_mass[i] == 0.0) continue;
        mass_[i] = round_to_int(atoms.mass[i] / mass_unit);
        if (of >= 0 && !molecule.clusters[index(of)].small) {
            const AtomId key = place.molecule_start + molecule.clusters[index(of)].atoms.front();
            const auto [found, is_new] = cut.try_emplace(key, 0);
            if (is_new) found->second = add_group(key);
            group_[i] = found->second;
            continue;
        }
        const auto head = partition.local().find(place.molecule_start + molecule.group_head[index(place.index)]);
        auto& group = of_head[index(head)];
        if (group < 0) group = add_group(-1);
        group_[i] = group;
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
            if (atoms[a].mass == 0.0) continue;
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

int ScalingGroups::directory_rank(AtomId id) const
{
    return static_cast<int>(std::int64_t{id} * comm_.size() / topology_.n_atoms());
}

/// Position of an owned atom as part of its group.
IVec3 ScalingGroups::whole(const IVec3& x, std::size_t i, const Atoms& atoms, const Box& box) const
{
    return key_[index(group_[i])] < 0 ? x : IVec3(x + box.shift(atoms.image[i]));
}

/// Of each group: what this rank has of it. Without a box only masses and velocities.
std::vector<ScalingGroups::Sum> ScalingGroups::sums(const Atoms& atoms, const Box* box) const
{
    std::vector<Sum> sums(key_.size());
    for (std::size_t i = 0; i < group_.size(); ++i) {
        if (group_[i] < 0) continue;
        auto& sum = sums[index(group_[i])];
        const int128 m = mass_[i];
        sum.mass += mass_[i];
        for (int k = 0; k < 3; ++k) sum.v[index(k)] += m * atoms.v[i][k];
        if (box == nullptr) continue;
        const IVec3 x = whole(atoms.x[i], i, atoms, *box), x_ref = whole(atoms.x_ref[i], i, atoms, *box);
        for (int k = 0; k < 3; ++k) {
            sum.x[index(k)] += m * x[k];
            sum.x_ref[index(k)] += m * x_ref[k];
        }
    }
    return sums;
}

Mat3 ScalingGroups::kinetic_tensor(const Atoms& atoms) const
{
    std::array<FixedSum, 6> tensor;
    const auto add = [&tensor](const Sum& sum) {
        if (sum.mass == 0) return;
        const double mass = static_cast<double>(sum.mass) * mass_unit;
        Vec3 u;
        for (int k = 0; k < 3; ++k)
            u[k] = static_cast<double>(sum.v[index(k)]) / static_cast<double>(sum.mass) * velocity_unit;
        std::size_t at = 0;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b <= a; ++b) tensor[at++].add(0.5 * mass * (u[a] * u[b]));
    };
    const auto of_groups = sums(atoms, nullptr);
    std::map<int, std::vector<std::byte>> partial;
    for (std::size_t g = 0; g < of_groups.size(); ++g) {
        if (key_[g] < 0) {
            add(of_groups[g]);
            continue;
        }
        Packer pack(partial[directory_rank(key_[g])]);
        pack.put(key_[g]);
        pack.put(of_groups[g]);
    }
    if (any_cut_) {
        std::vector<Message> messages;
        for (auto& [rank, data] : partial) messages.push_back({rank, std::move(data)});
        std::map<AtomId, Sum> totals;
        for (const auto& message : comm_.exchange(std::move(messages))) {
            Unpacker unpack(message.data);
            while (!unpack.empty()) {
                const auto key = unpack.get<AtomId>();
                totals[key] += unpack.get<Sum>();
            }
        }
        for (const auto& [key, sum] : totals) add(sum);
    }
    comm_.sum(std::span(tensor));
    Mat3 result;
    std::size_t at = 0;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b <= a; ++b) result(a, b) = result(b, a) = tensor[at++].value();
    return result;
}

void ScalingGroups::find_centres(const Atoms& atoms, const Box& box)
{
    auto of_groups = sums(atoms, &box);
    if (any_cut_) {
        std::map<int, std::vector<std::byte>> partial;
        std::map<AtomId, std::size_t> group_of_key;
        for (std::size_t g = 0; g < of_groups.size(); ++g) {
            if (key_[g] < 0) continue;
            group_of_key[key_[g]] = g;
            Packer pack(partial[directory_rank(key_[g])]);
            pack.put(key_[g]);
            pack.put(of_groups[g]);
        }
        const auto messages = [](std::map<int, std::vector<std::byte>>& by_rank) {
            std::vector<Message> list;
            for (auto& [rank, data] : by_rank) list.push_back({rank, std::move(data)});
            return list;
        };
        std::map<AtomId, Sum> totals;
        std::vector<std::pair<int, AtomId>> asked;
        for (const auto& message : comm_.exchange(messages(partial))) {
            Unpacker unpack(message.data);
            while (!unpack.empty()) {
                const auto key = unpack.get<AtomId>();
                totals[key] += unpack.get<Sum>();
                asked.emplace_back(message.rank, key);
            }
        }
        std::map<int, std::vector<std::byte>> answers;
        for (const auto& [rank, key] : asked) {
            Packer pack(answers[rank]);
            pack.put(key);
            pack.put(totals[key]);
        }
        for (const auto& message : comm_.exchange(messages(answers))) {
            Unpacker unpack(message.data);
            while (!unpack.empty()) {
                const auto key = unpack.get<AtomId>();
                of_groups[group_of_key.at(key)] = unpack.get<Sum>();
            }
        }
    }
    centres_.resize(of_groups.size());
    for (std::size_t g = 0; g < of_groups.size(); ++g) {
        const auto& sum = of_groups[g];
        auto& centre = centres_[g];
        centre.x = mean(sum.x, sum.mass);
        centre.x_ref = mean(sum.x_ref, sum.mass);
        for (int k = 0; k < 3; ++k)
            centre.velocity[k] = static_cast<double>(sum.v[index(k)]) / static_cast<double>(sum.mass) * velocity_unit;
    }
}

Mat3 ScalingGroups::internal_virial(const Atoms& atoms, const Box& box) const
{
    std::array<FixedSum, 9> tensor;
    for (std::size_t i = 0; i < group_.size(); ++i) {
        if (group_[i] < 0) continue;
        const Vec3 d =
            to_real(IVec3(whole(atoms.x_ref[i], i, atoms, box) - centres_[index(group_[i])].x_ref), position_unit);
        IVec3 force = atoms.f[i];
        for (const auto& further : atoms.f_further) force += further[i];
        const Vec3 f = to_real(force, force_unit);
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) tensor[index(3 * a + b)].add(0.5 * (d[a] * f[b]));
    }
    comm_.sum(std::span(tensor));
    Mat3 result;
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) result(a, b) = tensor[index(3 * a + b)].value();
    return result;
}

void ScalingGroups::follow(Atoms& atoms, const Box& from, const Mat3& to, const Mat3& velocities, double before) const
{
    auto change = lattice_rows(to, from.lattice_bits());
    for (std::size_t k = 0; k < 3; ++k) change[k] -= from.lattice_vector(static_cast<int>(k));

    struct Move {
        IVec3 x, v;
    };
    std::vector<Move> moves(centres_.size());
    for (std::size_t g = 0; g < centres_.size(); ++g) {
        const auto& centre = centres_[g];
        const Vec3& u = centre.velocity;
        Vec3 more;
        for (int k = 0; k < 3; ++k)
            more[k] = u[0] * velocities(0, k) + u[1] * velocities(1, k) + u[2] * velocities(2, k) - u[k];
        // From where it is in the canonical cell: the same on any rank.
        IVec3 middle = centre.x - to_lattice(u * before, position_unit);
        const Image image = from.wrap(middle);
        const Vec3 s = from.fractional(middle);
        Vec3 along = Vec3::Zero();
        for (std::size_t k = 0; k < 3; ++k)
            for (int a = 0; a < 3; ++a) along[a] += s[static_cast<int>(k)] * static_cast<double>(change[k][a]);
        moves[g].v = to_lattice(more, velocity_unit);
        moves[g].x = to_lattice(along, 1.0) + combined(change, image) +
                     to_lattice(to_real(moves[g].v, velocity_unit) * before, position_unit);
    }
    for_each_owned(atoms, [&](std::size_t i) {
        if (group_[i] < 0) return;
        const auto g = index(group_[i]);
        atoms.x[i] += moves[g].x;
        if (key_[g] >= 0) atoms.x[i] -= combined(change, atoms.image[i]);
        atoms.v[i] += moves[g].v;
    });
}

namespace {

/// The atoms of a molecule, by their place in it.
using Molecule = std::map<std::int32_t, AtomRecord>;

/// Image counts that make the clusters of a molecule whole, one after the other from its first atom on.
void make_whole(Molecule& molecule, const MoleculeType& type, const MoleculeClusters& clusters, const Box& box)
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
    }
}

} // namespace

void make_clusters_whole(const Communicator& comm, const Topology& topology, const Box& box,
                         std::vector<AtomRecord>& records)
{
    std::vector<MoleculeClusters> clusters;
    bool any = false;
    for (const auto& molecule : topology.molecule_types) {
        clusters.push_back(find_clusters(molecule));
        any |= std::ranges::any_of(clusters.back().clusters, [](const ConstraintCluster& c) { return !c.small; });
    }
    if (!any) return;
    // To one rank per molecule, and back.
    std::map<int, std::vector<std::byte>> outgoing;
    for (std::size_t r = 0; r < records.size(); ++r) {
        const auto place = topology.place(records[r].id);
        const auto& of = clusters[index(place.molecule_type)];
        const auto cluster = of.cluster_of[index(place.index)];
        if (cluster < 0 || of.clusters[index(cluster)].small) continue;
        Packer pack(outgoing[static_cast<int>(place.molecule % comm.size())]);
        pack.put(static_cast<std::int64_t>(r));
        pack.put(records[r]);
    }
    const auto exchange = [&comm](std::map<int, std::vector<std::byte>>& by_rank) {
        std::vector<Message> messages;
        for (auto& [rank, data] : by_rank) messages.push_back({rank, std::move(data)});
        return comm.exchange(std::move(messages));
    };
    struct Home {
        int rank;
        std::int64_t at;
    };
    std::map<AtomId, std::pair<AtomPlace, Molecule>> molecules; // by first atom
    std::map<AtomId, Home> homes;
    for (const auto& message : exchange(outgoing)) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) {
            const auto at = unpack.get<std::int64_t>();
            const auto record = unpack.get<AtomRecord>();
            const auto place = topology.place(record.id);
            auto& [of, molecule] = molecules[place.molecule_start];
            of = place;
            molecule[place.index] = record;
            homes[record.id] = {message.rank, at};
        }
    }
    std::map<int, std::vector<std::byte>> returning;
    for (auto& [start, entry] : molecules) {
        auto& [place, molecule] = entry;
        const auto type = index(place.molecule_type);
        make_whole(molecule, topology.molecule_types[type], clusters[type], box);
        for (const auto& [at, record] : molecule) {
            const auto& home = homes.at(record.id);
            Packer pack(returning[home.rank]);
            pack.put(home.at);
            pack.put(record.image);
        }
    }
    for (const auto& message : exchange(returning)) {
        Unpacker unpack(message.data);
        while (!unpack.empty()) {
            auto& record = records[index(unpack.get<std::int64_t>())];
            record.image = unpack.get<Image>();
        }
    }
}

} // namespace holon
