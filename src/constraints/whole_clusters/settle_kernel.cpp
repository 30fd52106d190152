// Compiled once per instruction set: see kernel_variant.hpp.
#include "settle_kernel.hpp"

#include <holon/core/kernel_variant.hpp>

#include "bonds/lattice_runs.hpp"

namespace holon::settle {
namespace {

using lattice_lanes::add_three;
using lattice_lanes::add_three_to_run;
using lattice_lanes::fused_dot;
using lattice_lanes::load_arms_of_run;
using lattice_lanes::to_lattice;

/// Waters at a time: where a vector holds eight, two of them, so that one goes on while a root or a division of the
/// other is under way.
constexpr int lanes = native_bytes == 64 ? 16 : 8;
using F = Vector<double, lanes>;
using I = Vector<std::int64_t, lanes>;
using V3 = Three<F>;
using L3 = Three<I>;

/// a b + c, or - c, rounded once.
HOLON_INLINE F sum(F a, F b, F c)
{
    return multiply_add(a, b, c);
}
HOLON_INLINE F difference(F a, F b, F c)
{
    return multiply_add(a, b, -c);
}
HOLON_INLINE V3 sum(F a, const V3& b, const V3& c)
{
    return {sum(a, b.x, c.x), sum(a, b.y, c.y), sum(a, b.z, c.z)};
}
HOLON_INLINE V3 difference(F a, const V3& b, const V3& c)
{
    return {difference(a, b.x, c.x), difference(a, b.y, c.y), difference(a, b.z, c.z)};
}
HOLON_INLINE V3 fused_cross(const V3& a, const V3& b)
{
    return {difference(a.y, b.z, a.z * b.y), difference(a.z, b.x, a.x * b.z), difference(a.x, b.y, a.y * b.x)};
}

/// How the numbers of waters that are done together lie in memory.
enum class Layout {
    anyhow,
    rows, // those of a water follow each other
    run   // those of all of them
};

Layout layout_of(const Waters& w, std::int64_t first)
{
    if (!w.in_a_row) return Layout::anyhow;
    constexpr bool helps = native_bytes == 64;
    const bool is_run =
        helps && lanes <= w.n - first && w.atoms[3 * (first + lanes - 1)] - w.atoms[3 * first] == 3 * (lanes - 1);
    return is_run ? Layout::run : Layout::rows;
}

/// Waters that are done together; the last one of the list is repeated to fill up.
template <Layout layout>
struct Batch {
    static constexpr int n_waters = layout == Layout::run ? 1 : lanes, n_atoms = layout == Layout::anyhow ? 3 : 1;
    std::int64_t atom[n_atoms][n_waters]; // index of its first number; of others, it follows
    int n;

    HOLON_INLINE Batch(const Waters& w, std::int64_t first)
        : n(w.n - first < lanes ? static_cast<int>(w.n - first) : lanes)
    {
        for (int l = 0; l < n_waters; ++l) {
            const std::int64_t water = n == lanes || l < n ? first + l : w.n - 1;
            for (int a = 0; a < n_atoms; ++a) atom[a][l] = 3 * std::int64_t{w.atoms[3 * water + a]};
        }
    }
    /// From the oxygen to the hydrogens; exact.
    HOLON_INLINE void load_arms(const std::int64_t* values, V3 (&arms)[2]) const
    {
        if constexpr (layout == Layout::run) {
            load_arms_of_run(values + atom[0][0], arms);
        } else if constexpr (layout == Layout::rows) {
            lattice_lanes::load_arms(values, atom[0], arms);
        } else {
            const L3 centre = lattice_lanes::load(values, atom[0]);
            for (int a = 0; a < 2; ++a)
                arms[a] = lattice_lanes::difference(centre, lattice_lanes::load(values, atom[1 + a]));
        }
    }
    /// Adds moves to the values, and if there are `others`, multiples to these.
    HOLON_INLINE void add(std::int64_t* values, std::int64_t* others, double multiple, const V3 (&moves)[3]) const
    {
        if constexpr (layout == Layout::run) {
            add_three_to_run(values + atom[0][0], others == nullptr ? nullptr : others + atom[0][0], multiple, moves);
        } else if constexpr (layout == Layout::rows) {
            add_three(values, others, multiple, atom[0], n, moves);
        } else {
            for (int a = 0; a < 3; ++a) {
                add_to(values, a, moves[a]);
                if (others != nullptr) add_to(others, a, splat<F>(multiple) * moves[a]);
            }
        }
    }

private:
    HOLON_INLINE void add_to(std::int64_t* values, int a, const V3& move) const
    {
        lattice_lanes::store(values, atom[a], lattice_lanes::load(values, atom[a]) + to_lattice(move));
    }
};

/// What is to be added to the three atoms [units of the lattice]; nothing where there is no solution.
struct Correction {
    V3 atom[3];
    I good; // lanes that have a solution: all bits set

    /// From those of the hydrogens: the centre of mass stays where it is.
    HOLON_INLINE Correction(const Triangle& t, const V3& b, const V3& c)
    {
        const V3 both = b + c;
        const F sum = (both.x + both.y) + both.z;
        good = (I)(sum - sum == 0.0);
        atom[0] = splat<F>(-t.m_h / t.m_o) * both;
        atom[1] = b;
        atom[2] = c;
        for (auto& move : atom) move = kept_where(good, move);
    }
};

HOLON_INLINE void keep_moved(const Waters& w, std::int64_t first, int n, const Correction& c, double unit)
{
    if (w.moved == nullptr) return;
    for (int l = 0; l < n; ++l)
        for (int h = 0; h < 2; ++h) {
            double* const to = w.moved + 6 * (first + l) + 3 * h;
            const V3& from = c.atom[1 + h];
            to[0] = unit * from.x[l];
            to[1] = unit * from.y[l];
            to[2] = unit * from.z[l];
        }
}

/// `b0`, `c0`: reference, and `b`, `c`: trial vectors from the oxygen to the hydrogens, in units of the triangle's
/// lengths. Not finite if the trial triangle is too far from the reference.
HOLON_INLINE Correction settle(const Triangle& t, const V3& b0, const V3& c0, const V3& b, const V3& c)
{
    const F zero = {}, one = zero + 1.0;
    // Trial positions relative to the centre of mass.
    const V3 a1 = (zero - t.w_h) * (b + c);
    const V3 b1 = b + a1;
    const V3 c1 = c + a1;

    // Frame: Z normal to the reference plane, a1 in the YZ plane. Its vectors have lengths other than 1 until the end,
    // so that roots and products go on at the same time.
    const V3 z = fused_cross(b0, c0), x = fused_cross(a1, z), y = fused_cross(z, x);
    const F per_z = 0x1p-90 * inverse_root(0x1p-180 * fused_dot(z, z));
    const F per_x = 0x1p-130 * inverse_root(0x1p-260 * fused_dot(x, x)), per_y = per_z * per_x;
    const F xb0 = per_x * fused_dot(x, b0), yb0 = per_y * fused_dot(y, b0);
    const F xc0 = per_x * fused_dot(x, c0), yc0 = per_y * fused_dot(y, c0);
    const F za1 = per_z * fused_dot(z, a1), zb1 = per_z * fused_dot(z, b1), zc1 = per_z * fused_dot(z, c1);
    const F xb1 = per_x * fused_dot(x, b1), yb1 = per_y * fused_dot(y, b1), yc1 = per_y * fused_dot(y, c1);

    // The ideal triangle, turned by psi about Y and by phi about X, has the trial's components along Z.
    const F sin_phi = (1.0 / t.ra) * za1;
    const F cos_phi_2 = one - sin_phi * sin_phi;
    const F sin_psi_cos_phi = (0.5 / t.rc) * (zb1 - zc1);
    const F per_cos_phi = inverse_root(cos_phi_2), cos_phi = cos_phi_2 * per_cos_phi;
    const F cos_psi_cos_phi = square_root(cos_phi_2 - sin_psi_cos_phi * sin_psi_cos_phi);
    const F rc_over_cos_phi = t.rc * per_cos_phi;
    const F xb2 = zero - rc_over_cos_phi * cos_psi_cos_phi;
    const F middle = -t.rb * cos_phi, half = rc_over_cos_phi * sin_psi_cos_phi * sin_phi;
    const F yb2 = middle - half;
    const F yc2 = middle + half;

    // Turned by theta about Z, the displacements lie along the reference bonds: alpha sin + beta cos = gamma.
    const F alpha = sum(xb2, xb0 - xc0, sum(yb0, yb2, yc0 * yc2));
    const F beta = sum(xb2, yc0 - yb0, sum(xb0, yb2, xc0 * yc2));
    const F gamma = difference(xb0, yb1, difference(xb1, yb0 - yc0, xc0 * yc1));
    const F square = sum(alpha, alpha, beta * beta);
    const F inverse_square = 1.0 / square;
    const F root = square_root(square - gamma * gamma);
    const F sin_theta = difference(alpha, gamma, beta * root) * inverse_square;
    const F cos_theta = sum(beta, gamma, alpha * root) * inverse_square;

    const F xb3 = difference(xb2, cos_theta, yb2 * sin_theta), yb3 = sum(xb2, sin_theta, yb2 * cos_theta);
    const F xc3 = -sum(xb2, cos_theta, yc2 * sin_theta), yc3 = difference(yc2, cos_theta, xb2 * sin_theta);
    const V3 of_b = sum(xb3 * per_x, x, sum(yb3 * per_y, y, difference(zb1 * per_z, z, b1)));
    const V3 of_c = sum(xc3 * per_x, x, sum(yc3 * per_y, y, difference(zc1 * per_z, z, c1)));
    return {t, of_b, of_c};
}

/// Velocity changes that make r.v = 0 for the three bonds: O-H1 `b`, O-H2 `c`, H1-H2; `u`, `w`: velocities of the
/// hydrogens relative to the oxygen. Lengths and velocities may be in any unit.
HOLON_INLINE Correction settle_velocities(const Triangle& t, const V3& b, const V3& c, const V3& u, const V3& w)
{
    const V3 e = c - b;
    const double o = 1.0 / t.m_o, h = 1.0 / t.m_h;
    const F zero = {};
    // The matrix of the three multipliers, symmetric; its inverse by cofactors.
    const F bb = (o + h) * fused_dot(b, b), cc = (o + h) * fused_dot(c, c), ee = 2.0 * h * fused_dot(e, e);
    const F bc = o * fused_dot(b, c), be = -h * fused_dot(b, e), ce = h * fused_dot(c, e);
    const F k00 = difference(cc, ee, ce * ce), k01 = difference(be, ce, bc * ee), k02 = difference(bc, ce, be * cc);
    const F k11 = difference(bb, ee, be * be), k12 = difference(bc, be, bb * ce), k22 = difference(bb, cc, bc * bc);
    const F inverse = 1.0 / sum(bb, k00, sum(bc, k01, be * k02));
    const F rb = fused_dot(b, u), rc = fused_dot(c, w), re = fused_dot(e, w - u);
    // Multipliers over the mass of a hydrogen [unit of velocity / unit of length].
    const F per_h = h * inverse;
    const F lb = sum(k00, rb, sum(k01, rc, k02 * re)) * per_h;
    const F lc = sum(k01, rb, sum(k11, rc, k12 * re)) * per_h;
    const F le = sum(k02, rb, sum(k12, rc, k22 * re)) * per_h;
    const V3 of_b = difference(le, e, lb * b), of_c = sum(zero - le, e, (zero - lc) * c);
    return {t, of_b, of_c};
}

/// Lengths in units of the lattice: a power of two, which changes no bit of what is rounded, and saves products.
Triangle on_lattice(Triangle t)
{
    constexpr double per_nm = 1.0 / position_unit;
    t.ra *= per_nm;
    t.rb *= per_nm;
    t.rc *= per_nm;
    t.d_oh2 *= per_nm * per_nm;
    t.d_hh2 *= per_nm * per_nm;
    return t;
}

/// The arms after the moves are rounded to the lattice; exact.
HOLON_INLINE void move_arms(const Correction& c, V3 (&arms)[2])
{
    const auto centre = to_lattice(c.atom[0]);
    for (int a = 0; a < 2; ++a) arms[a] = arms[a] + lattice_lanes::difference(centre, to_lattice(c.atom[1 + a]));
}

/// A stage of many batches.
struct Stage {
    const Waters& w;
    const Triangle t;
    lattice_lanes::SummaryOf<I> summary = {};

    explicit Stage(const Waters& waters) : w(waters), t(on_lattice(waters.triangle)) {}

    /// After n waters: the errors left in their distances, who is lost, and what was added [`unit` of the lattice].
    HOLON_INLINE void note(std::int64_t first, int n, const Correction& c, const F (&errors)[3], double unit)
    {
        for (const F& error : errors) summary.note(error, c.good);
        summary.note_failures(c.good, first, n);
        keep_moved(w, first, n, c, unit);
    }
};

struct Positions : Stage {
    using Stage::Stage;

    template <Layout layout>
    HOLON_INLINE void project(std::int64_t first)
    {
        const Batch<layout> batch(w, first);
        V3 reference[2], arms[2];
        batch.load_arms(w.x_ref, reference);
        batch.load_arms(w.x, arms);
        const auto correction = settle(t, reference[0], reference[1], arms[0], arms[1]);
        const double change_per_move = w.inverse_dt * (position_unit / velocity_unit);
        batch.add(w.x, w.inverse_dt > 0.0 ? w.v : nullptr, change_per_move, correction.atom);
        move_arms(correction, arms);
        const auto error = [](const V3& r, double d2) { return (0.5 / d2) * (fused_dot(r, r) - d2); };
        const F errors[] = {error(arms[0], t.d_oh2), error(arms[1], t.d_oh2), error(arms[1] - arms[0], t.d_hh2)};
        note(first, batch.n, correction, errors, position_unit);
    }
};

struct Velocities : Stage {
    using Stage::Stage;

    template <Layout layout>
    HOLON_INLINE void project(std::int64_t first)
    {
        const Batch<layout> batch(w, first);
        V3 arms[2], rates[2];
        batch.load_arms(w.x, arms);
        batch.load_arms(w.v, rates);
        const auto correction = settle_velocities(t, arms[0], arms[1], rates[0], rates[1]);
        batch.add(w.v, nullptr, 0.0, correction.atom);
        move_arms(correction, rates);
        constexpr double rate = velocity_unit / position_unit; // [1/ps]
        const auto error = [](const V3& r, const V3& change, double d2) { return (rate / d2) * fused_dot(r, change); };
        const F errors[] = {error(arms[0], rates[0], t.d_oh2), error(arms[1], rates[1], t.d_oh2),
                            error(arms[1] - arms[0], rates[1] - rates[0], t.d_hh2)};
        note(first, batch.n, correction, errors, velocity_unit);
    }
};

template <class S>
Outcome project(const Waters& w)
{
    S stage(w);
    for (std::int64_t first = 0; first < w.n; first += lanes) switch (layout_of(w, first)) {
        case Layout::anyhow:
            stage.template project<Layout::anyhow>(first);
            break;
        case Layout::rows:
            stage.template project<Layout::rows>(first);
            break;
        case Layout::run:
            stage.template project<Layout::run>(first);
        }
    return {stage.summary.largest_residual(), stage.summary.failed};
}

} // namespace

Outcome HOLON_NAME(positions)(const Waters& w)
{
    return project<Positions>(w);
}

Outcome HOLON_NAME(velocities)(const Waters& w)
{
    return project<Velocities>(w);
}

} // namespace holon::settle
