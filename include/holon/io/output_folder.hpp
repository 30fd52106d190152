#pragma once

#include <holon/comm/communicator.hpp>

#include <memory>
#include <string>
#include <vector>

namespace holon {

/// The folder that a run writes into, and no other run at the same time. Nothing in it is touched before clear().
class OutputFolder {
public:
    enum class Start {
        fresh,     // the folder must not hold a run
        overwrite, // a run in it goes away with clear()
        resume,    // a run in it goes on
    };

    /// Creates the folder where there is none. InputError alike on all ranks if that does not work, if nothing can be
    /// written into it, if it holds a run and `start` is fresh, or if another run writes into it. Collective.
    OutputFolder(const Communicator& comm, std::string path, Start start);

    /// Throws what the constructor would throw for what can be seen without touching anything. Collective.
    static void check(const Communicator& comm, const std::string& path, Start start);

    /// Gives the folder free. One that was created here and is empty is removed again. Not collective.
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

    /// Removes the files of a former run and what it left half done; call this when all input has proved good.
    /// checkpoint.h5 should then be the first file to be made: a folder with other files of a run, but without it, is
    /// not started in. Collective.
    void clear();

    /// Empty, or why the folder is not this run's any more: another one has taken it over. Known to rank 0.
    std::string problem() const;

    const std::string& path() const { return path_; }
    std::string file(const std::string& name) const { return path_ + "/" + name; }

    /// Names of the files of a run that are in a folder.
    static std::vector<std::string> run_files(const std::string& path);

private:
    struct Root;
    Communicator comm_;
    std::string path_;
    std::unique_ptr<Root> root_; // on rank 0
};

} // namespace holon
