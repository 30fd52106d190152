// What can not be constrained is refused before the run, or reported during it; nothing moves and nothing crashes.
#include <support/constraints/constraint_system.hpp>

#include <holon/core/error.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

/// Projects positions with one solver after `damage` to the last molecule; returns the failure. Its atoms must stay
/// where they are.
template <class Damage>
std::string failure_of(const char* solver, ConstraintSystem system, Damage damage)
{
    system.disturb(0.003, 1.0, 5);
    damage(system);
    Constraints constraints(system.topology, system.clusters, {solver}, {});
    LocalPart part(system, 0, [](AtomId) { return 0; });
    constraints.rebuild(part.atoms, part.directory());
    const auto result = constraints.project_positions(part.atoms, system.box, {41, 0.002, 1.0});
    const auto last = static_cast<AtomId>(system.x.size() - 1);
    for (auto a = static_cast<std::size_t>(system.topology.place(last).molecule_start); a < system.x.size(); ++a)
        if (!result.failure.empty()) {
            EXPECT_EQ(part.atoms.x[a], system.x[a]) << solver;
            EXPECT_EQ(part.atoms.v[a], system.v[a]) << solver;
        }
    return result.failure;
}

ConstraintSystem two_waters()
{
    ConstraintSystem system;
    Noise noise(3);
    auto positions = water_positions({1, 1, 1}, noise);
    for (const auto& r : water_positions({2, 1, 1}, noise)) positions.push_back(r);
    system.add(rigid_water(), 2, positions);
    return system;
}

ConstraintSystem pair()
{
    ConstraintSystem system;
    system.add(molecule("Pair", {12.0, 1.0}, {{0, 1, 0.1}}), 1, {{1, 1, 1}, {1.1, 1, 1}});
    return system;
}

TEST(ConstraintFailures, TurnedBond)
{
    for (const char* solver :
         {"star", "m_shake", "shake", "newton", "ciccotti_ryckaert", "ilves_f", "yoneya", "wiggle"}) {
        const auto text = failure_of(solver, pair(), [](ConstraintSystem& s) {
            s.x[1] = s.x[0] + to_lattice({0.0, 0.12, 0.0}, position_unit);
        });
        EXPECT_EQ(text.find("Constraints of atoms 1, 2 (molecule 1, Pair) in step 41: "), 0u) << text;
        EXPECT_NE(text.find("90 degrees"), std::string::npos) << text;
    }
}

TEST(ConstraintFailures, AtomsOnTopOfEachOther)
{
    for (const char* solver :
         {"star", "m_shake", "shake", "newton", "ciccotti_ryckaert", "ilves_f", "yoneya", "wiggle"})
        EXPECT_NE(failure_of(solver, pair(), [](ConstraintSystem& s) { s.x[1] = s.x[0]; }), "") << solver;
}

TEST(ConstraintFailures, ReferenceWithoutDirection)
{
    for (const char* solver :
         {"star", "m_shake", "shake", "newton", "ciccotti_ryckaert", "ilves_f", "yoneya", "wiggle"})
        EXPECT_NE(failure_of(solver, pair(), [](ConstraintSystem& s) { s.x_ref[1] = s.x_ref[0]; }), "") << solver;
}

TEST(ConstraintFailures, WaterBeyondRepair)
{
    const auto far = [](ConstraintSystem& s) { s.x[4] += to_lattice({0.3, 0.6, 0.9}, position_unit); };
    const auto collapsed = [](ConstraintSystem& s) { s.x[3] = s.x[4] = s.x[5]; };
    const auto flat = [](ConstraintSystem& s) { s.x_ref[3] = s.x_ref[4] = s.x_ref[5]; };
    for (const char* solver : {"settle", "m_shake", "shake", "newton"}) {
        EXPECT_NE(failure_of(solver, two_waters(), far), "") << solver;
        EXPECT_NE(failure_of(solver, two_waters(), collapsed), "") << solver;
        EXPECT_NE(failure_of(solver, two_waters(), flat), "") << solver;
    }
    const auto text = failure_of("settle", two_waters(), flat);
    EXPECT_EQ(text.find("Constraints of atoms 4, 5, 6 (molecule 2, SOL) in step 41: "), 0u) << text;
}

TEST(ConstraintFailures, DirectionsThatCanNotGiveASolution)
{
    // Two bonds along one reference line to a pair of atoms that a third one holds apart.
    ConstraintSystem system;
    system.add(molecule("Impossible", {12.0, 12.0, 12.0}, {{0, 1, 0.1}, {1, 2, 0.1}, {0, 2, 0.5}}), 1,
               {{1, 1, 1}, {1.1, 1, 1}, {1.1, 1.1, 1}});
    for (const char* solver : {"shake", "newton", "ciccotti_ryckaert", "ilves_f"}) {
        const auto text = failure_of(solver, system, [](ConstraintSystem&) {});
        EXPECT_NE(text.find("(molecule 1, Impossible) in step 41"), std::string::npos) << text;
    }
}

std::string refusal(const ConstraintSystem& system, const std::vector<std::string>& order)
{
    try {
        Constraints(system.topology, system.clusters, order, {});
    } catch (const InputError& error) {
        return error.what();
    }
    return "";
}

TEST(ConstraintFailures, RefusedBeforeTheRun)
{
    EXPECT_EQ(refusal(pair(), {"shake"}), "");
    EXPECT_NE(refusal(pair(), {"no_such"}).find("no_such"), std::string::npos);

    ConstraintSystem massless;
    massless.add(molecule("Massless", {12.0, 0.0}, {{0, 1, 0.1}}), 1, {{1, 1, 1}, {1.1, 1, 1}});
    EXPECT_NE(refusal(massless, {"shake"}).find("atom 2 (A2) has no mass"), std::string::npos);

    for (const double length : {0.0, -0.1, std::nan("")}) {
        ConstraintSystem bad;
        bad.add(molecule("Bad", {12.0, 1.0}, {{0, 1, length}}), 1, {{1, 1, 1}, {1.1, 1, 1}});
        EXPECT_NE(refusal(bad, {"shake"}).find("atoms 1 and 2"), std::string::npos) << length;
    }

    ConstraintSystem long_chain;
    const Alkane chain(5, {1, 1, 1}, {1, 0, 0});
    long_chain.add(chain.type, 1, chain.positions);
    EXPECT_NE(refusal(long_chain, {"settle", "m_shake"}).find("the 16 constraints of atoms 1 A1, 2 A2"),
              std::string::npos);
}

TEST(ConstraintFailures, NanIsTheLargestResidual)
{
    EXPECT_GT(ordered_bits(std::nan("")), ordered_bits(INFINITY));
    EXPECT_GT(ordered_bits(-2.0), ordered_bits(1.0));
    EXPECT_EQ(from_ordered_bits(ordered_bits(1e-13)), 1e-13);
}

TEST(ConstraintFailures, ToleranceFollowsTheAlgorithm)
{
    Parameters parameters;
    parameters.shake_tol = 1e-4;
    parameters.constraint_algorithm = "shake";
    EXPECT_EQ(constraint_tolerance(parameters), 1e-4);
    parameters.constraint_algorithm = "lincs";
    EXPECT_EQ(constraint_tolerance(parameters), 1e-6);
    parameters.shake_tol = 1e-9;
    EXPECT_EQ(constraint_tolerance(parameters), 1e-9);
}

} // namespace
} // namespace holon::test
