#include "newton_leaves.hpp"

#include "bond.hpp"

#include <cmath>

namespace holon::newton {
namespace {

std::size_t index(std::int32_t k)
{
    return static_cast<std::size_t>(k);
}

} // namespace

void LeafNumbers::resize(const BranchTable& table)
{
    atom.resize(table.local.size());
    move.resize(table.local.size());
    r.resize(table.n_links);
    s.resize(table.n_links);
    multiplier.resize(table.n_links);
    everyone.assign(table.clusters.size(), 1);
}

void LeafNumbers::clear()
{
    std::ranges::fill(multiplier, 0.0);
    std::ranges::fill(move, Vec3::Zero());
}

template <bool velocities>
void Leaves<velocities>::gather(ConstraintResult& result)
{
    const auto& reference = velocities ? atoms_.x : atoms_.x_ref;
    const auto& trial = velocities ? atoms_.v : atoms_.x;
    for (std::size_t s = 0; s < table_.local.size(); ++s)
        if (table_.local[s] >= 0) numbers_.atom[s] = {reference[index(table_.local[s])], trial[index(table_.local[s])]};
    for (const auto& [atom, place] : table_.atoms_out) {
        const auto record = table_.to_leaves.outgoing<IVec3>({place.part, 2 * place.offset});
        record[0] = reference[atom];
        record[1] = trial[atom];
    }
    table_.to_leaves.run(numbers_.everyone, result);
    for (const auto& [slot, place] : table_.atoms_in) {
        const auto record = table_.to_leaves.incoming<IVec3>({place.part, 2 * place.offset});
        numbers_.atom[slot] = {record[0], record[1]};
    }
}

template <bool velocities>
Vec3 Leaves<velocities>::trial_bond(const IVec3& from, const IVec3& to) const
{
    return to_real(velocities ? IVec3(to - from) : box_.minimum_image(to - from), trial_unit);
}

template <bool velocities>
void Leaves<velocities>::start(const LocalBranch& leaf)
{
    const auto* const atom = &numbers_.atom[leaf.slots];
    for (std::size_t k = 0; k < leaf.shape->links.size(); ++k) {
        const auto& link = leaf.shape->links[k];
        const auto &from = atom[link.i], &to = atom[link.j];
        numbers_.r[leaf.links + k] = to_real(box_.minimum_image(to[0] - from[0]), position_unit);
        if (k < index(leaf.shape->n_own)) numbers_.s[leaf.links + k] = trial_bond(from[1], to[1]);
    }
}

template <bool velocities>
void Leaves<velocities>::assemble(const LocalBranch& leaf, Jacobian jacobian, bool renew, std::span<double> values,
                                  std::span<double> rhs, Report& report)
{
    const auto& shape = *leaf.shape;
    const Vec3* const r = &numbers_.r[leaf.links];
    const Vec3* const s = &numbers_.s[leaf.links];
    const Vec3* const move = &numbers_.move[leaf.slots];
    numbers_.row.resize(index(shape.n_own));
    for (std::size_t k = 0; k < numbers_.row.size(); ++k) {
        const auto& link = shape.links[k];
        const Vec3 present = s[k] + (move[link.j] - move[link.i]);
        const double g = velocities ? r[k].dot(present) : 0.5 * (present.squaredNorm() - link.d2);
        rhs[index(link.unknown)] = g;
        report.note(std::abs(g) / link.d2 * (velocities ? stage_.dt : 1.0), link.constraint);
        numbers_.row[k] = velocities || jacobian == Jacobian::reference ? r[k] : present;
        if (!(velocities ? std::isfinite(g) : present.dot(r[k]) > min_cosine * link.d2))
            report.fail(link.constraint, turned);
    }
    if (!renew) return;
    for (const auto& element : shape.elements)
        values[index(element.position)] = element.coupling * numbers_.row[index(element.row)].dot(r[element.column]);
}

template <bool velocities>
void Leaves<velocities>::update(const LocalBranch& leaf, std::span<const double> change)
{
    const auto& shape = *leaf.shape;
    double* const multiplier = &numbers_.multiplier[leaf.links];
    const Vec3* const r = &numbers_.r[leaf.links];
    Vec3* const move = &numbers_.move[leaf.slots];
    for (std::size_t k = 0; k < shape.links.size(); ++k) multiplier[k] += change[index(shape.links[k].unknown)];
    for (std::size_t a = 0; a < index(shape.n_moved); ++a) {
        Vec3 sum = Vec3::Zero();
        for (auto n = shape.incidence_begin[a]; n < shape.incidence_begin[a + 1]; ++n) {
            const auto& [link, sign] = shape.incidences[index(n)];
            sum += (sign * multiplier[link]) * r[link];
        }
        move[a] = sum;
    }
}

template <bool velocities>
void Leaves<velocities>::withdraw(const LocalBranch& leaf)
{
    Vec3* const move = &numbers_.move[leaf.slots];
    std::fill(move, move + leaf.shape->n_moved, Vec3::Zero());
}

template <bool velocities>
void Leaves<velocities>::finish(const LocalBranch& leaf, bool solved, ConstraintResult& result)
{
    const auto& shape = *leaf.shape;
    const Vec3* const move = &numbers_.move[leaf.slots];
    for (std::size_t a = 0; a < index(shape.n_moved); ++a)
        if (shape.home[a] && table_.local[leaf.slots + a] >= 0) apply(table_.local[leaf.slots + a], move[a]);
    if (!solved) return;

    VirialSum virial;
    const auto* const atom = &numbers_.atom[leaf.slots];
    const auto moved = [&](std::int32_t a) { return IVec3(atom[a][1] + to_lattice(move[a], trial_unit)); };
    for (std::size_t k = 0; k < index(shape.n_own); ++k) {
        const auto& link = shape.links[k];
        const Vec3& r = numbers_.r[leaf.links + k];
        const Vec3 s = trial_bond(moved(link.i), moved(link.j));
        note_residual(result, velocities ? rate_error(r, s, link.d2) : length_error(s, link.d2));
        if (stage_.force_factor != 0.0) virial.add(r, -numbers_.multiplier[leaf.links + k] * r, stage_.force_factor);
    }
    virial.add_to(result.virial);
}

template <bool velocities>
void Leaves<velocities>::scatter(ConstraintResult& result)
{
    for (const auto& [slot, place] : table_.moves_out) table_.to_owners.outgoing<Vec3>(place)[0] = numbers_.move[slot];
    table_.to_owners.run(numbers_.everyone, result);
    for (const auto& [atom, place] : table_.moves_in)
        apply(static_cast<std::int32_t>(atom), table_.to_owners.incoming<Vec3>(place)[0]);
}

template <bool velocities>
void Leaves<velocities>::apply(std::int32_t atom, const Vec3& move)
{
    if constexpr (velocities)
        atoms_.v[index(atom)] += to_lattice(move, velocity_unit);
    else
        displace(atoms_, atom, move, inverse_step(stage_));
}

template class Leaves<false>;
template class Leaves<true>;

} // namespace holon::newton
