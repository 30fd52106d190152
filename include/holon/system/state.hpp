#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// What becomes of a number when time is turned round.
enum class Parity : std::uint8_t { even, odd }; // odd: it changes its sign, as velocities do

/// What a number is for.
enum class Role : std::uint8_t {
    dynamics, // it decides where the atoms go: part of the state hash
    ledger    // it only keeps account, as the work done by a thermostat
};

/// One or more numbers of the whole system beside its atoms and its box, the same on all ranks.
struct Global {
    std::string name;
    Parity parity = Parity::even;
    Role role = Role::dynamics;
    std::vector<double> values;
    bool operator==(const Global&) const = default;
};

/// Hash of a global; 0 for one that is no dynamics, and for zeros: a state without the number is the same.
std::uint64_t global_hash(const Global& global);

/// The owner of everything that a run is made of beyond its atoms and its box. Whoever needs a number that outlives the
/// step declares it here once, by name; checkpoints, restarts, branches, reversal of time and the state hash follow
/// from the declaration. (Numbers of single atoms: MoleculeNeeds::kept.)
class State {
public:
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    /// What a checkpoint has. Each declaration takes its own; before any declaration.
    void restore_from(std::vector<Global> stored);

    /// Declares numbers: those of the checkpoint, where it has so many of this name, else `initial`. The result is
    /// valid as long as this object. What has been declared already is shared.
    std::span<double> declare(const Global& initial);

    /// All declared, for checkpoints and snapshots, in the order of declaration.
    std::vector<Global> globals() const { return {globals_.begin(), globals_.end()}; }

    /// Back to an earlier result of globals().
    void set(const std::vector<Global>& globals);

    /// Changes the signs of what is odd under reversal of time.
    void reverse();

    /// Sum of global_hash() modulo 2^64.
    std::uint64_t hash() const;

private:
    std::deque<Global> globals_; // does not move its elements
    std::vector<Global> stored_; // not declared yet
};

} // namespace holon
