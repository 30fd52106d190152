#include <holon/core/index.hpp>

#include "operators/shadow_heat.hpp"
#include "thermostats/draws.hpp"

#include <array>

namespace holon {

namespace {

/// What the parts share. By the half kicks w at the end of the step after the change and u at the beginning of the one
/// before it the heat is -1/6 sum m d.(w - u). Those who are drawn are known beforehand; d and u stay with them until
/// the next step, and are 0 otherwise.
class DrawAccount {
public:
    static constexpr std::int32_t numbers = 6; // kept with each atom

    DrawAccount(const SchemeInput& input, std::unique_ptr<Draws> draws)
        : draws_(std::move(draws)),
          state_(input.state.declare(
              {.name = "shadow-heat-of-draws", .role = Role::ledger, .values = {0.0, 0.0, no_step}}))
    {
    }

    double booked() const { return state_[0]; } // [kJ/mol]

    // Around the kicks of the step that begins with number n, and after the change at its end:

    void before_first_kick(System& system, std::int64_t n) { note(system.atoms, draws_->at(system, n + 1)); }

    void after_first_kick(System& system, std::int64_t n)
    {
        for_noted(system.atoms, draws_->at(system, n + 1),
                  [&](std::size_t i, const Vec3& u) { kept(system.atoms, i, 3) = u; });
    }

    void before_last_kick(System& system, std::int64_t n) { note(system.atoms, draws_->at(system, n)); }

    void after_last_kick(System& system, std::int64_t n)
    {
        auto& atoms = system.atoms;
        sums_ = {};
        const bool known = state_[2] == static_cast<double>(n); // or there has been none, or what is kept is another's
        for_noted(atoms, draws_->at(system, n), [&](std::size_t i, const Vec3& w) {
            if (known) sums_[0].add(atoms.mass[i] / -6.0 * kept(atoms, i, 0).dot(w));
            kept(atoms, i, 0).setZero();
        });
        note(atoms, draws_->at(system, n + 1));
    }

    void after_change(System& system, std::int64_t n)
    {
        if (!draws_->any_at(n) && !draws_->any_at(n + 1)) return;
        auto& atoms = system.atoms;
        for_noted(atoms, draws_->at(system, n + 1), [&](std::size_t i, const Vec3& d) {
            sums_[1].add(atoms.mass[i] / 6.0 * d.dot(kept(atoms, i, 3)));
            kept(atoms, i, 0) = d;
            kept(atoms, i, 3).setZero();
        });
        system.comm().sum(std::span<FixedSum>(sums_));
        if (state_[2] == static_cast<double>(n)) state_[0] += state_[1] + sums_[0].value();
        state_[1] = sums_[1].value();
        state_[2] = static_cast<double>(n + 1);
    }

private:
    static constexpr double no_step = -1e300;

    static Eigen::Map<Vec3> kept(Atoms& atoms, std::size_t i, std::int32_t first)
    {
        return Eigen::Map<Vec3>(atoms.kept.data() + (atoms.kept_begin[i + 1] - numbers + first));
    }

    void note(const Atoms& atoms, const std::vector<std::size_t>& drawn)
    {
        noted_.clear();
        for (const auto i : drawn) noted_.push_back(atoms.v[i]);
    }

    /// Calls use(i, by how much the velocity has changed since it was noted).
    template <class Use>
    void for_noted(const Atoms& atoms, const std::vector<std::size_t>& drawn, Use use) const
    {
        for (std::size_t k = 0; k < drawn.size(); ++k)
            use(drawn[k], to_real(IVec3(atoms.v[drawn[k]] - noted_[k]), velocity_unit));
    }

    std::unique_ptr<Draws> draws_;
    std::span<double> state_;           // booked; by the kick before the last change; in which step that was
    std::vector<IVec3> noted_;          // velocities
    std::array<FixedSum, 2> sums_ = {}; // by the kick after a change, before one; of this rank
};

/// One of the parts: a call with the number of the step.
template <void (DrawAccount::*call)(System&, std::int64_t)>
class Enter : public Operator {
public:
    Enter(std::shared_ptr<DrawAccount> account, std::int64_t behind) : account_(std::move(account)), behind_(behind) {}

    void apply(Step& step) override
    {
        const auto timer = step.system.timers.measure(Stage::integrate);
        ((*account_).*call)(step.system, step.clock.step - behind_);
    }
    double stored_energy() const override { return call == &DrawAccount::after_change ? -account_->booked() : 0.0; }

private:
    std::shared_ptr<DrawAccount> account_;
    std::int64_t behind_; // what the clock is ahead of the beginning of the step
};

} // namespace

parts::ShadowHeatParts shadow_heat_of_draws(const SchemeInput& input, std::unique_ptr<Draws> draws)
{
    const auto account = std::make_shared<DrawAccount>(input, std::move(draws));
    return {std::make_unique<Enter<&DrawAccount::before_first_kick>>(account, 0),
            std::make_unique<Enter<&DrawAccount::after_first_kick>>(account, 0),
            std::make_unique<Enter<&DrawAccount::before_last_kick>>(account, 1),
            std::make_unique<Enter<&DrawAccount::after_last_kick>>(account, 1),
            std::make_unique<Enter<&DrawAccount::after_change>>(account, 1)};
}

std::int64_t parts::numbers_for_shadow_heat(const Parameters& parameters)
{
    const auto* thermostat = thermostat_entry(parameters.tcoupl);
    return thermostat != nullptr && thermostat->draws != nullptr ? DrawAccount::numbers : 0;
}

} // namespace holon
