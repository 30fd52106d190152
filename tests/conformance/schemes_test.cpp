// RANKS 1 2 3 8
// Every scheme with every thermostat: the same bits on any grid of domains, from a restart at any step, and backwards
// where it claims to be reversible; and a state hash that every number of its dynamics is part of.
#include <holon/dynamics/dynamics.hpp>
#include <holon/dynamics/thermostat.hpp>
#include <holon/io/options.hpp>

#include <support/systems.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace holon::test {
namespace {

constexpr std::int64_t last_step = 20;

/// What a checkpoint keeps of a system, all of it on one rank.
struct Saved {
    std::int64_t step = 0;
    std::vector<Global> globals;
    std::vector<AtomRecord> records;
    std::vector<KeptNumber> kept;
};

Saved save(const System& system, std::int64_t step)
{
    Saved saved{.step = step, .globals = system.state.globals(), .records = {}, .kept = {}};
    for (std::int32_t i = 0; i < system.atoms.n_owned; ++i) {
        saved.records.push_back(canonical(system.atoms, system.box(), i));
        for_each_kept(system.atoms, static_cast<std::size_t>(i),
                      [&saved](const KeptNumber& number) { saved.kept.push_back(number); });
    }
    return saved;
}

/// Takes every state that a run could go on from.
class Keeper : public Recorder {
public:
    void checkpoint(System& system, const Clock& clock, bool) override { states.push_back(save(system, clock.step)); }
    std::vector<Saved> states;
};

struct Case {
    std::string scheme, thermostat;
    TestSystem system;
    std::string constraints;

    std::string name() const { return scheme + ", " + thermostat + ", " + system.topology->molecule_types[0].name; }
    Parameters parameters() const
    {
        const auto& traits = scheme_entry(scheme).traits;
        const auto* bath = thermostat_entry(thermostat);
        std::string text = "rcoulomb = 0.85\nrvdw = 0.85\ndt = 0.002\nld-seed = 3\ngen-seed = 4\ngen-temp = 200\n"
                           "nsttcouple = 2\nemtol = 0.001\nintegrator = " +
                           scheme + "\ntcoupl = " + thermostat + "\n" + constraints;
        text += bath != nullptr && bath->traits.redraw == Redraw::some ? "nstcomm = 1\n" : "nstcomm = 5\n";
        if (!traits.minimises) text += "gen-vel = yes\n";
        if (traits.own_bath || thermostat != "no")
            text += "tc-grps = System\ntau-t = 0.02\nref-t = 300\nannealing = single\nannealing-npoints = 2\n"
                    "annealing-time = 0 0.03\nannealing-temp = 250 320\n";
        Notes notes;
        auto settings = read_settings(text, "test.mdp", {}, notes);
        resolve_groups(settings, *system.topology, {});
        return settings.parameters;
    }
};

std::vector<Case> cases()
{
    std::vector<Case> all;
    for (const auto& scheme : schemes()) {
        std::vector<std::string> baths = {"no"};
        if (!scheme.traits.minimises && !scheme.traits.own_bath)
            for (const auto& entry : thermostats())
                if (entry.traits.redraw == Redraw::none || !scheme.traits.half_step) baths.push_back(entry.name);
        for (const auto& bath : baths) {
            all.push_back({scheme.name, bath, argon(octahedron(2.1), 5, 0.02), ""});
            if (!scheme.traits.takes_constraints) continue;
            all.push_back({scheme.name, bath, water(octahedron(1.9), 4, 3), ""});
            all.push_back({scheme.name, bath, rigid_chain(dodecahedron(2.2), 5),
                           "constraint-algorithm = shake\nshake-tol = 1e-8\nshake-warm-start = yes\n"});
        }
    }
    return all;
}

/// A system with its scheme, from the start or from a saved state.
class Motion {
public:
    Motion(const Case& one, const Communicator& comm, const std::vector<int>& grid = {}, const Saved* saved = nullptr)
        : parameters_(one.parameters())
    {
        parameters_.domains = grid;
        system_.emplace(comm, one.system.topology, parameters_, one.system.box);
        if (saved != nullptr) {
            const auto mine = [&comm](const auto& item) { return item.id % comm.size() == comm.rank(); };
            std::vector<AtomRecord> records;
            std::vector<KeptNumber> kept;
            std::ranges::copy_if(saved->records, std::back_inserter(records), mine);
            std::ranges::copy_if(saved->kept, std::back_inserter(kept), mine);
            system_->state.restore_from(saved->globals);
            system_->distribute(std::move(records), std::move(kept));
        } else {
            system_->distribute(one.system.share(comm));
            prepare_start(*system_, parameters_, 0);
        }
        dynamics_.emplace(*system_, parameters_, saved != nullptr ? saved->step : 0);
    }

    std::uint64_t hash_at(std::int64_t step, Recorder& recorder)
    {
        dynamics_->run(step, recorder);
        return system_->hash();
    }
    std::uint64_t hash_at(std::int64_t step)
    {
        Recorder nobody;
        return hash_at(step, nobody);
    }
    System& system() { return *system_; }

private:
    Parameters parameters_;
    std::optional<System> system_;
    std::optional<Dynamics> dynamics_;
};

TEST(Schemes, TakeTheSameStepsOnAnyGrid)
{
    const auto world = Communicator::world();
    for (const auto& one : cases()) {
        SCOPED_TRACE(one.name());
        const auto expected = Motion(one, Communicator()).hash_at(last_step);
        for (const auto& grid : grids_of(world.size()))
            EXPECT_EQ(Motion(one, world, grid).hash_at(last_step), expected) << text(grid);
    }
}

TEST(Schemes, GoOnFromEveryStepOnOtherRanks)
{
    const auto world = Communicator::world();
    const auto grids = grids_of(world.size());
    for (const auto& one : cases()) {
        SCOPED_TRACE(one.name());
        Keeper keeper;
        const auto expected = Motion(one, Communicator()).hash_at(last_step, keeper);
        ASSERT_EQ(keeper.states.size(), static_cast<std::size_t>(last_step));
        for (const auto& saved : keeper.states) {
            const auto& grid = grids[static_cast<std::size_t>(saved.step) % grids.size()];
            EXPECT_EQ(Motion(one, world, grid, &saved).hash_at(last_step), expected) << "step " << saved.step;
        }
    }
}

TEST(Schemes, AreReversibleWhereTheyClaimIt)
{
    const auto world = Communicator::world();
    for (const auto& one : cases()) {
        const bool constrained = one.system.topology->n_constraints() > 0;
        if (!scheme_entry(one.scheme).traits.reversible || one.thermostat != "no" || constrained) continue;
        SCOPED_TRACE(one.name());
        auto free = one;
        free.constraints += "comm-mode = none\n"; // which rounds
        Motion run(free, world);
        const auto start = run.system().hash();
        EXPECT_NE(run.hash_at(last_step), start);
        run.system().reverse();
        run.hash_at(2 * last_step);
        run.system().reverse();
        EXPECT_EQ(run.system().hash(), start);
    }
}

TEST(Schemes, HaveAHashThatEveryNumberOfTheirDynamicsIsPartOf)
{
    for (const auto& one : cases()) {
        SCOPED_TRACE(one.name());
        Motion run(one, Communicator());
        const auto hash = run.hash_at(2);
        const auto globals = run.system().state.globals();
        for (std::size_t g = 0; g < globals.size(); ++g)
            for (std::size_t k = 0; k < globals[g].values.size(); ++k) {
                auto changed = globals;
                changed[g].values[k] += 0.125;
                run.system().state.set(changed);
                EXPECT_EQ(run.system().hash() != hash, globals[g].role == Role::dynamics) << globals[g].name;
            }
    }
}

} // namespace
} // namespace holon::test
