// Compiled once per instruction set: see kernel_variant.hpp.
#include "scaling_groups_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::scaling_groups {
namespace {

// The three components of one atom or group side by side: groups are of any size, and mostly small.
using F4 = Vector<double, 4>;
using I4 = Vector<std::int64_t, 4>;

template <class V>
HOLON_INLINE V three(const NumberOf<V>* p)
{
    return V{p[0], p[1], p[2], 0};
}

HOLON_INLINE I4 of_atom(const std::int64_t* values, std::int32_t atom)
{
    return three<I4>(values + 3 * std::int64_t{atom});
}

HOLON_INLINE F4 real(I4 v, double unit)
{
    return to_doubles<F4>(v) * splat<F4>(unit);
}

HOLON_INLINE I4 lattice(F4 v, double unit)
{
    return round_to_integers<I4>(v * splat<F4>(1.0 / unit));
}

template <int k>
HOLON_INLINE F4 component(F4 v)
{
    return shuffled<k, k, k, k>(v, v);
}

/// v (row) times the matrix with these rows.
HOLON_INLINE F4 times(F4 v, const F4 (&rows)[3])
{
    return component<0>(v) * rows[0] + component<1>(v) * rows[1] + component<2>(v) * rows[2];
}

/// The members of a group.
struct Members {
    std::int32_t n;
    const std::int32_t* atoms;
    const double* weights;
};

HOLON_INLINE Members members_of(const Groups& groups, std::int64_t g)
{
    const std::int32_t begin = groups.begins[g];
    return {groups.begins[g + 1] - begin, groups.atoms + begin, groups.weights + begin};
}

/// Of the centre of a group [nm/ps].
HOLON_INLINE F4 velocity(Members members, const std::int64_t* v)
{
    F4 sum = {};
    for (std::int32_t m = 0; m < members.n; ++m)
        sum = sum + splat<F4>(members.weights[m]) * real(of_atom(v, members.atoms[m]), velocity_unit);
    return sum;
}

/// From the first member of a group to its centre [nm].
HOLON_INLINE F4 from_head(Members members, const std::int64_t* x)
{
    const I4 head = of_atom(x, members.atoms[0]);
    F4 sum = {};
    for (std::int32_t m = 1; m < members.n; ++m)
        sum = sum + splat<F4>(members.weights[m]) * real(of_atom(x, members.atoms[m]) - head, position_unit);
    return sum;
}

/// Tensors on their way into a sum.
class Summation {
public:
    HOLON_INLINE explicit Summation(TensorSums& sums) : sums_(sums) { sums_.n_large = 0; }

    HOLON_INLINE void add(const F4 (&rows)[3])
    {
        const F4 bound = splat<F4>(sums_.bound);
        const F4 units[] = {rows[0] * splat<F4>(1.0 / energy_unit), rows[1] * splat<F4>(1.0 / energy_unit),
                            rows[2] * splat<F4>(1.0 / energy_unit)};
        const auto is_small = [&](F4 u) __attribute__((always_inline))
        {
            return (u < bound) & (-u < bound);
        };
        if (any_bit(~(is_small(units[0]) & is_small(units[1]) & is_small(units[2])))) {
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) sums_.large[9 * sums_.n_large + 3 * i + j] = rows[i][j];
            ++sums_.n_large;
            return;
        }
        for (int i = 0; i < 3; ++i) rows_[i] = rows_[i] + round_to_integers<I4>(units[i]);
    }

    HOLON_INLINE void finish()
    {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) sums_.sum[3 * i + j] = rows_[i][j];
    }

private:
    TensorSums& sums_;
    I4 rows_[3] = {};
};

/// What a group is moved by.
struct Move {
    I4 x, v;
};

class Mover {
public:
    HOLON_INLINE explicit Mover(const Motion& motion) : before_(splat<F4>(motion.before))
    {
        for (int k = 0; k < 3; ++k) {
            velocities_[k] = three<F4>(motion.velocities + 3 * k);
            inverse_[k] = three<F4>(motion.inverse + 3 * k);
            box_[k] = three<I4>(motion.box + 3 * k);
            change_[k] = three<I4>(motion.change + 3 * k);
            real_change_[k] = to_doubles<F4>(change_[k]);
        }
        lengths_ = I4{motion.box[0], motion.box[4], motion.box[8], 1};
    }

    HOLON_INLINE Move operator()(I4 centre, F4 u) const
    {
        const I4 v = lattice(times(u, velocities_) - u, velocity_unit);
        // From where it is in the canonical cell: the same on any rank.
        I4 middle = centre - lattice(u * before_, position_unit), of_images = {};
        if (any_bit((middle < I4{}) | (middle >= lengths_))) [[unlikely]] {
            into_cell<2>(middle, of_images);
            into_cell<1>(middle, of_images);
            into_cell<0>(middle, of_images);
        }
        const F4 along = times(times(real(middle, position_unit), inverse_), real_change_);
        return {lattice(along, 1.0) + of_images + lattice(real(v, velocity_unit) * before_, position_unit), v};
    }

private:
    template <int k>
    HOLON_INLINE void into_cell(I4& x, I4& of_images) const
    {
        for (; x[k] < 0; x = x + box_[k]) of_images = of_images - change_[k];
        for (; x[k] >= lengths_[k]; x = x - box_[k]) of_images = of_images + change_[k];
    }

    F4 velocities_[3], inverse_[3], real_change_[3], before_;
    I4 box_[3], change_[3], lengths_;
};

} // namespace

void HOLON_NAME(kinetic_tensor)(const Groups& groups, const std::int64_t* v, TensorSums& sums)
{
    Summation summation(sums);
    for (std::int64_t g = 0; g < groups.n; ++g) {
        const F4 u = velocity(members_of(groups, g), v);
        const F4 half = splat<F4>(0.5 * groups.masses[g]) * u;
        summation.add({component<0>(half) * u, component<1>(half) * u, component<2>(half) * u});
    }
    summation.finish();
}

void HOLON_NAME(internal_virial)(const Groups& groups, const std::int64_t* x, const std::int64_t* const* forces,
                                 int n_forces, TensorSums& sums)
{
    Summation summation(sums);
    for (std::int64_t g = 0; g < groups.n; ++g) {
        const Members members = members_of(groups, g);
        if (members.n == 1) continue;
        const I4 head = of_atom(x, members.atoms[0]);
        const F4 centre = from_head(members, x);
        F4 of_group[3] = {};
        for (std::int32_t m = 0; m < members.n; ++m) {
            I4 f = {};
            for (int k = 0; k < n_forces; ++k) f = f + of_atom(forces[k], members.atoms[m]);
            const F4 force = real(f, force_unit);
            const F4 half = splat<F4>(0.5) * (real(of_atom(x, members.atoms[m]) - head, position_unit) - centre);
            of_group[0] = of_group[0] + component<0>(half) * force;
            of_group[1] = of_group[1] + component<1>(half) * force;
            of_group[2] = of_group[2] + component<2>(half) * force;
        }
        summation.add(of_group);
    }
    summation.finish();
}

void HOLON_NAME(follow)(const Groups& groups, const Motion& motion, std::int64_t* x, std::int64_t* v)
{
    const Mover mover(motion);
    for (std::int64_t g = 0; g < groups.n; ++g) {
        const Members members = members_of(groups, g);
        const I4 centre = of_atom(x, members.atoms[0]) + lattice(from_head(members, x), position_unit);
        const Move move = mover(centre, velocity(members, v));
        std::int64_t by_x[4], by_v[4];
        store(by_x, move.x);
        store(by_v, move.v);
        for (std::int32_t m = 0; m < members.n; ++m)
            for (int k = 0; k < 3; ++k) {
                x[3 * std::int64_t{members.atoms[m]} + k] += by_x[k];
                v[3 * std::int64_t{members.atoms[m]} + k] += by_v[k];
            }
    }
}

void HOLON_NAME(move_of)(const std::int64_t* centre, const double* velocity, const Motion& motion, std::int64_t* by_x,
                         std::int64_t* by_v)
{
    const Move move = Mover(motion)(three<I4>(centre), three<F4>(velocity));
    for (int k = 0; k < 3; ++k) {
        by_x[k] = move.x[k];
        by_v[k] = move.v[k];
    }
}

} // namespace holon::scaling_groups
