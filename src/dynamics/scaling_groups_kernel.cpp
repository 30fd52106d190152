// Compiled once per instruction set: see kernel_variant.hpp.
#include "scaling_groups_kernel.hpp"

#include <holon/core/kernel_variant.hpp>
#include <holon/core/lattice_units.hpp>
#include <holon/core/three.hpp>
#include <holon/core/vector_math.hpp>

namespace holon::scaling_groups {
namespace {

using F8 = Vector<double, lanes>;
using I8 = Vector<std::int64_t, lanes>;
using V3 = Three<F8>;
using L3 = Three<I8>;
using Row = Vector<std::int64_t, 4>;

HOLON_INLINE V3 real(const L3& v, double unit)
{
    return splat<F8>(unit) * to_doubles<F8>(v);
}

HOLON_INLINE L3 lattice(const V3& v, double unit)
{
    return round_to_integers<I8>(splat<F8>(1.0 / unit) * v);
}

/// v (row) times the matrix with these rows.
HOLON_INLINE V3 times(const V3& v, const double (&rows)[9])
{
    const auto column = [&](int k) __attribute__((always_inline))
    {
        return v.x * rows[k] + v.y * rows[3 + k] + v.z * rows[6 + k];
    };
    return {column(0), column(1), column(2)};
}

/// The members of the groups of a batch.
class Members {
public:
    HOLON_INLINE Members(const Groups& groups, std::int64_t batch)
        : n_(groups.batches[batch].n_members), atoms_(groups.atoms + lanes * groups.batches[batch].first),
          weights_(groups.weights + lanes * groups.batches[batch].first)
    {
    }

    HOLON_INLINE std::int32_t size() const { return n_; }
    HOLON_INLINE std::int64_t place(std::int32_t m, int lane) const
    {
        return 3 * std::int64_t{atoms_[lanes * m + lane]};
    }
    HOLON_INLINE F8 weight(std::int32_t m) const { return load<F8>(weights_ + lanes * m); }

    /// Of member m, the sum of n arrays.
    HOLON_INLINE L3 values(std::int32_t m, const std::int64_t* const* arrays, int n) const
    {
        Row rows[lanes];
        for (int l = 0; l < lanes; ++l) rows[l] = load_row<Row>(arrays[0] + place(m, l));
        for (int k = 1; k < n; ++k)
            for (int l = 0; l < lanes; ++l) rows[l] = rows[l] + load_row<Row>(arrays[k] + place(m, l));
        return columns(rows);
    }
    HOLON_INLINE L3 values(std::int32_t m, const std::int64_t* array) const { return values(m, &array, 1); }

private:
    std::int32_t n_;
    const std::int32_t* atoms_;
    const double* weights_;
};

/// Of the centres of the groups [nm/ps].
HOLON_INLINE V3 velocity(const Members& members, const std::int64_t* v)
{
    V3 sum = {};
    for (std::int32_t m = 0; m < members.size(); ++m)
        sum = sum + members.weight(m) * real(members.values(m, v), velocity_unit);
    return sum;
}

/// From the first members of the groups, which are at `head`, to the centres [nm].
HOLON_INLINE V3 from_head(const Members& members, const L3& head, const std::int64_t* x)
{
    V3 sum = {};
    for (std::int32_t m = 1; m < members.size(); ++m)
        sum = sum + members.weight(m) * real(members.values(m, x) - head, position_unit);
    return sum;
}

/// a (x) b, added to a tensor in each lane.
HOLON_INLINE void add_product(F8 (&tensor)[9], const V3& a, const V3& b)
{
    const F8 of_a[] = {a.x, a.y, a.z}, of_b[] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) tensor[3 * i + j] = tensor[3 * i + j] + of_a[i] * of_b[j];
}

/// Tensors on their way into a sum.
class Summation {
public:
    HOLON_INLINE explicit Summation(TensorSums& sums) : sums_(sums) { sums_.n_large = 0; }

    /// One in each lane.
    HOLON_INLINE void add(const F8 (&tensor)[9])
    {
        F8 units[9], largest = {};
        for (int k = 0; k < 9; ++k) {
            units[k] = tensor[k] * splat<F8>(1.0 / energy_unit);
            const F8 size = magnitude(units[k]);
            largest = select(largest > size, largest, size);
        }
        const I8 small = (I8)(largest < splat<F8>(sums_.bound));
        if (any_bit(~small)) [[unlikely]] {
            for (int l = 0; l < lanes; ++l) {
                if (small[l] != 0) continue;
                for (int k = 0; k < 9; ++k) sums_.large[9 * sums_.n_large + k] = tensor[k][l];
                ++sums_.n_large;
            }
            for (F8& u : units) u = kept_where(small, u);
        }
        for (int k = 0; k < 9; ++k) sum_[k] = sum_[k] + round_small<I8>(units[k]);
    }

    HOLON_INLINE void finish()
    {
        for (int k = 0; k < 9; ++k) {
            sums_.sum[k] = 0;
            for (int l = 0; l < lanes; ++l) sums_.sum[k] += sum_[k][l];
        }
    }

private:
    TensorSums& sums_;
    I8 sum_[9] = {};
};

/// What groups are moved by.
struct Move {
    L3 x, v;
};

class Mover {
public:
    HOLON_INLINE explicit Mover(const Motion& motion) : motion_(motion), before_(splat<F8>(motion.before))
    {
        for (int k = 0; k < 9; ++k) change_[k] = static_cast<double>(motion.change[k]);
    }

    HOLON_INLINE Move operator()(const L3& centre, const V3& u) const
    {
        const L3 v = lattice(times(u, motion_.velocities) - u, velocity_unit);
        // From where it is in the canonical cell: the same on any rank.
        L3 middle = centre - lattice(before_ * u, position_unit), of_images = {};
        if (any_bit(outside(middle.x, 0) | outside(middle.y, 1) | outside(middle.z, 2))) [[unlikely]]
            into_cell(middle, of_images);
        const V3 along = times(times(real(middle, position_unit), motion_.inverse), change_);
        return {lattice(along, 1.0) + of_images + lattice(before_ * real(v, velocity_unit), position_unit), v};
    }

private:
    HOLON_INLINE I8 outside(I8 x, int k) const { return (I8)(x < I8{}) | (I8)(x >= splat<I8>(motion_.box[4 * k])); }

    __attribute__((noinline)) void into_cell(L3& x, L3& of_images) const
    {
        I8* const c[] = {&x.x, &x.y, &x.z};
        for (int k = 2; k >= 0; --k) {
            for (I8 below; any_bit(below = (I8)(*c[k] < I8{}));) {
                x = x + only(below, motion_.box + 3 * k);
                of_images = of_images - only(below, motion_.change + 3 * k);
            }
            for (I8 above; any_bit(above = (I8)(*c[k] >= splat<I8>(motion_.box[4 * k])));) {
                x = x - only(above, motion_.box + 3 * k);
                of_images = of_images + only(above, motion_.change + 3 * k);
            }
        }
    }
    HOLON_INLINE static L3 only(I8 mask, const std::int64_t* row)
    {
        return {mask & splat<I8>(row[0]), mask & splat<I8>(row[1]), mask & splat<I8>(row[2])};
    }

    const Motion& motion_;
    double change_[9];
    F8 before_;
};

} // namespace

void HOLON_NAME(kinetic_tensor)(const Groups& groups, const std::int64_t* v, TensorSums& sums)
{
    Summation summation(sums);
    for (std::int64_t b = 0; b < groups.n_batches; ++b) {
        const V3 u = velocity(Members(groups, b), v);
        F8 tensor[9] = {};
        add_product(tensor, (0.5 * load<F8>(groups.masses + lanes * b)) * u, u);
        summation.add(tensor);
    }
    summation.finish();
}

void HOLON_NAME(internal_virial)(const Groups& groups, const std::int64_t* x, const std::int64_t* const* forces,
                                 int n_forces, TensorSums& sums)
{
    Summation summation(sums);
    for (std::int64_t b = 0; b < groups.n_batches; ++b) {
        const Members members(groups, b);
        if (members.size() == 1) continue;
        const L3 head = members.values(0, x);
        const V3 centre = from_head(members, head, x);
        F8 tensor[9] = {};
        for (std::int32_t m = 0; m < members.size(); ++m) {
            const V3 half = splat<F8>(0.5) * (real(members.values(m, x) - head, position_unit) - centre);
            add_product(tensor, half, real(members.values(m, forces, n_forces), force_unit));
        }
        const I8 is_group = I8{0, 1, 2, 3, 4, 5, 6, 7} < splat<I8>(std::int64_t{groups.batches[b].n_groups});
        for (F8& element : tensor) element = kept_where(is_group, element);
        summation.add(tensor);
    }
    summation.finish();
}

void HOLON_NAME(follow)(const Groups& groups, const Motion& motion, std::int64_t* x, std::int64_t* v)
{
    const Mover mover(motion);
    for (std::int64_t b = 0; b < groups.n_batches; ++b) {
        const Members members(groups, b);
        const L3 head = members.values(0, x);
        const L3 centre = head + lattice(from_head(members, head, x), position_unit);
        const Move move = mover(centre, velocity(members, v));
        Row by_x[lanes], by_v[lanes];
        to_rows(move.x, by_x);
        to_rows(move.v, by_v);
        for (std::int32_t m = 0; m < members.size(); ++m)
            for (int l = 0; l < groups.batches[b].n_groups; ++l) {
                add_to_row(x + members.place(m, l), by_x[l]);
                add_to_row(v + members.place(m, l), by_v[l]);
            }
    }
}

void HOLON_NAME(move_of)(const std::int64_t* centre, const double* velocity, const Motion& motion, std::int64_t* by_x,
                         std::int64_t* by_v)
{
    const L3 x{splat<I8>(centre[0]), splat<I8>(centre[1]), splat<I8>(centre[2])};
    const V3 u{splat<F8>(velocity[0]), splat<F8>(velocity[1]), splat<F8>(velocity[2])};
    const Move move = Mover(motion)(x, u);
    by_x[0] = move.x.x[0];
    by_x[1] = move.x.y[0];
    by_x[2] = move.x.z[0];
    by_v[0] = move.v.x[0];
    by_v[1] = move.v.y[0];
    by_v[2] = move.v.z[0];
}

} // namespace holon::scaling_groups
