// The kernels of SETTLE: the same bits with every instruction set, and each water as if it were alone.
#include <holon/core/instruction_sets.hpp>

#include <support/constraints/constraint_system.hpp>

#include <constraints/whole_clusters/settle_kernel.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

using settle::Outcome;
using settle::Waters;

constexpr std::size_t n_waters = 45; // not a multiple of what is done at a time
constexpr std::size_t lost = 13;     // has no solution
constexpr std::size_t other = 25;    // something else than a water
constexpr double d_oh = 0.1, d_hh = 0.163299, dt = 0.002;

/// Waters a step away from being rigid; their atoms in a row, but for those of something else, or in no order.
struct State {
    bool in_a_row;
    std::vector<std::int32_t> atoms;
    std::vector<IVec3> x_ref, x, v;
    std::vector<double> moved = std::vector<double>(6 * n_waters);

    explicit State(bool row) : in_a_row(row)
    {
        Noise noise(41);
        for (std::size_t w = 0; w <= n_waters; ++w)
            for (const auto& r : water_positions(100.0 * noise.vector(), noise, d_oh, d_hh))
                x_ref.push_back(to_lattice(r, position_unit));
        for (std::size_t w = 0; w < n_waters; ++w) {
            const std::size_t place = in_a_row ? w : w * 8 % n_waters, after = place < other ? place : place + 1;
            for (std::size_t a = 0; a < 3; ++a) atoms.push_back(static_cast<std::int32_t>(3 * after + a));
        }
        for (std::size_t a = 0; a < 3 * 8 && !in_a_row; a += 3) { // those of the first eight
            std::swap(x_ref[static_cast<std::size_t>(atoms[a])], x_ref[static_cast<std::size_t>(atoms[a + 1])]);
            std::swap(atoms[a], atoms[a + 1]);
        }
        x = x_ref;
        v.resize(x.size());
        for (std::size_t a = 0; a < x.size(); ++a) {
            x[a] += to_lattice(0.004 * noise.vector(), position_unit);
            v[a] = to_lattice(2.0 * noise.vector(), velocity_unit);
        }
        x[3 * lost] += to_lattice({0.5, 0.0, 0.0}, position_unit);
    }

    Waters waters(std::size_t first, std::size_t n)
    {
        constexpr double m_o = 15.9994, m_h = 1.008, w_h = m_h / (m_o + 2.0 * m_h), rc = 0.5 * d_hh;
        const double height = std::sqrt(d_oh * d_oh - rc * rc), ra = 2.0 * w_h * height;
        return {.n = static_cast<std::int64_t>(n),
                .atoms = &atoms[3 * first],
                .in_a_row = in_a_row,
                .triangle = {m_o, m_h, d_oh * d_oh, d_hh * d_hh, w_h, ra, height - ra, rc},
                .x_ref = x_ref.front().data(),
                .x = x.front().data(),
                .v = v.front().data(),
                .inverse_dt = 1.0 / dt,
                .moved = &moved[6 * first]};
    }
};

struct Variant {
    const char* name;
    Outcome (*positions)(const Waters&);
    Outcome (*velocities)(const Waters&);
};

std::vector<Variant> variants()
{
    std::vector<Variant> all{{"baseline", settle::positions_baseline, settle::velocities_baseline}};
#if defined(__x86_64__)
    if (best_instruction_set() >= InstructionSet::v3)
        all.push_back({"v3", settle::positions_v3, settle::velocities_v3});
    if (best_instruction_set() >= InstructionSet::v4)
        all.push_back({"v4", settle::positions_v4, settle::velocities_v4});
#endif
    return all;
}

TEST(SettleKernel, SameBitsWithEveryInstructionSetAndOneByOne)
{
    for (const int choice : {0, 1, 2, 3}) {
        const bool velocities = choice % 2 == 1, in_a_row = choice / 2 == 1;
        SCOPED_TRACE(in_a_row ? "in a row" : "in no order");
        State expected(in_a_row); // one water at a time
        std::int64_t residual = 0;
        const auto baseline = velocities ? settle::velocities_baseline : settle::positions_baseline;
        for (std::size_t w = 0; w < n_waters; ++w) {
            const auto outcome = baseline(expected.waters(w, 1));
            residual = std::max(residual, outcome.residual);
            const bool is_lost = expected.atoms[3 * w] == static_cast<std::int32_t>(3 * lost);
            EXPECT_EQ(outcome.failed, !velocities && is_lost ? 0 : -1) << w;
        }
        EXPECT_LT(from_ordered_bits(residual), velocities ? 1e-11 : 2e-13);
        const State start(in_a_row);
        for (std::size_t a = 3 * other; a < 3 * other + 3; ++a) EXPECT_EQ(expected.x[a], start.x[a]);
        EXPECT_NE(expected.v, start.v);
        if (!velocities) {
            EXPECT_EQ(expected.x[3 * lost], start.x[3 * lost]) << "it stays where it is";
        }
        for (const auto& variant : variants()) {
            State state(in_a_row);
            const auto outcome = (velocities ? variant.velocities : variant.positions)(state.waters(0, n_waters));
            EXPECT_EQ(state.x, expected.x) << variant.name;
            EXPECT_EQ(state.v, expected.v) << variant.name;
            EXPECT_EQ(state.moved, expected.moved) << variant.name;
            EXPECT_EQ(outcome.residual, residual) << variant.name;
            if (velocities)
                EXPECT_EQ(outcome.failed, -1);
            else
                EXPECT_EQ(state.atoms[3 * static_cast<std::size_t>(outcome.failed)],
                          static_cast<std::int32_t>(3 * lost));
        }
    }
}

} // namespace
} // namespace holon::test
