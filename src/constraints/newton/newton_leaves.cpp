#include "newton_leaves.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include <cmath>

namespace holon::newton {

namespace {

/// Half the relative error of a squared length beyond which a kick can not bring it back.
constexpr double largest_error = 0.5;

/// One of n vectors whose x, y and z are in three parts.
Vec3 vector_at(const double* parts, std::int64_t n, std::int64_t k)
{
    return {parts[k], parts[n + k], parts[2 * n + k]};
}

} // namespace

void LeafNumbers::resize(const BranchTable& table)
{
    for (auto* values : {&reference, &trial}) values->resize(table.local.size());
    move.resize(table.local.size());
    for (auto* vectors : {&r, &s}) vectors->resize(3 * table.n_places);
    rows.resize(4 * table.n_places);
    target.assign(table.local.size(), -1);
    for (auto b = table.tier_begin[0]; b < table.tier_begin[1]; ++b) {
        const auto& leaf = table.branches[b];
        for (std::size_t a = 0; a < leaf.shape->home.size(); ++a)
            if (leaf.shape->home[a]) target[leaf.slots + a] = table.local[leaf.slots + a];
    }
    multiplier.resize(table.n_places);
    pull.resize(3 * bundle_size * table.n_bundles);
    for (auto* gradients : {&planes.reference, &planes.present}) gradients->resize(table.n_planes);
    planes.edges.resize(table.n_planes);
    std::size_t most = 0;
    for (const auto& branch : table.branches) most = std::max(most, branch.shape->n_places());
    present.resize(3 * most);
    along.resize(most);
    everyone.assign(table.clusters.size(), 1);
}

void LeafNumbers::clear()
{
    std::ranges::fill(multiplier, 0.0);
    std::ranges::fill(move, std::array<double, 4>{});
}

template <bool velocities>
Leaf Leaves<velocities>::arrays_of(const LocalBranch& leaf) const
{
    const auto& shape = *leaf.shape;
    return {.n = static_cast<std::int64_t>(shape.n_places()),
            .n_links = std::ssize(shape.unknowns),
            .n_own = shape.n_own,
            .i = shape.i.data(),
            .j = shape.j.data(),
            .diagonal = shape.diagonal.data(),
            .d2 = shape.d2.data(),
            .per_d2 = shape.per_d2.data(),
            .inverse_mass_i = shape.inverse_mass_i.data(),
            .inverse_mass_j = shape.inverse_mass_j.data(),
            .r = &numbers_.r[3 * leaf.places],
            .s = &numbers_.s[3 * leaf.places],
            .rows = &numbers_.rows[4 * leaf.places],
            .present = numbers_.present.data(),
            .along = numbers_.along.data(),
            .multiplier = &numbers_.multiplier[leaf.places],
            .move = numbers_.move[leaf.slots].data(),
            .n_bundles = static_cast<std::int64_t>(shape.n_bundles()),
            .links = shape.bundle_links.data(),
            .signs = shape.bundle_signs.data(),
            .pull = numbers_.pull.data() + 3 * bundle_size * leaf.bundles,
            .n_couplings = std::ssize(shape.couplings),
            .n_at_first = shape.n_at_first,
            .couplings = shape.couplings.data()};
}

/// Bonds of a leaf from positions, or relative velocities.
template <bool velocities>
void Leaves<velocities>::set_vectors(const LocalBranch& leaf, const std::vector<IVec3>& values, bool positions,
                                     std::vector<double>& vectors) const
{
    const bonds::Differences differences{.n = static_cast<std::int64_t>(leaf.shape->n_places()),
                                         .values = values[leaf.slots].data(),
                                         .from = leaf.shape->i.data(),
                                         .to = leaf.shape->j.data(),
                                         .box = positions ? box_.data() : nullptr,
                                         .unit = positions ? position_unit : velocity_unit};
    HOLON_CALL(bonds::set_vectors, differences, &vectors[3 * leaf.places]);
}

template <bool velocities>
void Leaves<velocities>::gather(ConstraintResult& result)
{
    const auto& reference = velocities && !is_kick_before_drift() ? atoms_.x : atoms_.x_ref;
    const auto& trial = velocities ? atoms_.v : atoms_.x;
    for (std::size_t s = 0; s < table_.local.size(); ++s) {
        if (table_.local[s] < 0) continue;
        numbers_.reference[s] = reference[index(table_.local[s])];
        numbers_.trial[s] = trial[index(table_.local[s])];
    }
    for (const auto& [atom, place] : table_.atoms_out) {
        const auto record = table_.to_leaves.outgoing<IVec3>({place.part, 2 * place.offset});
        record[0] = reference[atom];
        record[1] = trial[atom];
    }
    table_.to_leaves.run(numbers_.everyone, result);
    for (const auto& [slot, place] : table_.atoms_in) {
        const auto record = table_.to_leaves.incoming<IVec3>({place.part, 2 * place.offset});
        numbers_.reference[slot] = record[0];
        numbers_.trial[slot] = record[1];
    }
    if (kick_ != nullptr) gather_before(result);
}

/// A round of its own: what the exchange has room for is reference and trial.
template <bool velocities>
void Leaves<velocities>::gather_before(ConstraintResult& result)
{
    numbers_.before.resize(table_.local.size());
    numbers_.v.resize(3 * table_.n_places);
    for (std::size_t s = 0; s < table_.local.size(); ++s)
        if (table_.local[s] >= 0) numbers_.before[s] = kick_->before[index(table_.local[s])];
    for (const auto& [atom, place] : table_.atoms_out)
        table_.to_leaves.outgoing<IVec3>({place.part, 2 * place.offset})[0] = kick_->before[atom];
    table_.to_leaves.run(numbers_.everyone, result);
    for (const auto& [slot, place] : table_.atoms_in)
        numbers_.before[slot] = table_.to_leaves.incoming<IVec3>({place.part, 2 * place.offset})[0];
}

template <bool velocities>
void Leaves<velocities>::start(const LocalBranch& leaf)
{
    set_vectors(leaf, numbers_.reference, true, numbers_.r);
    set_vectors(leaf, numbers_.trial, !velocities, numbers_.s);
    if (kick_ != nullptr) set_vectors(leaf, numbers_.before, false, numbers_.v);
    const auto arrays = arrays_of(leaf);
    HOLON_CALL(bonds::set_rows, arrays.n, arrays.r, &numbers_.rows[4 * leaf.places]);
    HOLON_CALL(newton::set_pulls, arrays);
    planes_of(leaf).start(&numbers_.reference[leaf.slots], &numbers_.trial[leaf.slots], lattice_, velocities);
}

template <bool velocities>
void Leaves<velocities>::assemble(const LocalBranch& leaf, const Assembly& how, std::span<double> values,
                                  std::span<double> rhs, Report& report)
{
    const auto [jacobian, first, renew] = how;
    const auto& shape = *leaf.shape;
    auto arrays = arrays_of(leaf);
    if (first) arrays.move = nullptr;
    // With a matrix that is kept, errors of lengths fall more at first than later, and tell nothing of what is left.
    const auto condition = velocities                      ? Condition::rate
                           : jacobian == Jacobian::present ? Condition::length
                                                           : Condition::square;
    const auto errors =
        HOLON_CALL(newton::set_right_side, arrays, condition, velocities ? stage_.dt : 1.0, min_cosine, rhs.data());
    if (shape.n_own > 0) report.note(errors.largest, shape.unknowns[index(errors.worst)]);
    if (errors.lost >= 0) report.fail(shape.unknowns[index(errors.lost)], turned);
    if (kick_ != nullptr) set_rates(leaf, rhs, report);
    const auto planes = planes_of(leaf);
    planes.set_right_side(arrays.move, velocities, velocities ? stage_.dt : 1.0, shape.unknowns, rhs, report);
    if (!renew) return;
    for (const auto position : shape.filled) values[index(position)] = 0.0;
    const bool with_reference = velocities || jacobian == Jacobian::reference;
    HOLON_CALL(newton::set_rows, arrays, with_reference, values.data());
    planes.add_rows(arrays, with_reference, values);
}

/// Right side of a kick: r.w, as it is, less what it is to be.
template <bool velocities>
void Leaves<velocities>::set_rates(const LocalBranch& leaf, std::span<double> rhs, Report& report) const
{
    const auto arrays = arrays_of(leaf);
    for (std::int64_t k = 0; k < arrays.n_own; ++k) {
        const Vec3 r = vector_at(arrays.r, arrays.n, k), v = vector_at(&numbers_.v[3 * leaf.places], arrays.n, k);
        if (!(length_error(r, arrays.d2[k]) < largest_error)) report.fail(leaf.shape->unknowns[index(k)], far);
        rhs[index(k)] -= kick_->rate(r, v, vector_at(arrays.present, arrays.n, k), arrays.d2[k]);
    }
}

/// The largest error that is left at a leaf.
template <bool velocities>
double Leaves<velocities>::residual_of(const Leaf& arrays) const
{
    if (is_kick_before_drift()) { // lengths after it
        double largest = 0.0;
        for (std::int64_t k = 0; k < arrays.n_own; ++k) {
            const Vec3 r = vector_at(arrays.r, arrays.n, k), w = vector_at(arrays.s, arrays.n, k);
            largest = std::max(largest, length_error(r + stage_.dt * w, arrays.d2[k]));
        }
        return largest;
    }
    const double largest = HOLON_CALL(bonds::largest_error, arrays.n, velocities ? arrays.r : arrays.s, arrays.s,
                                      velocities ? nullptr : arrays.d2, arrays.per_d2);
    return velocities ? largest : 0.5 * largest;
}

template <bool velocities>
void Leaves<velocities>::update(const LocalBranch& leaf, std::span<const double> change)
{
    HOLON_CALL(newton::update, arrays_of(leaf), change.data());
    planes_of(leaf).update(change, numbers_.move[leaf.slots].data());
}

template <bool velocities>
void Leaves<velocities>::withdraw(const LocalBranch& leaf)
{
    const auto move = std::span(numbers_.move).subspan(leaf.slots, index(leaf.shape->n_moved));
    std::ranges::fill(move, std::array<double, 4>{});
}

template <bool velocities>
void Leaves<velocities>::finish(const LocalBranch& leaf, bool solved, ConstraintResult& result)
{
    const auto& shape = *leaf.shape;
    move_atoms(
        atoms_, velocities, inverse_dt_,
        {std::span(numbers_.target).subspan(leaf.slots, index(shape.n_moved)), numbers_.move[leaf.slots].data(), 4},
        &numbers_.trial[leaf.slots]);
    if (!solved) return;

    set_vectors(leaf, numbers_.trial, !velocities, numbers_.s);
    const auto arrays = arrays_of(leaf);
    note_residual(result, residual_of(arrays));
    const auto planes = planes_of(leaf);
    if (!planes.empty()) note_residual(result, planes.largest_error(&numbers_.trial[leaf.slots], lattice_, velocities));
    if (stage_.force_factor == 0.0) return;
    VirialSum virial; // planes have none: the sum of e (x) gradient over their edges is the condition itself, 0
    for (std::int64_t k = 0; k < arrays.n_own; ++k) {
        const Vec3 r = vector_at(arrays.r, arrays.n, k);
        virial.add(r, -arrays.multiplier[k] * r, stage_.force_factor);
    }
    virial.add_to(result.virial);
}

template <bool velocities>
void Leaves<velocities>::scatter(ConstraintResult& result)
{
    for (const auto& [slot, place] : table_.moves_out) table_.to_owners.outgoing<Vec3>(place)[0] = move_of(slot);
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
