#include <holon/core/index.hpp>
#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

#include "schemes/line_minimiser.hpp"

#include <algorithm>

namespace holon {

namespace {

/// Quasi-Newton with limited memory: J. Nocedal, Math. Comput. 35, 773 (1980), the two-loop recursion over the last
/// nbfgscorr steps and what they did to the forces.
class LBfgs : public LineMinimiser {
public:
    explicit LBfgs(const SchemeInput& input)
        : LineMinimiser(input, "l-bfgs", 2 * input.parameters.nbfgscorr), memory_(input.parameters.nbfgscorr),
          curvature_(input.state.declare({.name = "l-bfgs-curvature", .values = std::vector<double>(index(memory_))})),
          moved_(input.state.declare({.name = "l-bfgs-moved", .values = {0.0}})[0])
    {
    }

private:
    /// Vectors of a step that is remembered: how far it went [nm], and what the forces lost.
    std::int32_t step_of(std::int64_t k) const { return static_cast<std::int32_t>(first_free + 2 * (k % memory_)); }
    std::int32_t change_of(std::int64_t k) const { return step_of(k) + 1; }
    double& curvature_of(std::int64_t k) const { return curvature_[index(k % memory_)]; }

    bool choose_direction(System& system) override
    {
        auto& atoms = system.atoms;
        const auto n = owned(system);
        remember(system);
        for (std::size_t i = 0; i < n; ++i) at(atoms, i, force) = at(atoms, i, direction) = present_force(atoms, i);
        moved_ = 1.0;
        if (count_ == 0.0) return true;
        apply_inverse_hessian(system);
        if (inner(system, force, direction) > 0.0) return false;
        forget();
        for (std::size_t i = 0; i < n; ++i) at(atoms, i, direction) = at(atoms, i, force);
        return true;
    }

    /// Of the step before, if the forces have lost in its direction.
    void remember(System& system)
    {
        if (moved_ == 0.0) return;
        auto& atoms = system.atoms;
        const auto newest = static_cast<std::int64_t>(count_);
        for (std::size_t i = 0; i < owned(system); ++i) {
            at(atoms, i, step_of(newest)) = position_unit * at(atoms, i, displacement);
            at(atoms, i, change_of(newest)) = at(atoms, i, force) - present_force(atoms, i);
        }
        curvature_of(newest) = inner(system, step_of(newest), change_of(newest));
        if (curvature_of(newest) > 0.0)
            count_ += 1.0;
        else
            forget();
    }

    void forget() override { count_ = moved_ = 0.0; }

    void apply_inverse_hessian(System& system) const
    {
        auto& atoms = system.atoms;
        const auto n = owned(system);
        const auto end = static_cast<std::int64_t>(count_), begin = std::max<std::int64_t>(0, end - memory_);
        std::vector<double> parts(index(end - begin));
        const auto part = [&](std::int64_t k) -> double& { return parts[index(k - begin)]; };
        for (auto k = end; k-- > begin;) {
            part(k) = inner(system, step_of(k), direction) / curvature_of(k);
            for (std::size_t i = 0; i < n; ++i) at(atoms, i, direction) -= part(k) * at(atoms, i, change_of(k));
        }
        const double inverse = curvature_of(end - 1) / inner(system, change_of(end - 1), change_of(end - 1));
        for (std::size_t i = 0; i < n; ++i) at(atoms, i, direction) *= inverse;
        for (auto k = begin; k < end; ++k) {
            const double back = part(k) - inner(system, change_of(k), direction) / curvature_of(k);
            for (std::size_t i = 0; i < n; ++i) at(atoms, i, direction) += back * at(atoms, i, step_of(k));
        }
    }

    double first_trial(double suggested) const override { return count_ > 0.0 ? 1.0 : suggested; }

    std::int64_t memory_;
    std::span<double> curvature_; // step times change of the forces [kJ/mol]
    double& moved_;               // 1: there has been a step since the memory was emptied
};

Scheme make(const SchemeInput& input)
{
    using namespace parts;
    return sequence(frame(), std::make_unique<LBfgs>(input), checkpoint());
}

} // namespace

SchemeEntry l_bfgs_scheme()
{
    return {.name = "l-bfgs",
            .traits = {.minimises = true, .takes_constraints = false},
            .make = make,
            .kept = [](const Parameters& p) { return LineMinimiser::kept_for(2 * p.nbfgscorr); },
            .mass = [](const Parameters&, double, const CouplingGroup*) { return 1.0; }};
}

} // namespace holon
