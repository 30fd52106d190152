#pragma once

#include <holon/app/input.hpp>
#include <holon/dynamics/dynamics.hpp>
#include <holon/io/output_folder.hpp>

#include <support/sample_state.hpp>
#include <support/systems.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holon {
class Outputs;
}

namespace holon::test {

/// A run of the program without its command line: input, system and outputs in a folder of its own.
class ProgramRun {
public:
    ProgramRun(const TestSystem& system, const Communicator& comm, const std::string& mdp,
               const std::vector<int>& grid = {});
    ~ProgramRun();

    /// Of a minimisation: at most so many. Returns why it ended.
    std::string advance(std::int64_t steps);

    void reverse() { system_->reverse(); }

    Atoms& atoms() { return system_->atoms; }
    System& system() { return *system_; }
    RunState state() const;
    const Parameters& parameters() const { return input_.settings.parameters; }

    std::vector<AtomRecord> records() const;

    double potential() const;
    double kinetic() const;

private:
    Communicator comm_;
    TemporaryFolder scratch_;
    RunInput input_;
    std::optional<System> system_;
    std::optional<Dynamics> dynamics_;
    std::optional<OutputFolder> folder_;
    std::unique_ptr<Outputs> outputs_;
};

} // namespace holon::test
