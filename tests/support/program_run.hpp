#pragma once

#include <holon/app/minimise.hpp>
#include <holon/app/simulation.hpp>

#include <support/sample_state.hpp>
#include <support/systems.hpp>

#include <optional>

namespace holon::test {

inline constexpr const char* common_settings = R"(
rcoulomb = 0.85
rvdw = 0.85
rvdw-switch = 0.6
vdw-modifier = force-switch
gen-seed = 11
ld-seed = 12
nstenergy = 0
nstlog = 0
checkpoint-interval = 0
)";

/// A run of the program without its command line: input, engine and outputs in a folder of its own.
class ProgramRun {
public:
    ProgramRun(const TestSystem& system, const Communicator& comm, const std::string& mdp,
               const std::vector<int>& grid = {})
        : comm_(comm), scratch_(folder_name(comm))
    {
        const auto or_default = [&mdp](const std::string& key, const std::string& value) {
            return mdp.find(key) == std::string::npos ? key + " = " + value + "\n" : "";
        };
        const auto text = common_settings + or_default("comm-mode", "none") + or_default("gen-vel", "yes") + mdp;
        input_.settings = read_settings(text, "test.mdp", {}, input_.notes);
        input_.settings.parameters.domains = grid;
        resolve_groups(input_.settings, *system.topology, {});
        input_.topology = system.topology;
        input_.box = system.box;
        input_.state.box = system.box.master();
        engine_.emplace(comm, input_.topology, parameters(), input_.box);
        engine_->distribute(system.share(comm));
        Simulation::prepare_start(*engine_, parameters(), 0);
        folder_.emplace(comm, scratch_.file("run"), OutputFolder::Start::fresh);
        outputs_.emplace(input_, *folder_, *engine_, input_.state);
    }
    ~ProgramRun() { comm_.barrier(); }

    void advance(std::int64_t steps)
    {
        Simulation simulation(*engine_, parameters(), input_.state, *outputs_);
        simulation.run(input_.state.step + steps);
        input_.state = simulation.state();
    }

    std::string minimise(std::int64_t steps)
    {
        Minimiser minimiser(*engine_, parameters(), input_.state, *outputs_);
        minimiser.run(steps);
        input_.state = minimiser.state();
        return minimiser.verdict();
    }

    void reverse()
    {
        for (auto& v : atoms().v) v = -v;
    }

    Atoms& atoms() { return engine_->atoms; }
    Engine& engine() { return *engine_; }
    const RunState& state() const { return input_.state; }
    const Parameters& parameters() const { return input_.settings.parameters; }

    std::vector<AtomRecord> records() const
    {
        const auto n = static_cast<std::size_t>(input_.topology->n_atoms());
        return canonical_by_id(comm_, engine_->atoms, engine_->box(), n);
    }

    double potential() const { return engine_->totals().potential; }
    double kinetic() const { return kinetic_tensor(engine_->atoms, comm_).trace(); }

private:
    /// Several runs may be under way: one of all ranks, and one of each rank by itself.
    static std::string folder_name(const Communicator& comm)
    {
        static int number = 0;
        const auto owner = comm.size() > 1 ? std::string("all") : std::to_string(getpid());
        return "simulation-" + owner + "-" + std::to_string(++number) + "-";
    }

    Communicator comm_;
    TemporaryFolder scratch_;
    RunInput input_;
    std::optional<Engine> engine_;
    std::optional<OutputFolder> folder_;
    std::optional<Outputs> outputs_;
};

} // namespace holon::test
