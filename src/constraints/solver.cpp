#include <holon/constraints/solver.hpp>

#include <algorithm>

namespace holon {

ConstraintResult& ConstraintResult::operator+=(const ConstraintResult& other)
{
    for (std::size_t k = 0; k < virial.size(); ++k) virial[k] += other.virial[k];
    residual = std::max(residual, other.residual);
    iterations = std::max(iterations, other.iterations);
    messages += other.messages;
    reductions += other.reductions;
    if (failure.empty()) failure = other.failure;
    return *this;
}

std::span<const SolverEntry> constraint_solvers()
{
#define HOLON_ENTRY(name) {#name, make_##name##_solver},
    static constexpr SolverEntry entries[] = {HOLON_CONSTRAINT_SOLVERS(HOLON_ENTRY)};
#undef HOLON_ENTRY
    return entries;
}

} // namespace holon
