#include <holon/comm/on_root.hpp>

#include <holon/core/error.hpp>

namespace holon {

namespace {

constexpr char input_error = 'i', failure = 'f';

/// Empty, or the kind of exception and its text.
std::string outcome_of(const std::function<void()>& work)
{
    try {
        work();
    } catch (const InputError& error) {
        return input_error + std::string(error.what());
    } catch (const std::exception& error) {
        return failure + std::string(error.what());
    }
    return {};
}

void throw_outcome(const std::string& outcome)
{
    if (outcome.empty()) return;
    if (outcome.front() == input_error) throw InputError(outcome.substr(1));
    throw Failure(outcome.substr(1));
}

} // namespace

void on_root(const Communicator& comm, const std::function<void()>& work)
{
    std::string outcome;
    if (comm.root()) outcome = outcome_of(work);
    comm.broadcast(outcome);
    throw_outcome(outcome);
}

void on_all(const Communicator& comm, const std::function<void()>& work)
{
    std::string outcome = outcome_of(work);
    const std::int64_t none = comm.size();
    const auto first = none - comm.max(outcome.empty() ? 0 : none - comm.rank());
    if (first == none) return;
    comm.broadcast(outcome, static_cast<int>(first));
    throw_outcome(outcome);
}

} // namespace holon
