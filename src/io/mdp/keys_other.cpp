#include "keys.hpp"

#include "text.hpp"

#include <initializer_list>

namespace holon {

namespace {

using Check = void (*)(const std::string&);

void integer(const std::string& text)
{
    parse_integer(text);
}
void real(const std::string& text)
{
    parse_real(text);
}
void anything(const std::string&) {}
void yes_or_no(const std::string& text)
{
    if (plain(text) != "yes" && plain(text) != "no") throw BadValue("expected yes or no");
}

MdpKey noted(std::string name, Check check, std::string standard, std::string text)
{
    MdpKey key{std::move(name), KeyRule::noted, std::move(text), std::move(standard), {}, false, {}, {}};
    key.read = [check](MdpValues&, const std::string& value) { check(value); };
    return key;
}

MdpKey off(std::string name, std::string neutral, std::string text)
{
    return {std::move(name), KeyRule::off, std::move(text), std::move(neutral), {}, false, {}, {}};
}

MdpKey renamed(std::string name, std::string new_name)
{
    return {std::move(name), KeyRule::renamed, std::move(new_name), {}, {}, false, {}, {}};
}

const std::string unavailable = "not available in this version; take the line out";

std::vector<MdpKey> noted_keys()
{
    const std::string lists = "pair lists are renewed when atoms have moved, early enough that no pair is ever missed";
    const std::string frames = "all atoms are written, without lossy compression";
    return {
        noted("nstlist", integer, "10", lists),
        noted("ns-type", anything, "grid", lists),
        noted("verlet-buffer-tolerance", real, "0.005", lists),
        noted("verlet-buffer-pressure-tolerance", real, "0.5", lists),
        noted("rlist", real, "1", lists),
        noted("nstcalcenergy", integer, "100", "energies are computed at every step that needs them"),
        noted("compressed-x-precision", real, "1000", frames),
        noted("compressed-x-grps", anything, "", frames),
        noted("deform-init-flow", anything, "yes",
              "velocities are those relative to the flow of deform, which is there from the start"),
        noted("periodic-molecules", yes_or_no, "no", "bonds hold nearest images together in any case"),
    };
}

std::vector<MdpKey> off_keys()
{
    return {
        off("cutoff-scheme", "Verlet", "only Verlet is available"),
        off("pbc", "xyz",
            "only pbc = xyz is available. In place of pbc = no take a box that is wider than the molecule by more than "
            "the cutoff (gmx editconf -c -d 1) and coulombtype = cut-off: no image is felt then. In place of the walls "
            "of pbc = xy take layers of atoms that are frozen (freezegrps) or held by position restraints"),
        off("ewald-geometry", "3d",
            "only ewald-geometry = 3d is available; a slab with a dipole across it needs empty space on both sides, or "
            "its mirror image in the same box"),
        off("epsilon-surface", "0", "only conducting boundaries are available; use epsilon-surface = 0"),
        off("free-energy", "no", "free-energy perturbation is not available in this version; use free-energy = no"),
        off("simulated-tempering", "no", "not available in this version; use simulated-tempering = no"),
        off("implicit-solvent", "no", "only explicit solvent is available; use implicit-solvent = no"),
        off("pull", "no", "pulling is not available in this version; use pull = no"),
        off("awh", "no", "biasing is not available in this version; use awh = no"),
        off("rotation", "no", "enforced rotation is not available in this version; use rotation = no"),
        off("orire", "no", "orientation restraints are not available in this version; use orire = no"),
        off("swapcoords", "no", "not available in this version; use swapcoords = no"),
        off("adress", "no", "not available; use adress = no"),
        off("QMMM", "no", "not available; use QMMM = no"),
        off("density-guided-simulation-active", "false no", "not available in this version; use false"),
        off("qmmm-cp2k-active", "false no", "not available; use false"),
        off("nwall", "0", "walls are not available in this version; use nwall = 0"),
        off("cos-acceleration", "0", unavailable),
        off("colvars-active", "false no", "not available in this version; use false"),
        off("nnpot-active", "false no", "not available in this version; use false"),
        off("energygrp-excl", "", unavailable),
        off("energygrp-table", "", unavailable),
        off("IMD-group", "", unavailable),
        off("E-x", "0", unavailable),
        off("E-y", "0", unavailable),
        off("E-z", "0", unavailable),
        off("E-xt", "0", unavailable),
        off("E-yt", "0", unavailable),
        off("E-zt", "0", unavailable),
    };
}

// Old names that GROMACS 2022 translates.
std::vector<MdpKey> renamed_keys()
{
    return {
        renamed("unconstrained-start", "continuation"),
        renamed("nstxtcout", "nstxout-compressed"),
        renamed("xtc-grps", "compressed-x-grps"),
        renamed("xtc-precision", "compressed-x-precision"),
        renamed("verlet-buffer-drift", "verlet-buffer-tolerance"),
        renamed("foreign-lambda", "fep-lambdas"),
        renamed("acceleration-grps", "acc-grps"), // the documentation's name
    };
}

// Details of methods that are off or that this version does not have.
constexpr std::string_view inert_names[] = {
    // other integrators
    "niter", "fcstep", "rtpi", "simulation-part",
    // long-range electrostatics, tables
    "ewald-rtol-lj", "lj-pme-comb-rule", "table-extension",
    // coupling
    "ensemble-temperature-setting", "print-nose-hoover-chain-variables", "sim-temp-low", "sim-temp-high",
    "simulated-tempering-scaling",
    // restraints, walls, freezing
    "nstdisreout", "orire-fc", "orire-tau", "orire-fitgrp", "nstorireout", "wall-type", "wall-r-linpot",
    "wall-atomtype", "wall-density", "wall-ewald-zfac",
    // free energy
    "couple-moltype", "couple-lambda0", "couple-lambda1", "couple-intramol", "init-lambda", "init-lambda-state",
    "delta-lambda", "nstdhdl", "fep-lambdas", "mass-lambdas", "coul-lambdas", "vdw-lambdas", "bonded-lambdas",
    "restraint-lambdas", "temperature-lambdas", "calc-lambda-neighbors", "init-lambda-weights", "init-lambda-counts",
    "init-wl-histogram-counts", "dhdl-print-energy", "sc-function", "sc-alpha", "sc-power", "sc-r-power", "sc-sigma",
    "sc-coul", "sc-gapsys-scale-linpoint-lj", "sc-gapsys-scale-linpoint-q", "sc-gapsys-sigma-lj", "separate-dhdl-file",
    "dhdl-derivatives", "dh-hist-size", "dh-hist-spacing", "nstexpanded", "lmc-stats", "lmc-move", "lmc-mc-move",
    "lmc-seed", "mc-temperature", "wl-ratio", "wl-scale", "init-wl-delta", "wl-oneovert", "lmc-repeats",
    "lmc-gibbsdelta", "lmc-forced-nstart", "nst-transition-matrix", "symmetrized-transition-matrix", "mininum-var-min",
    "weight-c-range", "lmc-weights-equil", "weight-equil-wl-delta", "weight-equil-number-all-lambda",
    "weight-equil-number-steps", "weight-equil-number-samples", "weight-equil-count-ratio",
    // swapping, quantum mechanics
    "swap-frequency", "split-group0", "split-group1", "massw-split0", "massw-split1", "solvent-group", "coupl-steps",
    "iontypes", "bulk-offsetA", "bulk-offsetB", "threshold", "cyl0-r", "cyl0-up", "cyl0-down", "cyl1-r", "cyl1-up",
    "cyl1-down", "QMMM-grps", "QMmethod", "QMMMscheme", "QMbasis", "QMcharge", "QMmult", "SH", "CASorbitals",
    "CASelectrons", "SAon", "SAoff", "SAsteps", "MMChargeScaleFactor", "bOPT", "bTS",
    // for the user's own code
    "user1-grps", "user2-grps", "userint1", "userint2", "userint3", "userint4", "userreal1", "userreal2", "userreal3",
    "userreal4"};

// What GROMACS ignores itself, and keys that moved to the command line long ago.
constexpr std::string_view obsolete_names[] = {"title",
                                               "cpp",
                                               "warnings",
                                               "bd-temp",
                                               "zero-temp-time",
                                               "nstdgdl",
                                               "domain-decomposition",
                                               "andersen-seed",
                                               "dihre",
                                               "dihre-fc",
                                               "dihre-tau",
                                               "nstdihreout",
                                               "nstcheckpoint",
                                               "optimize-fft",
                                               "rlistlong",
                                               "nstcalclr",
                                               "gb-algorithm",
                                               "nstgbradii",
                                               "rgbradii",
                                               "gb-epsilon-solvent",
                                               "gb-saltconc",
                                               "gb-obc-alpha",
                                               "gb-obc-beta",
                                               "gb-obc-gamma",
                                               "gb-dielectric-offset",
                                               "sa-algorithm",
                                               "sa-surface-tension",
                                               "adress-type",
                                               "adress-const-wf",
                                               "adress-ex-width",
                                               "adress-hy-width",
                                               "adress-ex-forcecap",
                                               "adress-interface-correction",
                                               "adress-site",
                                               "adress-reference-coords",
                                               "adress-tf-grp-names",
                                               "adress-cg-grp-names",
                                               "adress-do-hybridpairs"};

} // namespace

std::vector<MdpKey> other_mdp_keys()
{
    std::vector<MdpKey> keys = noted_keys();
    for (auto& part : {off_keys(), renamed_keys()}) keys.insert(keys.end(), part.begin(), part.end());
    for (std::string_view name : inert_names)
        keys.push_back({std::string(name), KeyRule::inert, {}, {}, {}, false, {}, {}});
    for (std::string_view name : obsolete_names)
        keys.push_back({std::string(name), KeyRule::obsolete, {}, {}, {}, false, {}, {}});
    return keys;
}

} // namespace holon
