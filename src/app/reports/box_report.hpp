#pragma once

#include <holon/dynamics/measurement.hpp>
#include <holon/system/parameters.hpp>
#include <holon/system/topology.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holon {

/// The pressure tensor, and what is worth knowing of a box that changes.
class BoxReport {
public:
    /// `parameters` must outlive this object.
    BoxReport(const Topology& topology, const Parameters& parameters);

    /// Names, with units but for energies, and values.
    std::vector<std::pair<std::string, double>> values(const Measurement& m) const;

private:
    const Parameters& parameters_;
    double mass_ = 0.0; // of the system [u]
};

} // namespace holon
