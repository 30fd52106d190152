#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/vec3.hpp>
#include <holon/dynamics/clock.hpp>
#include <holon/dynamics/measurement.hpp>
#include <holon/dynamics/votes.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace holon {

class System;

/// Whoever wants to know what happens in a run: files, for one. This one wants nothing.
class Recorder {
public:
    virtual ~Recorder() = default;

    /// The state at a step, with the forces on it. Collective.
    virtual void frame(System&, const Clock&) {}

    /// Whether forces of constraints [kJ/mol/nm] are wanted at this step, after frame(); and these, of the owned atoms.
    /// Collective.
    virtual bool wants_constraint_forces() const { return false; }
    virtual void constraint_forces(System&, std::span<const Vec3>) {}

    /// Whether energies of a step are wanted; and these. Those of the first and the last step always come.
    virtual bool wants_energies(std::int64_t) const { return false; }
    virtual void measured(const Measurement&) {}

    /// The state from which a run can go on; `lent`: positions and velocities stay as they are until release().
    /// Collective.
    virtual void checkpoint(System&, const Clock&, bool /*lent*/) {}
    virtual void release() {}

    /// Atoms have changed owners. Collective.
    virtual void repartitioned(System&) {}

    /// Something happened so many times, first like this; on any rank.
    virtual void warn(std::int64_t, const std::string&) {}

    /// What this rank wants everybody to know; what all know then. Collective.
    virtual Votes votes() const { return {}; }
    virtual void agreed(const Communicator&, const Votes&) {}
};

} // namespace holon
