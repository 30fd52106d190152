#pragma once

#include <holon/dynamics/recorder.hpp>
#include <holon/io/checkpoint.hpp>

#include <string>

namespace holon {

/// One of the files that a run writes while it goes on: a recorder that opens it when it is made.
class RunFile : public Recorder {
public:
    /// Adds how far the file has come, as rank 0 knows it.
    virtual void mark(OutputMarks&) const {}

    /// Why this rank cannot write what it has to; empty, if it can.
    virtual std::string problem() const { return {}; }
};

} // namespace holon
