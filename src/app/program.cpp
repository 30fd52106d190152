#include "program.hpp"

#include <holon/comm/instruction_set_choice.hpp>
#include <holon/core/error.hpp>
#include <holon/core/memory.hpp>

#include <cstdio>
#include <string>

namespace holon {

int run_on_all_ranks(int argc, char** argv, const char* program, const std::function<int(const Communicator&)>& body)
{
    return_large_arrays();
    Session session(argc, argv);
    const auto comm = Communicator::world();
    const auto say = [&](const char* kind, const std::string& text) {
        if (comm.root()) std::fprintf(stderr, "%s: %s: %s\n", program, kind, text.c_str());
    };
    try {
        agree_on_instruction_set(comm);
        return body(comm);
    } catch (const InputError& error) {
        say("error", error.what());
        return bad_input;
    } catch (const Failure& failure) {
        say("failed", failure.what());
        return failed;
    } catch (const std::exception& error) {
        // Known to this rank alone: the others cannot be waited for.
        std::fprintf(stderr, "%s: rank %d: %s\n", program, comm.rank(), error.what());
        Session::abort(failed);
    }
}

} // namespace holon
