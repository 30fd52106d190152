#pragma once

#include <holon/app/input.hpp>
#include <holon/dynamics/dynamics.hpp>
#include <holon/dynamics/system.hpp>
#include <holon/io/output_folder.hpp>
#include <holon/io/summary.hpp>

#include <optional>

namespace holon {

OutputFolder::Start start_kind(const RunInput& input, const RunOptions& options);

/// A run up to its first step: the system with its atoms, on its constraints, and what takes it through time.
class PreparedRun {
public:
    /// Takes the atoms out of `input`, which must outlive this object; says its notes. Collective.
    PreparedRun(RunInput& input, const RunOptions& options, const Communicator& comm);

    System& system() { return system_; }
    Dynamics& dynamics() { return *dynamics_; }
    const std::optional<MeshReport>& mesh() const { return mesh_; }

private:
    System system_;
    std::optional<Dynamics> dynamics_;
    std::optional<MeshReport> mesh_;
};

} // namespace holon
