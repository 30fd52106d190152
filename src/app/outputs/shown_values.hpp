#pragma once

#include "reports/box_report.hpp"

#include <holon/dynamics/measurement.hpp>
#include <holon/io/summary.hpp>
#include <holon/system/energies.hpp>

#include <string>
#include <utility>
#include <vector>

namespace holon {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// What the files of a run show of a measurement, in the order in which they show it.
class ShownValues {
public:
    /// `parameters` must outlive this object.
    ShownValues(const Topology& topology, const Parameters& parameters);

    std::vector<std::string> columns() const;            // of energy.csv, but for step and time
    std::vector<double> row(const Measurement& m) const; // their values
    NamedValues energies(const Measurement& m) const;    // [kJ/mol]
    NamedValues groups(const Measurement& m) const;      // [kJ/mol], by pairs of groups, where they are asked for
    NamedValues further(const Measurement& m) const;     // what follows temperature and pressure
    EnergyReport report(const Measurement& m) const;     // for summary.json

private:
    std::vector<EnergyTerm> terms_;       // those that the system has
    std::vector<std::string> group_keys_; // of energies by pairs of groups
    BoxReport box_report_;
};

} // namespace holon
