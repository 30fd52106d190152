#include <holon/dynamics/parts.hpp>
#include <holon/dynamics/scheme.hpp>

#include "schemes/line_minimiser.hpp"

#include <algorithm>

namespace holon {

namespace {

/// Conjugate gradients: E. Polak, G. Ribiere, Rev. Fr. Inform. Rech. Oper. 3, 35 (1969), restarted along the forces
/// where the sum of products changes sign and every nstcgsteep steps. With constraints, directions are projected onto
/// what these leave, like the forces.
class ConjugateGradients : public LineMinimiser {
public:
    explicit ConjugateGradients(const SchemeInput& input)
        : LineMinimiser(input, "cg", 0), interval_(input.parameters.nstcgsteep)
    {
    }

private:
    bool choose_direction(System& system) override
    {
        auto& atoms = system.atoms;
        const auto n = owned(system);
        const bool restart = static_cast<std::int64_t>(count_) % interval_ == 0;
        count_ += 1.0;
        // The displacement is known and not needed any more: its place takes the new forces.
        for (std::size_t i = 0; i < n; ++i) at(atoms, i, displacement) = present_force(atoms, i);
        double part = 0.0;
        if (!restart)
            part = std::max(0.0, (inner(system, displacement, displacement) - inner(system, displacement, force)) /
                                     inner(system, force, force));
        for (std::size_t i = 0; i < n; ++i) {
            at(atoms, i, force) = at(atoms, i, displacement);
            at(atoms, i, direction) = at(atoms, i, force) + part * at(atoms, i, direction);
        }
        if (part > 0.0) project_direction(system);
        if (part > 0.0 && inner(system, force, direction) > 0.0) return false;
        for (std::size_t i = 0; i < n; ++i) at(atoms, i, direction) = at(atoms, i, force);
        return true;
    }

    /// Takes the part off the direction that constraints would not let pass.
    void project_direction(System& system) const
    {
        if (system.constraints().empty()) return;
        auto& atoms = system.atoms;
        double fastest = 0.0;
        for (std::size_t i = 0; i < owned(system); ++i) fastest = std::max(fastest, length_of(at(atoms, i, direction)));
        fastest = largest(system.comm(), fastest);
        for (std::size_t i = 0; i < owned(system); ++i)
            atoms.v[i] = to_lattice(at(atoms, i, direction) / fastest, velocity_unit);
        system.constrain_velocities({.dt = 1.0});
        for (std::size_t i = 0; i < owned(system); ++i)
            at(atoms, i, direction) = to_real(atoms.v[i], velocity_unit) * fastest;
    }

    std::int64_t interval_;
};

Scheme make(const SchemeInput& input)
{
    using namespace parts;
    return sequence(frame(), std::make_unique<ConjugateGradients>(input), checkpoint());
}

} // namespace

SchemeEntry cg_scheme()
{
    return {.name = "cg",
            .traits = {.minimises = true},
            .make = make,
            .kept = [](const Parameters&) { return LineMinimiser::kept_for(0); },
            .mass = [](const Parameters&, double, const CouplingGroup*) { return 1.0; }};
}

} // namespace holon
