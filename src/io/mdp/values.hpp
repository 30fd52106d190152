#pragma once

#include <holon/system/parameters.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace holon {

enum class CoulombType { cutoff, reaction_field, reaction_field_zero, pme, ewald };
enum class VdwType { cutoff, shift, switched };

/// What the keys say, one by one, with GROMACS' defaults: Parameters, and the keys that become Parameters only
/// together.
struct MdpValues : Parameters {
    MdpValues() { nsttcouple = nstpcouple = -1; } // to be chosen
    std::vector<std::string> include, define;     // as written: -Ipath, -DNAME=value
    CoulombType coulombtype = CoulombType::cutoff;
    VdwType vdwtype = VdwType::cutoff;
    std::vector<std::string> tc_grps, comm_grps;
    bool mts_wanted = false;
    std::int64_t mts_levels = 2, mts_level2_factor = 2;
    std::vector<std::string> mts_level2_forces = {"longrange-nonbonded"};
    std::vector<double> tau_t, ref_t;
    std::vector<std::string> annealing; // of each group: no, single or periodic
    std::vector<std::int64_t> annealing_npoints;
    std::vector<double> annealing_time, annealing_temp; // of all groups, one after the other
    std::vector<std::string> freezegrps, acc_grps, energygrps, rigid_names;
    std::vector<bool> freezedim;    // of each group along x, y, z
    std::vector<double> accelerate; // likewise [nm/ps^2]
    bool derive_ld_seed = true, derive_gen_seed = true;
};

/// Why a value cannot be taken; whoever knows the key and the line makes an InputError of it.
struct BadValue : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Numbers that a key takes.
struct Bounds {
    double least = -std::numeric_limits<double>::infinity();
    bool least_excluded = false;
    double most = std::numeric_limits<double>::infinity();
};
inline constexpr Bounds any_number{};
inline constexpr Bounds positive{0.0, true};
constexpr Bounds at_least(double least)
{
    return {least, false};
}
constexpr Bounds between(double least, double most)
{
    return {least, false, most};
}

/// The number that the whole text spells. Throws BadValue for anything else, for nan, inf, overflow and out of bounds.
double parse_real(std::string_view text, Bounds bounds = any_number);
std::int64_t parse_integer(std::string_view text, Bounds bounds = any_number);
std::uint64_t parse_unsigned(std::string_view text);

/// The shortest decimal that reads back as the same number.
std::string print_real(double value);

} // namespace holon
