#include "wide_pairs.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include "overlap.hpp"

#include <utility>

namespace holon::pair {

void PairBlock::grow(std::size_t n)
{
    n += index(room_beyond);
    i_.grow(n);
    j_.grow(n);
    for (auto& room : d_) room.grow(n);
    pairs.i = i_.data();
    pairs.j = j_.data();
    for (std::size_t k = 0; k < 3; ++k) pairs.d[k] = d_[k].data();
}

namespace {
/// For all pairs of a row.
void make_room(const WideRow& row, PairBlock& block)
{
    constexpr std::size_t of_entry = PairList::width * PairList::width;
    block.pairs.n = 0;
    block.grow(of_entry * row.entries.size());
}
} // namespace

void find_pairs(const WideRow& row, PairBlock& found, PairBlock& unsure)
{
    make_room(row, found);
    make_room(row, unsure);
    HOLON_CALL(pair::find_pairs, row, found.pairs, unsure.pairs);
}

std::span<const double> energies_of(const WideInteraction& interaction, const PairBlock& block, Room<double>& memory)
{
    const auto n = index(block.pairs.n);
    memory.grow(n + index(room_beyond));
    HOLON_CALL(pair::wide_energies, interaction, block.pairs, memory.data());
    return {memory.data(), n};
}

namespace {
constexpr std::int64_t at_once = 64; // pairs that are given one by one
}

WideForces::WideForces(const WideInteraction& interaction, const PairList& list, const Atoms& atoms, std::span<IVec3> f,
                       Memory& memory)
    : interaction_(interaction), list_(list), atoms_(atoms), f_(f), memory_(memory)
{
    memory_.found.grow(at_once);
    memory_.found.pairs.n = 0;
}

void WideForces::add(PlacePair p, const Vec3& d)
{
    if (d[0] == 0.0 && d[1] == 0.0 && d[2] == 0.0) {
        const auto a = atoms_.id[index(list_.atoms()[index(p.i)])], b = atoms_.id[index(list_.atoms()[index(p.j)])];
        if (overlap_.empty()) overlap_ = same_place_text(a, b);
        const auto* charge = interaction_.charge;
        const bool attract = interaction_.kind == Kind::coulomb && charge[p.i] * charge[p.j] < 0.0;
        if (!attract) add(p, way_apart(a, b));
        return;
    }
    auto& pairs = memory_.found.pairs;
    if (pairs.n >= at_once) add_collected();
    pairs.i[pairs.n] = p.i;
    pairs.j[pairs.n] = p.j;
    for (int k = 0; k < 3; ++k) pairs.d[k][pairs.n] = d[k];
    ++pairs.n;
}

std::string WideForces::finish()
{
    add_collected();
    hand_on_rows();
    return std::exchange(overlap_, {});
}

void WideForces::add_sure(const WideRow& row)
{
    auto& of_clusters = memory_.of_clusters;
    if (of_clusters.empty()) of_clusters.assign(list_.clusters().size(), FullCluster{});
    make_room(row, memory_.unsure);
    const bool clamped = HOLON_CALL(pair::row_forces, interaction_, row, of_clusters.data(), memory_.unsure.pairs);
    if (!clamped || !overlap_.empty()) return;
    add_collected();
    PairBlock unsure;
    find_pairs(row, memory_.found, unsure);
    forces_of_found();
    overlap_ = clamped_text();
    memory_.found.pairs.n = 0;
}

void WideForces::hand_on_rows()
{
    const std::int32_t* const atom = list_.atoms().data();
    auto& of_clusters = memory_.of_clusters;
    for (std::size_t p = 0; p < PairList::width * of_clusters.size(); ++p) {
        const auto& [x, y, z] = of_clusters[p / PairList::width];
        const auto a = p % PairList::width;
        if (atom[p] >= 0) f_[index(atom[p])] += IVec3(x[a], y[a], z[a]);
    }
    of_clusters.clear();
}

/// Returns whether some are clamped.
bool WideForces::forces_of_found()
{
    std::int64_t* force[3];
    for (std::size_t k = 0; k < 3; ++k) {
        memory_.force[k].grow(index(memory_.found.pairs.n + room_beyond));
        force[k] = memory_.force[k].data();
    }
    return HOLON_CALL(pair::wide_forces, interaction_, memory_.found.pairs, force);
}

void WideForces::add_collected()
{
    auto& pairs = memory_.found.pairs;
    if (pairs.n == 0) return;
    if (forces_of_found() && overlap_.empty()) overlap_ = clamped_text();
    const auto& force = memory_.force;
    const std::int32_t* const atom = list_.atoms().data();
    for (std::int64_t n = 0; n < pairs.n; ++n) {
        const IVec3 of_pair(force[0].data()[n], force[1].data()[n], force[2].data()[n]);
        f_[index(atom[pairs.i[n]])] += of_pair;
        f_[index(atom[pairs.j[n]])] -= of_pair;
    }
    pairs.n = 0;
}

/// Of the two between which the force is largest.
std::string WideForces::clamped_text() const
{
    const auto& pairs = memory_.found.pairs;
    const auto size = [this](std::int64_t n) {
        const auto& f = memory_.force;
        return to_real(IVec3(f[0].data()[n], f[1].data()[n], f[2].data()[n]), force_unit).norm();
    };
    std::int64_t largest = 0;
    for (std::int64_t n = 1; n < pairs.n; ++n)
        if (size(n) > size(largest)) largest = n;
    const auto id = [this](std::int32_t place) { return atoms_.id[index(list_.atoms()[index(place)])]; };
    return pair::clamped_text(id(pairs.i[largest]), id(pairs.j[largest]));
}

} // namespace holon::pair
