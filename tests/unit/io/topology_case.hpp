#pragma once

#include <holon/core/error.hpp>
#include <holon/io/topology_file.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace holon::test {

/// A folder of small files that goes away with its owner.
class TopologyFolder {
public:
    /// Writes a file, its folders included, and returns its path.
    std::string write(const std::string& name, const std::string& text) const
    {
        const auto file = folder_.path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file.string();
    }
    std::string file(const std::string& name) const { return folder_.file(name); }

private:
    TemporaryFolder folder_;
};

inline ExpandedTopology expanded(const std::string& text, const TopologySearch& search = {})
{
    const TopologyFolder folder;
    return expand_topology(folder.write("topol.top", text), search);
}

inline Topology topology_of(const std::string& text, ConstraintKind constraints = ConstraintKind::none)
{
    Notes notes;
    return read_topology(expanded(text), {constraints}, notes);
}

/// The message of the InputError that `run` must throw.
template <class Run>
std::string error_of(Run run)
{
    try {
        run();
    } catch (const InputError& error) {
        return error.what();
    }
    ADD_FAILURE() << "no InputError";
    return "";
}

/// Terms of one kind in the first molecule type.
inline const InteractionList& terms(const Topology& topology, Interaction kind)
{
    return topology.molecule_types.at(0).interactions[static_cast<std::size_t>(kind)];
}

/// Parameters of term k of one kind in the first molecule type.
inline const InteractionParameters& parameters(const Topology& topology, Interaction kind, std::size_t k)
{
    const auto set = static_cast<std::size_t>(terms(topology, kind).parameters.at(k));
    return topology.parameters[static_cast<std::size_t>(kind)].at(set);
}

} // namespace holon::test
