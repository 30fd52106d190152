#pragma once

#include "bonded_kernel.hpp"

#include <holon/core/box.hpp>
#include <holon/forces/nonbonded.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/energies.hpp>
#include <holon/system/local_terms.hpp>
#include <holon/system/topology.hpp>

#include <span>
#include <vector>

namespace holon::bonded {

/// Terms of one kind as its kernel wants them.
struct Batches {
    Kernel kernel{};
    std::vector<EnergyTerm> energies; // that the kernel gives
    std::int64_t n_terms = 0, n_batches = 0;
    int n_parameters = 0;
    std::vector<LaneAtoms> atoms;        // n_batches x atoms per term
    std::vector<LaneNumbers> parameters; // n_batches x n_parameters
};

/// The terms of all kinds that have a kernel.
std::vector<Batches> make_batches(const LocalTermLists& terms, const Topology& topology,
                                  const NonbondedConstants& constants, const Atoms& atoms);

/// What the kernel of `batches` works on, all of them; adds to `f`, per atom. Points into all that is given. totals:
/// null, if not wanted.
KernelData kernel_data(const Batches& batches, const NonbondedConstants& constants, const Box& box, const Atoms& atoms,
                       std::span<IVec3> f, Totals* totals);

} // namespace holon::bonded
