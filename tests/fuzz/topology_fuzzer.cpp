/// Topologies: a line `constraints = KIND`, which may be missing, then the text of topol.top; a line `=== NAME` begins
/// a file beside it, which may be included.
#include "fuzzer.hpp"

#include <holon/io/index_file.hpp>
#include <holon/io/topology_file.hpp>
#include <holon/io/trajectory.hpp>
#include <support/sample_state.hpp>

#include <array>
#include <cmath>
#include <fstream>
#include <set>

using namespace holon;

namespace {

constexpr std::array kinds = {"none", "h-bonds", "all-bonds", "h-angles", "all-angles", "torsion-only"};
constexpr std::string_view mark = "=== ", constraints = "constraints = ";
constexpr std::int64_t many_atoms = 20'000; // more are compared with the coordinates' before they are listed one by one

ConstraintKind take_constraints(std::string_view& text)
{
    if (!text.starts_with(constraints)) return ConstraintKind::none;
    const auto name = fuzz::take_line(text).substr(constraints.size());
    const auto found = std::ranges::find(kinds, name);
    return found == kinds.end() ? ConstraintKind::none : static_cast<ConstraintKind>(found - kinds.begin());
}

/// The name of a file in the folder: nothing else may be overwritten.
std::string safe(std::string_view name)
{
    std::string result(name.substr(0, 30));
    const auto harmless = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    std::ranges::replace_if(
        result, [&](char c) { return !harmless(c) && c != '.'; }, '-');
    return "f" + result;
}

void write_files(const test::TemporaryFolder& folder, std::string_view text)
{
    static std::set<std::string> written; // by the input before
    for (const auto& name : written) std::filesystem::remove(folder.file(name));
    written.clear();
    std::string name = "topol.top", content;
    const auto write = [&] {
        std::ofstream(folder.file(name), std::ios::binary) << content;
        written.insert(name);
        content.clear();
    };
    while (!text.empty()) {
        const auto line = fuzz::take_line(text);
        if (line.starts_with(mark)) {
            write();
            name = safe(line.substr(mark.size()));
        } else {
            content.append(line).append(text.empty() ? "" : "\n");
        }
    }
    write();
}

void check_parameters(const Topology& topology)
{
    const auto finite = [](double p) { return std::isfinite(p); };
    fuzz::require(std::ranges::all_of(topology.c6, finite) && std::ranges::all_of(topology.c12, finite),
                  "Lennard-Jones parameters are numbers");
    for (const auto& sets : topology.parameters)
        for (const auto& set : sets) fuzz::require(std::ranges::all_of(set, finite), "parameters are numbers");
    for (const auto kind : {Interaction::proper_dihedral, Interaction::periodic_improper})
        for (const auto& set : topology.parameters[static_cast<std::size_t>(kind)])
            fuzz::require(std::abs(set[2]) <= 100.0, "multiplicities are small");
}

void check_atoms(const Topology& topology)
{
    if (topology.n_atoms() > many_atoms) return;
    default_groups(topology);
    TrajectoryInfo info;
    describe_atoms(topology, info);
    fuzz::require(static_cast<std::int64_t>(info.species.size()) == topology.n_atoms(), "all atoms are described");
    for (const auto& bond : info.bonds)
        for (const auto i : bond) fuzz::require(i >= 0 && i < topology.n_atoms(), "bonds are between atoms");
    for (AtomId id = 0; id < topology.n_atoms(); ++id) topology.atom(id);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const test::TemporaryFolder folder;
    auto text = fuzz::text_of(data, size);
    const auto kind = take_constraints(text);
    write_files(folder, text);
    fuzz::takes([&] {
        const auto expanded = expand_topology(folder.file("topol.top"), {{}, {"POSRES", "NUMBER=7"}});
        // What a checkpoint keeps is the same topology.
        const auto stored = expanded.to_text();
        fuzz::require(ExpandedTopology::from_text(stored).to_text() == stored, "a stored topology stays as it is");
        Notes notes;
        const auto topology = read_topology(expanded, {kind}, notes);
        for (const auto& note : notes.texts()) fuzz::require_printable(note);
        check_parameters(topology);
        check_atoms(topology);
    });
    fuzz::takes([&] { ExpandedTopology::from_text(text); });
    return 0;
}
