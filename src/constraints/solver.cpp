#include <holon/constraints/solver.hpp>

#include <holon/core/error.hpp>

#include <algorithm>

namespace holon {

AtomDirectory directory_of(const Partition& partition)
{
    return {[&partition](AtomId id) { return partition.local().find(id); },
            [&partition](std::int32_t copy) { return partition.owner_of(copy); }};
}

ConstraintResult& ConstraintResult::operator+=(const ConstraintResult& other)
{
    for (std::size_t k = 0; k < virial.size(); ++k) virial[k] += other.virial[k];
    residual = std::max(residual, other.residual);
    iterations = std::max(iterations, other.iterations);
    messages += other.messages;
    bytes += other.bytes;
    reductions += other.reductions;
    if (failure.empty()) failure = other.failure;
    warnings += other.warnings;
    if (warning.empty()) warning = other.warning;
    return *this;
}

std::span<const SolverEntry> constraint_solvers()
{
#define HOLON_ENTRY(name) {#name, make_##name##_solver},
    static constexpr SolverEntry entries[] = {HOLON_CONSTRAINT_SOLVERS(HOLON_ENTRY)};
#undef HOLON_ENTRY
    return entries;
}

namespace {

const std::string wiggle_and = "wiggle+";

} // namespace

std::unique_ptr<Solver> make_solver(const std::string& name, const SolverSettings& settings)
{
    if (name.starts_with(wiggle_and)) {
        auto inner = settings;
        inner.after_guess = name.substr(wiggle_and.size());
        return make_wiggle_solver(inner);
    }
    const auto entry = std::ranges::find(constraint_solvers(), name, &SolverEntry::name);
    if (entry == constraint_solvers().end()) throw InputError("Unknown constraint solver: " + name + ".");
    return entry->make(settings);
}

std::vector<std::string> solver_names()
{
    std::vector<std::string> names;
    for (const auto& entry : constraint_solvers()) names.emplace_back(entry.name);
    for (const auto& entry : constraint_solvers()) {
        // The guess is not for bodies; Yoneya's solution is one; a constrained acceleration is no correction of
        // positions.
        const auto without = {
            make_wiggle_solver, make_rigid_solver,       make_dlm_solver,    make_no_squish_solver,
            make_qshake_solver, make_unit_newton_solver, make_yoneya_solver, make_edberg_evans_morriss_solver};
        if (std::ranges::find(without, entry.make) == without.end()) names.push_back(wiggle_and + entry.name);
    }
    return names;
}

} // namespace holon
