#pragma once

#include <holon/dynamics/dynamics.hpp>
#include <holon/io/options.hpp>

#include <app/outputs/outputs.hpp>
#include <app/outputs/run_state.hpp>
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

/// A run of the program without its command line: input, system and outputs in a folder of its own.
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
        system_.emplace(comm, input_.topology, parameters(), input_.box);
        system_->distribute(system.share(comm));
        prepare_start(*system_, parameters(), 0);
        dynamics_.emplace(*system_, parameters(), 0);
        folder_.emplace(comm, scratch_.file("run"), OutputFolder::Start::fresh);
        outputs_.emplace(input_, *folder_, *system_, state());
    }
    ~ProgramRun() { comm_.barrier(); }

    /// Of a minimisation: at most so many. Returns why it ended.
    std::string advance(std::int64_t steps)
    {
        dynamics_->run(dynamics_->clock().step + steps, *outputs_);
        return dynamics_->verdict();
    }

    void reverse() { system_->reverse(); }

    Atoms& atoms() { return system_->atoms; }
    System& system() { return *system_; }
    RunState state() const { return run_state(*system_, dynamics_->clock(), {}); }
    const Parameters& parameters() const { return input_.settings.parameters; }

    std::vector<AtomRecord> records() const
    {
        const auto n = static_cast<std::size_t>(input_.topology->n_atoms());
        return canonical_by_id(comm_, system_->atoms, system_->box(), n);
    }

    double potential() const { return system_->totals().potential; }
    double kinetic() const { return kinetic_tensor(system_->atoms, comm_).trace(); }

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
    std::optional<System> system_;
    std::optional<Dynamics> dynamics_;
    std::optional<OutputFolder> folder_;
    std::optional<Outputs> outputs_;
};

} // namespace holon::test
