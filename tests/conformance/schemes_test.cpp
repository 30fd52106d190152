// RANKS 1 2 3 8
// Every scheme with every thermostat and every barostat: the same bits on any grid of domains, from a restart at any
// step, and backwards where it claims to be reversible; and a state hash that every number of its dynamics is part of.
#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/dynamics.hpp>
#include <holon/dynamics/scaling_groups.hpp>
#include <holon/dynamics/thermostat.hpp>
#include <holon/io/options.hpp>

#include <support/site_systems.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace holon::test {
namespace {

constexpr std::int64_t last_step = 20;

/// What a checkpoint keeps of a system, all of it on one rank.
struct Saved {
    std::int64_t step = 0;
    Mat3 box = Mat3::Zero();
    std::vector<Global> globals;
    std::vector<AtomRecord> records;
    std::vector<KeptNumber> kept;
};

Saved save(const System& system, std::int64_t step)
{
    Saved saved{
        .step = step, .box = system.box().master(), .globals = system.state.globals(), .records = {}, .kept = {}};
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
    std::string more;

    std::string name() const
    {
        return scheme + ", " + thermostat + ", " + system.topology->molecule_types[0].name + "\n" + more;
    }
    Parameters parameters() const
    {
        const auto& traits = scheme_entry(scheme).traits;
        const auto* bath = thermostat_entry(thermostat);
        // The box of some shrinks.
        std::string text = std::string(more.find("ref-p") == more.npos && more.find("deform") == more.npos
                                           ? "rcoulomb = 0.85\nrvdw = 0.85\n"
                                           : "rcoulomb = 0.7\nrvdw = 0.7\n") +
                           "dt = 0.002\nld-seed = 3\ngen-seed = 4\ngen-temp = 200\n"
                           "nsttcouple = 2\nemtol = 0.001\nintegrator = " +
                           scheme + "\ntcoupl = " + thermostat + "\n" + more;
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

/// Settings of barostats, of a box that is deformed until it has to be flipped, and of forces that act seldom.
std::vector<std::string> more_settings()
{
    const std::string isotropic = "compressibility = 5e-5\nref-p = 500\n", ends = "tau-p = 0.2\nnstpcouple = 3\n"
                                                                                  "ensemble-temperature = 300\n";
    std::vector<std::string> all;
    for (const auto& entry : barostats()) {
        const auto pcoupl = "pcoupl = " + entry.name + "\n" + ends;
        all.push_back(pcoupl + isotropic);
        if (entry.traits.isotropic_only) continue;
        all.push_back(pcoupl + "pcoupltype = semiisotropic\ncompressibility = 5e-5 3e-5\nref-p = 500 300\n");
        all.push_back(pcoupl + "pcoupltype = surface-tension\ncompressibility = 5e-5 3e-5\nref-p = 90 300\n");
        all.push_back(pcoupl + "pcoupltype = anisotropic\ncompressibility = 5e-5 4e-5 0 1e-5 2e-5 3e-5\n"
                               "ref-p = 500 400 300 20 10 -10\n");
    }
    all.emplace_back("mts = yes\nmts-level2-forces = longrange-nonbonded nonbonded\nmts-level2-factor = 2\n");
    all.emplace_back("mts = yes\nmts-level2-forces = longrange-nonbonded pair dihedral angle\nmts-level2-factor = 2\n");
    all.emplace_back("deform = 0.1 -0.2 0.1 -6 0.5 8\n");
    return all;
}

std::vector<Case> cases_without_barostat()
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
            all.push_back({scheme.name, bath, SitesOnAChain(dodecahedron(2.2), 5).take(), ""});
            all.push_back({scheme.name, bath, rigid_chain(dodecahedron(2.2), 5),
                           "constraint-algorithm = shake\nshake-tol = 1e-8\nshake-warm-start = yes\n"});
        }
    }
    return all;
}

std::vector<Case> cases()
{
    auto all = cases_without_barostat();
    const auto n = all.size();
    for (std::size_t k = 0; k < n; ++k) {
        const auto& traits = scheme_entry(all[k].scheme).traits;
        if (traits.minimises) continue;
        const auto changes = more_settings();
        // Each with some of the systems and some of the baths.
        constexpr std::size_t stride = 5;
        for (std::size_t c = (k + k / 4) % stride; c < changes.size(); c += stride) {
            if (changes[c].starts_with("mts") ? !traits.splits_forces : !traits.couples_pressure) continue;
            all.push_back(all[k]);
            all.back().more += changes[c];
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
        const auto& start = one.system.box;
        system_.emplace(comm, one.system.topology, parameters_,
                        saved != nullptr ? Box(saved->box, start.lattice_bits()) : start, start);
        if (saved != nullptr) {
            const auto mine = [&comm](const auto& item) { return item.id % comm.size() == comm.rank(); };
            std::vector<AtomRecord> records;
            std::vector<KeptNumber> kept;
            std::ranges::copy_if(saved->records, std::back_inserter(records), mine);
            std::ranges::copy_if(saved->kept, std::back_inserter(kept), mine);
            system_->state.restore_from(saved->globals);
            system_->distribute(std::move(records), std::move(kept));
        } else {
            auto records = one.system.share(comm);
            make_clusters_whole(comm, *one.system.topology, one.system.box, {}, records);
            system_->distribute(std::move(records));
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
    const auto grids = grids_of(world.size());
    std::size_t next = 0; // all grids, in turns
    for (const auto& one : cases()) {
        SCOPED_TRACE(one.name());
        const auto expected = Motion(one, Communicator()).hash_at(last_step);
        const auto& grid = grids[next++ % grids.size()];
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
        // A minimisation may be at its end before.
        const bool minimises = scheme_entry(one.scheme).traits.minimises;
        ASSERT_GE(keeper.states.size(), static_cast<std::size_t>(minimises ? 5 : last_step));
        for (const auto& saved : keeper.states) {
            if (world.size() > 2 && saved.step % 4 != 1) continue; // the others on fewer ranks
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
        if (one.parameters().changes_box()) continue; // which rounds what contracts
        SCOPED_TRACE(one.name());
        auto free = one;
        free.more += "comm-mode = none\n"; // which rounds
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
