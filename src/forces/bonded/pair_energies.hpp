#pragma once

#include <holon/forces/bonded.hpp>

#include <functional>

namespace holon::bonded {

struct PairContext {
    const Topology& topology;
    const NonbondedConstants& constants;
    const Box& box;
    const Atoms& atoms;
};

/// See BondedForces::for_each_pair().
void pair_energies(const PairContext& context, const LocalTermLists& lists,
                   const std::function<void(const BondedForces::PairTerm&)>& use);

} // namespace holon::bonded
