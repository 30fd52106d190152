#include <holon/app/run_state.hpp>

namespace holon {

RunState run_state(const System& system, const Clock& clock, const OutputMarks& outputs)
{
    RunState state;
    state.step = clock.step;
    state.time = clock.time();
    state.box = system.box().master();
    for (const auto& global : system.state.globals()) state.set(global.name, global.values.front());
    state.outputs = outputs;
    return state;
}

std::vector<Global> globals_of(const RunState& state)
{
    std::vector<Global> globals;
    for (const auto& [name, value] : state.values) globals.push_back({.name = name, .values = {state.real(name)}});
    return globals;
}

} // namespace holon
