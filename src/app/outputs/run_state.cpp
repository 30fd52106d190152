#include "run_state.hpp"

namespace holon {

RunState run_state(const System& system, const Clock& clock, const OutputMarks& outputs)
{
    RunState state;
    state.step = clock.step;
    state.time = clock.time();
    state.box = system.box().master();
    state.globals = system.state.globals();
    state.outputs = outputs;
    return state;
}

} // namespace holon
