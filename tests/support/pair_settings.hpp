#pragma once

#include <forces/pairs/pair_functions.hpp>
#include <support/reference.hpp>

#include <vector>

namespace holon::test {

Parameters pair_parameters(Modifier vdw, double switch_at);

/// Forms of the pair interactions, all with cutoffs of 0.9 and 1 nm.
struct PairSetting {
    const char* name;
    pair::Form form; // of Lennard-Jones
    Parameters parameters;

    pair::Form coulomb() const;
    NonbondedConstants constants() const;
};

std::vector<PairSetting> pair_settings();

} // namespace holon::test
