#include "inspect.hpp"

#include <holon/io/trajectory.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace holon {

namespace {

/// Prints how many atoms differ in what `get` takes from them; true, if any do.
template <class Get>
bool report_difference(const WholeState& a, const WholeState& b, const char* what, double unit, const char* unit_name,
                       Get get)
{
    std::size_t count = 0, worst = 0;
    double largest = 0.0;
    for (std::size_t i = 0; i < a.atoms.size(); ++i) {
        const double difference = unit * static_cast<double>((get(a.atoms[i]) - get(b.atoms[i])).cwiseAbs().maxCoeff());
        if (difference > largest) worst = i;
        largest = std::max(largest, difference);
        count += difference > 0.0;
    }
    if (count)
        fmt::print("{} differ in {} atoms, by up to {:g}{} (atom {})\n", what, count, largest, unit_name, worst + 1);
    return count > 0;
}

} // namespace

int compare_states(const WholeState& a, const WholeState& b)
{
    fmt::print("{}\n{}\n", a.text(), b.text());
    if (a.atoms.size() != b.atoms.size()) {
        fmt::print("The numbers of atoms differ.\n");
        return inspect_different;
    }
    bool differ = false;
    const auto text = [](const WholeState& state, const char* name) {
        const auto found = state.input.texts.find(name);
        return found == state.input.texts.end() ? std::string() : found->second;
    };
    const auto note = [&](bool found, const char* what) {
        if (found) fmt::print("{}\n", what);
        differ |= found;
    };
    note(text(a, "topology") != text(b, "topology"), "The topologies differ.");
    if (text(a, "mdp") != text(b, "mdp")) fmt::print("The parameters differ.\n"); // the states may be equal still
    note(a.run.step != b.run.step || a.run.time != b.run.time, "The steps differ.");
    note(a.run.box != b.run.box, "The boxes differ.");
    note(a.run.globals != b.run.globals, "The values of thermostat and integrator differ.");
    differ |= report_difference(a, b, "Positions", position_unit, " nm", [](const AtomRecord& atom) { return atom.x; });
    differ |= report_difference(a, b, "Image counts", 1.0, "", [](const AtomRecord& atom) { return atom.image; });
    differ |=
        report_difference(a, b, "Velocities", velocity_unit, " nm/ps", [](const AtomRecord& atom) { return atom.v; });
    note(a.kept != b.kept, "The numbers that methods keep with atoms differ.");
    if (!differ) fmt::print("The states are equal.\n");
    return differ ? inspect_different : inspect_good;
}

int compare_trajectories(const std::string& path_a, const std::string& path_b)
{
    const TrajectoryFile a(path_a), b(path_b);
    const auto common = std::min(a.frames(), b.frames());
    for (std::int64_t k = 0; k < common; ++k) {
        if (a.step(k) != b.step(k) || a.contents(k) != b.contents(k)) {
            fmt::print("Frame {} differs (steps {} and {}).\n", k, a.step(k), b.step(k));
            return inspect_different;
        }
    }
    if (a.frames() != b.frames()) {
        fmt::print("The first {} frames are equal; {} and {} frames in all.\n", common, a.frames(), b.frames());
        return inspect_different;
    }
    fmt::print("All {} frames are equal.\n", common);
    return inspect_good;
}

} // namespace holon
