#include "program.hpp"

#include <holon/comm/instruction_set_choice.hpp>
#include <holon/comm/way_out.hpp>
#include <holon/core/error.hpp>
#include <holon/core/memory.hpp>

#include <cstdio>
#include <limits>
#include <string>

namespace holon {

namespace {

constexpr double patience = 10.0; // s, until others that have not failed likewise count as waiting

}

int run_on_all_ranks(int argc, char** argv, const char* program, const std::function<int(const Communicator&)>& body)
{
    return_large_arrays(std::numeric_limits<double>::infinity()); // until it is known
    Session session(argc, argv);
    const auto comm = Communicator::world();
    /// What all ranks have met is said by one. What a rank has met alone, it says itself, and ends the others: they
    /// would wait for it for ever.
    const auto end = [&](const char* kind, const std::string& text, Status status) {
        if (all_arrive(comm, patience)) {
            if (comm.root()) std::fprintf(stderr, "%s: %s: %s\n", program, kind, text.c_str());
            return static_cast<int>(status);
        }
        std::fprintf(stderr, "%s: %s: rank %d: %s\n", program, kind, comm.rank(), text.c_str());
        Session::abort(status);
    };
    try {
        agree_on_instruction_set(comm);
        return body(comm);
    } catch (const InputError& error) {
        return end("error", error.what(), bad_input);
    } catch (const Failure& failure) {
        return end("failed", failure.what(), failed);
    } catch (const std::exception& error) { // a defect or no memory: of this rank alone
        std::fprintf(stderr, "%s: rank %d: %s\n", program, comm.rank(), error.what());
        Session::abort(failed);
    }
}

} // namespace holon
