#pragma once

#include <holon/comm/communicator.hpp>

#include <memory>

namespace holon {

/// A mutex that the ranks of a node, or of each of some groups of them, share. Those that wait are asleep, where the
/// kernel's own locks would let them spin on a core that another thread of the run could use, and look again after 200
/// us and more: to be woken costs more, above all the one who wakes. For speed alone: where ranks have no memory in
/// common, each has a mutex of its own.
class NodeMutex {
public:
    explicit NodeMutex(const Communicator& comm, int groups = 1); // collective; as many hold it at once
    void lock();
    void unlock();
    bool first() const; // of the ranks of its node

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

} // namespace holon
