#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/lattice.hpp>
#include <holon/io/checkpoint.hpp>
#include <holon/system/atoms.hpp>

#include <cstdint>
#include <filesystem>
#include <string>

/// A made-up system whose atoms are a function of id and step, so that a state can be recognised, and a folder for
/// files.
namespace holon::test {

Box sample_box();

/// The atoms of n that `rank` of `ranks` owns, not in order of their ids. Some lie outside the box. Methods keep
/// numbers with every other one. Image counts, and what order the atoms are in, change every five steps.
Atoms sample_atoms(std::int64_t n, std::int64_t step, int rank = 0, int ranks = 1);

RunState sample_state(std::int64_t step);

std::uint64_t sample_hash(std::int64_t n, std::int64_t step);

/// A folder that goes away with its owner, and the same one on all ranks of `comm`, which make and leave it together.
class TemporaryFolder {
public:
    explicit TemporaryFolder(Communicator comm = {});
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    std::string file(const std::string& name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

private:
    Communicator comm_;
    std::filesystem::path path_;
};

} // namespace holon::test
