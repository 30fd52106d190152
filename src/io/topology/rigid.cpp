#include "rigid.hpp"

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace holon {

namespace {

/// Relative difference below which two angles give the same distance.
constexpr double same_length = 1e-6;

} // namespace

void RigidParts::add_constraint(const Fields& fields, std::int32_t i, std::int32_t j, double length)
{
    if (!(length > 0.0)) fields.fail(fmt::format("the length of a constraint must be above zero, not {} nm", length));
    const auto [low, high] = std::minmax(i, j);
    constraints_.push_back({{low, high, length}, fields.line(), fields.section()});
    bonds_[{low, high}] = length;
}

bool RigidParts::add_angle(const Fields& fields, const std::array<std::int32_t, 3>& atoms, double angle)
{
    const auto bond = [&](std::int32_t end) { return bonds_.find(std::minmax(end, atoms[1])); };
    const auto [low, high] = std::minmax(atoms[0], atoms[2]);
    const auto first = bond(low), second = bond(high);
    if (first == bonds_.end() || second == bonds_.end()) return false;
    if (bonds_.contains({low, high})) return true;
    const double a = first->second, b = second->second;
    const double length = std::sqrt(std::max(0.0, a * a + b * b - 2.0 * a * b * portable::cos(angle)));
    if (!(length > 1e-3 * (a + b)))
        fields.fail(fmt::format("an angle of {:g} degrees can not be made rigid: its ends would lie on each other",
                                angle / units::degree));
    constraints_.push_back({{low, high, length, true}, fields.line(), fields.section()});
    return true;
}

void RigidParts::add_settle(const Fields& fields, std::int32_t oxygen, const std::vector<TopologyAtom>& atoms)
{
    if (fields.integer(1, "the function type") != 1) fields.fail("the function type of a settle must be 1");
    const Settle settle{oxygen, fields.real(2, "the O-H distance"), fields.real(3, "the H-H distance")};
    const auto numbers = fields.numbers_from(2);
    if (numbers != 2 && numbers != 4) // the last two: B state
        fields.fail(fmt::format("wrong number of parameters for a settle: {} instead of 2", numbers));
    const auto first_hydrogen = static_cast<std::size_t>(oxygen) + 1;
    if (first_hydrogen + 1 >= atoms.size())
        fields.fail("a settle takes an oxygen and the two atoms that follow it, but no two atoms follow");
    if (!(settle.d_oh > 0.0 && settle.d_hh > 0.0 && settle.d_hh < 2.0 * settle.d_oh))
        fields.fail(fmt::format("no triangle has sides of {}, {} and {} nm", settle.d_oh, settle.d_oh, settle.d_hh));
    if (atoms[first_hydrogen].mass != atoms[first_hydrogen + 1].mass)
        fields.fail("the two atoms after the oxygen must have the same mass; use [ constraints ] for other molecules");
    settles_.push_back({settle, fields.line()});
}

std::vector<std::int32_t> RigidParts::settle_of_atoms(std::size_t n_atoms) const
{
    std::vector<std::int32_t> settle_of(n_atoms, -1);
    for (std::size_t k = 0; k < settles_.size(); ++k) {
        const auto oxygen = static_cast<std::size_t>(settles_[k].settle.oxygen);
        for (std::size_t atom = oxygen; atom < oxygen + 3; ++atom) {
            if (settle_of[atom] >= 0)
                Fields(source_, settles_[k].line, "settles")
                    .fail(fmt::format("atom {} is in another settle already", atom + 1));
            settle_of[atom] = static_cast<std::int32_t>(k);
        }
    }
    return settle_of;
}

void RigidParts::store(MoleculeType& molecule) const
{
    for (const SettleLine& line : settles_) molecule.settles.push_back(line.settle);
    const std::vector<std::int32_t> settle_of = settle_of_atoms(molecule.atoms.size());

    std::vector<ConstraintLine> lines = constraints_;
    std::stable_sort(lines.begin(), lines.end(), [](const ConstraintLine& a, const ConstraintLine& b) {
        return std::tie(a.constraint.i, a.constraint.j) < std::tie(b.constraint.i, b.constraint.j);
    });
    for (const auto& [constraint, line, section] : lines) {
        const auto [i, j, length, from_angle] = constraint;
        const std::int32_t settle = settle_of[static_cast<std::size_t>(i)];
        if (settle != settle_of[static_cast<std::size_t>(j)])
            Fields(source_, line, section)
                .fail(fmt::format("atoms {} and {}: an atom of a settle cannot be constrained to others as well; use "
                                  "[ constraints ] instead of [ settles ] for this molecule",
                                  i + 1, j + 1));
        if (settle >= 0) continue;
        if (!molecule.constraints.empty()) {
            const Constraint& last = molecule.constraints.back();
            const bool again = last.i == i && last.j == j;
            if (again && std::abs(last.length - length) > (from_angle ? same_length * length : 0.0))
                Fields(source_, line, section)
                    .fail(fmt::format("atoms {} and {} are constrained to {} nm already, and cannot to {} nm as well",
                                      i + 1, j + 1, last.length, length));
            if (again) continue;
        }
        molecule.constraints.push_back(constraint);
    }
}

} // namespace holon
