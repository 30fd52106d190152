#pragma once

#include "cut_clusters/link_table.hpp"

namespace holon {

/// A multiplier for each constraint that outlives steps, migrations and restarts: kept with the first atom of the
/// constraint, in the order of the cluster. Every rank that computes a constraint knows its multiplier.
class KeptMultipliers {
public:
    /// Makes room for them; see Solver::add_needs.
    static void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs);

    /// After table.rebuild(): gets those of all its links. Collective.
    void rebuild(const Communicator& comm, LinkTable& table, const Atoms& atoms);

    double operator[](std::size_t link) const { return values_[link]; }

    /// On all ranks that have the link.
    void set(std::size_t link, double value, const LinkTable& table, Atoms& atoms);

private:
    std::vector<double> values_; // per link
};

} // namespace holon
