#include "newton_leaves.hpp"

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
    rounded_move.resize(table.local.size());
    r.resize(table.n_links);
    s.resize(table.n_links);
    trial.resize(table.n_links);
    pull.resize(table.n_bundles);
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
void Leaves<velocities>::start(const LocalBranch& leaf)
{
    const auto& shape = *leaf.shape;
    const auto* const atom = &numbers_.atom[leaf.slots];
    Vec3* const r = &numbers_.r[leaf.links];
    for (std::size_t k = 0; k < shape.links.size(); ++k) {
        const auto& link = shape.links[k];
        const auto &from = atom[link.i], &to = atom[link.j];
        r[k] = to_real(box_.minimum_image(to[0] - from[0]), position_unit);
        if (k >= index(shape.n_own)) continue;
        const IVec3 trial = to[1] - from[1];
        numbers_.trial[leaf.links + k] = velocities ? trial : box_.minimum_image(trial);
        numbers_.s[leaf.links + k] = to_real(numbers_.trial[leaf.links + k], trial_unit);
    }
    for (std::size_t b = 0; b < shape.bundles.size(); ++b) {
        const auto& [links, signs] = shape.bundles[b];
        auto& pull = numbers_.pull[leaf.bundles + b];
        const auto lanes = [&](Eigen::Index c) {
            return LeafNumbers::Lanes{signs[0] * r[links[0]][c], signs[1] * r[links[1]][c], signs[2] * r[links[2]][c],
                                      signs[3] * r[links[3]][c]};
        };
        pull = {lanes(0), lanes(1), lanes(2)};
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
    numbers_.row.resize(2 * index(shape.n_own));
    Report seen; // of this leaf: what the report is to have
    for (std::size_t k = 0; k < index(shape.n_own); ++k) {
        const auto& link = shape.links[k];
        const Vec3 present = s[k] + (move[link.j] - move[link.i]);
        const double g = velocities ? r[k].dot(present) : 0.5 * (present.squaredNorm() - link.d2);
        rhs[index(link.unknown)] = g;
        seen.note(std::abs(g) * shape.error_scale[k] * (velocities ? stage_.dt : 1.0), link.constraint);
        const double along = present.dot(r[k]);
        if (!(velocities ? std::isfinite(g) : along > min_cosine * link.d2)) seen.fail(link.constraint, turned);
        if (!renew) continue;
        const bool reference = velocities || jacobian == Jacobian::reference;
        const Vec3& row = reference ? r[k] : present;
        numbers_.row[2 * k] = row;
        numbers_.row[2 * k + 1] = -row;
        values[index(shape.diagonal[k])] = shape.own_coupling[k] * (reference ? r[k].squaredNorm() : along);
    }
    report = seen;
    if (!renew) return;
    for (const auto position : shape.filled) values[index(position)] = 0.0;
    const auto* const pull = &numbers_.pull[leaf.bundles];
    for (const auto& [end, bundle, positions] : shape.couplings) {
        const Vec3& row = numbers_.row[index(end)];
        const auto& [x, y, z] = pull[bundle];
        const auto elements = row[0] * x + row[1] * y + row[2] * z;
        for (std::size_t lane = 0; lane < positions.size(); ++lane) values[index(positions[lane])] = elements[lane];
    }
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
    IVec3* const rounded = &numbers_.rounded_move[leaf.slots];
    for (std::size_t a = 0; a < index(shape.n_moved); ++a) {
        rounded[a] = to_lattice(move[a], trial_unit);
        if (shape.home[a] && table_.local[leaf.slots + a] >= 0)
            apply(table_.local[leaf.slots + a], move[a], rounded[a]);
    }
    if (!solved) return;

    VirialSum virial;
    for (std::size_t k = 0; k < index(shape.n_own); ++k) {
        const auto& link = shape.links[k];
        const Vec3& r = numbers_.r[leaf.links + k];
        const Vec3 s = to_real(numbers_.trial[leaf.links + k] + (rounded[link.j] - rounded[link.i]), trial_unit);
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
    for (const auto& [atom, place] : table_.moves_in) {
        const Vec3& move = table_.to_owners.incoming<Vec3>(place)[0];
        apply(static_cast<std::int32_t>(atom), move, to_lattice(move, trial_unit));
    }
}

template <bool velocities>
void Leaves<velocities>::apply(std::int32_t atom, const Vec3& move, const IVec3& rounded)
{
    if constexpr (velocities)
        atoms_.v[index(atom)] += rounded;
    else
        displace(atoms_, atom, move, rounded, inverse_dt_);
}

template class Leaves<false>;
template class Leaves<true>;

} // namespace holon::newton
