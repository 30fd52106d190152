#include <holon/system/state.hpp>

#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>

#include <algorithm>

namespace holon {

std::uint64_t global_hash(const Global& global)
{
    if (global.role == Role::ledger) return 0;
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < global.values.size(); ++k) hash += number_hash(global.name, k, global.values[k]);
    return hash;
}

void State::restore_from(std::vector<Global> stored)
{
    HOLON_ASSERT(globals_.empty(), globals_.front().name);
    stored_ = std::move(stored);
}

std::span<double> State::declare(const Global& initial)
{
    const auto named = [&initial](const Global& other) { return other.name == initial.name; };
    if (const auto shared = std::ranges::find_if(globals_, named); shared != globals_.end()) {
        HOLON_ASSERT(shared->values.size() == initial.values.size(), initial.name);
        return shared->values;
    }
    auto& global = globals_.emplace_back(initial);
    const auto found = std::ranges::find_if(stored_, named);
    if (found != stored_.end() && found->values.size() == initial.values.size()) global.values = found->values;
    return global.values;
}

void State::set(const std::vector<Global>& globals)
{
    HOLON_ASSERT(globals.size() == globals_.size(), std::to_string(globals.size()));
    for (std::size_t k = 0; k < globals.size(); ++k) // in place: declarations stay valid
        std::ranges::copy(globals[k].values, globals_[k].values.begin());
}

void State::reverse()
{
    for (auto& global : globals_)
        if (global.parity == Parity::odd)
            for (double& value : global.values) value = -value;
}

std::uint64_t State::hash() const
{
    std::uint64_t hash = 0;
    for (const auto& global : globals_) hash += global_hash(global);
    return hash;
}

} // namespace holon
