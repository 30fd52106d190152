#include "combine.hpp"

#include "text.hpp"

#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/scheme.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace holon {

namespace {

/// grompp's rules for barostats, and Holon's own.
class Pressure : CombinedSettings {
public:
    Pressure(MdpValues& values, const GivenSettings& given, Notes& notes)
        : CombinedSettings(values, given, notes), scheme_(scheme_entry(values.integrator).traits)
    {
    }

    void combine()
    {
        if (scheme_.minimises) {
            if (v_.pcoupl != "no") note("pcoupl", "the box of a minimisation stays as it is; ignored");
            if (v_.deforms()) note("deform", "the box of a minimisation stays as it is; ignored");
            v_.pcoupl = "no";
            v_.deform = {};
        }
        if (v_.changes_box() && !scheme_.couples_pressure)
            fail(v_.deforms() ? "deform" : "pcoupl",
                 "integrator = " + v_.integrator + " keeps the box as it is; use md, md-vv or sd");
        if (v_.nstpcouple == 0) fail("nstpcouple", "must be a number of steps, or -1 for as many as tau-p allows");
        if (v_.pcoupl == "no") {
            v_.compressibility.clear();
            v_.ref_p.clear();
            v_.nstpcouple = 1;
            return;
        }
        if (v_.deforms()) fail("deform", "the box can not be deformed and follow a pressure at the same time");
        const auto& entry = *barostat_entry(v_.pcoupl);
        if (!(v_.tau_p > 0.0)) fail("tau-p", "must be more than 0");
        check_pressure_values(entry.traits);
        pressure_interval(entry.traits);
        if (entry.traits.needs_temperature) choose_ensemble_temperature();
        if (v_.pcoupl == "Berendsen")
            note("pcoupl", "Berendsen's barostat gives no ensemble: volumes fluctuate too little. C-rescale relaxes as "
                           "well, and is right");
        if (v_.pcoupl == "Parrinello-Rahman" && v_.gen_vel)
            note("pcoupl", "a box with a mass swings for long after a start with new velocities; C-rescale does not");
    }

private:
    void check_pressure_values(const BarostatTraits& traits)
    {
        if (traits.isotropic_only && v_.pcoupltype != CouplingType::isotropic)
            fail("pcoupltype", "must be isotropic with pcoupl = " + v_.pcoupl);
        const std::size_t wanted = v_.pcoupltype == CouplingType::isotropic     ? 1
                                   : v_.pcoupltype == CouplingType::anisotropic ? 6
                                                                                : 2;
        for (const auto& [key, values] : {std::pair("compressibility", &v_.compressibility), {"ref-p", &v_.ref_p}}) {
            if (values->size() > wanted) { // as in GROMACS
                note(key, fmt::format("this pcoupltype takes {}; what follows is ignored",
                                      wanted == 1 ? "one value" : fmt::format("{} values", wanted)));
                values->resize(wanted);
            }
            if (values->size() != wanted)
                fail(key, "expected " + std::to_string(wanted) + (wanted == 1 ? " value" : " values") +
                              " with this pcoupltype, found " + std::to_string(values->size()));
        }
        double largest = 0.0;
        for (const double b : v_.compressibility) largest = std::max(largest, b);
        if (largest == 0.0) fail("compressibility", "is 0 everywhere: nothing can change; use pcoupl = no");
    }

    /// Ten steps, or less where that is too much of tau-p.
    void pressure_interval(const BarostatTraits& traits)
    {
        const double most = v_.tau_p / (traits.intervals_per_tau * v_.dt) * (1.0 + 1e-9);
        if (v_.nstpcouple > 0) {
            if (static_cast<double>(v_.nstpcouple) > 20.0 * most)
                fail("nstpcouple", "is more than a fifth of tau-p for C-rescale and Berendsen, or a tenth for a box "
                                   "with a mass; give -1 for as many steps as is good");
            if (static_cast<double>(v_.nstpcouple) > 5.0 * most)
                note("nstpcouple", "so long an interval makes the volume fluctuate too much; -1 gives a good one");
            return;
        }
        v_.nstpcouple = std::clamp<std::int64_t>(static_cast<std::int64_t>(std::min(most, 10.0)), 1, 10);
    }

    /// That of the bath, if there is one.
    void choose_ensemble_temperature()
    {
        if (v_.ensemble_temperature >= 0.0) return;
        if (std::ranges::any_of(v_.annealing, [](const std::string& kind) { return plain(kind) != "no"; }))
            fail("ensemble-temperature", "the temperature of an annealing changes; give that of the barostat here");
        const bool bath = scheme_.own_bath || v_.tcoupl != "no";
        for (const double t : v_.ref_t)
            if (bath && t != v_.ref_t.front())
                fail("ensemble-temperature", "the tc-grps have several temperatures; give that of the ensemble");
        if (!bath || v_.ref_t.empty())
            fail("ensemble-temperature",
                 "pcoupl = " + v_.pcoupl + " needs a temperature, and there is no thermostat; give it here");
        v_.ensemble_temperature = v_.ref_t.front();
    }

    SchemeTraits scheme_;
};

/// What acts seldom.
class TimeSteps : CombinedSettings {
public:
    TimeSteps(MdpValues& values, const GivenSettings& given, Notes& notes)
        : CombinedSettings(values, given, notes), scheme_(scheme_entry(values.integrator).traits)
    {
    }

    /// Forces of level 2 are those of group 1.
    void combine()
    {
        v_.mts_factor = 1;
        v_.group_of_force_term = {};
        if (!v_.mts_wanted) return;
        if (!scheme_.splits_forces)
            fail("mts", "integrator = " + v_.integrator + " takes all forces at every step; use md, md-vv or mts = no");
        v_.mts_factor = v_.mts_level2_factor;
        if (v_.nstfout % v_.mts_factor != 0)
            fail("nstfout",
                 fmt::format("must be a multiple of mts-level2-factor = {}: between, not all forces are known",
                             v_.mts_factor));
        const auto put = [this](ForceTerm term) { v_.group_of_force_term[static_cast<std::size_t>(term)] = 1; };
        bool long_range = false;
        for (const std::string& name : v_.mts_level2_forces) {
            const std::pair<const char*, ForceTerm> terms[] = {{"longrange-nonbonded", ForceTerm::mesh},
                                                               {"nonbonded", ForceTerm::pair},
                                                               {"pair", ForceTerm::pair_14},
                                                               {"dihedral", ForceTerm::dihedral},
                                                               {"angle", ForceTerm::angle}};
            const auto found =
                std::ranges::find_if(terms, [&](const auto& term) { return plain(name) == plain(term.first); });
            if (plain(name) == "pull" || plain(name) == "awh")
                fail("mts-level2-forces", "'" + name + "': there are no such forces here; leave it out");
            if (found == std::end(terms))
                fail("mts-level2-forces",
                     "'" + name + "' is none of longrange-nonbonded, nonbonded, pair, dihedral and angle");
            put(found->second);
            long_range |= found->second == ForceTerm::mesh;
        }
        if (v_.coulomb == CoulombKind::mesh && !long_range)
            fail("mts-level2-forces", "with a mesh, longrange-nonbonded must be in level 2");
        if (long_range && v_.coulomb != CoulombKind::mesh && v_.coulomb != CoulombKind::ewald)
            note("mts-level2-forces", "there are no long-range forces without a mesh");
    }

private:
    SchemeTraits scheme_;
};

} // namespace

void combine_pressure(MdpValues& values, const GivenSettings& given, Notes& notes)
{
    Pressure(values, given, notes).combine();
}

void combine_time_steps(MdpValues& values, const GivenSettings& given, Notes& notes)
{
    TimeSteps(values, given, notes).combine();
}

} // namespace holon
