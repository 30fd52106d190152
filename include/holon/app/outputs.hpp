#pragma once

#include <holon/app/engine.hpp>
#include <holon/app/measurement.hpp>
#include <holon/io/checkpoint.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace holon {

/// placeholder while io grows
class Outputs {
public:
    bool wants_energies(std::int64_t) const { return false; }
    void frame(Engine&, std::int64_t, double) {}
    void measured(const Measurement& m) { last = m; }
    void checkpoint(Engine&, const RunState&) {}
    Votes votes() const { return {}; }
    void agreed(const Communicator&, const Votes&) {}
    void repartitioned(Engine&) {}
    Measurement last;
};

} // namespace holon
