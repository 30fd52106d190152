#include "combine.hpp"

#include "keys.hpp"
#include "text.hpp"

#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/scheme.hpp>

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <limits>

namespace holon {

namespace {

class Combination : CombinedSettings {
public:
    Combination(MdpValues& values, const GivenSettings& given, Notes& notes)
        : CombinedSettings(values, given, notes), scheme_(scheme_entry(values.integrator).traits)
    {
    }

    void preprocessing()
    {
        std::erase_if(v_.define, [this](const std::string& word) {
            if (!std::isalpha(static_cast<unsigned char>(word.front()))) return false;
            note("define", "'" + word + "' is no -DNAME, and is ignored, as in GROMACS"); // perhaps a remark
            return true;
        });
        for (const std::string& define : v_.define) {
            const bool named =
                define.size() > 2 && (std::isalpha(static_cast<unsigned char>(define[2])) || define[2] == '_');
            if (!define.starts_with("-D") || !named)
                fail("define", "expected -DNAME or -DNAME=value, found '" + define + "'");
        }
        for (std::string& dir : v_.include) {
            if (dir == "-I") fail("include", "expected the folder right behind -I, as in -I../toppar");
            if (!dir.starts_with("-I")) dir = "-I" + dir;
        }
    }

    void dynamics()
    {
        if (v_.gen_vel && v_.continuation)
            fail("gen-vel", "a continuation goes on with the velocities it has; use gen-vel = no or continuation = no");
        if (v_.dt <= 0.0) {
            if (v_.dt < 0.0 || !scheme_.minimises) fail("dt", "must be more than 0");
            v_.dt = Parameters{}.dt; // which a minimisation makes nothing of
        }
        if (v_.nsteps > std::numeric_limits<std::int64_t>::max() - v_.init_step)
            fail("nsteps", "the last step, init-step + nsteps, is too large; take -1 for a run without an end");
        if (v_.maxh < 0.0 && v_.maxh != -1.0) fail("maxh", "must be a number of hours, or -1 for no limit");
        if (v_.nstcomm < 0) { // of versions without comm-mode, for the rotation, too
            v_.nstcomm = -v_.nstcomm;
            note("nstcomm", "counts as " + std::to_string(v_.nstcomm) +
                                ", as in GROMACS; comm-mode = angular removes "
                                "the rotation");
        }
        if (v_.nstcomm == 0 || !scheme_.momentum) v_.comm_mode = CommMode::none;
        if (v_.comm_mode == CommMode::none) v_.comm_grps.clear();
        if (v_.comm_mode != CommMode::none && v_.comm_grps.empty()) v_.comm_grps = {"System"};
        check_group_count("comm-grps", v_.comm_grps.size());
        v_.comm_groups.clear();
        for (const std::string& name : v_.comm_grps) v_.comm_groups.push_back({name, {}});
    }

    void nonbonded()
    {
        switch (v_.coulombtype) {
        case CoulombType::cutoff:
            v_.coulomb = CoulombKind::cutoff;
            no_reaction_field();
            check_switch(v_.coulomb_modifier, "rcoulomb", v_.rcoulomb_switch, v_.rcoulomb);
            break;
        case CoulombType::reaction_field_zero:
            if (v_.epsilon_rf != 0.0) fail("epsilon-rf", "must be 0 (infinite) with coulombtype = reaction-field-zero");
            v_.coulombtype = CoulombType::reaction_field;
            [[fallthrough]];
        case CoulombType::reaction_field:
            v_.coulomb = CoulombKind::reaction_field;
            reaction_field();
            break;
        case CoulombType::pme:
            if (is_given("coulombtype") && plain(given_.find("coulombtype")->value) != "pme")
                note("coulombtype", "the same electrostatics are computed as with PME, as accurately");
            v_.coulomb = CoulombKind::mesh;
            ewald_summation();
            mesh();
            break;
        case CoulombType::ewald:
            v_.coulomb = CoulombKind::ewald;
            ewald_summation();
            break;
        }
        van_der_waals();
    }

    void energy_groups()
    {
        constexpr std::size_t most = 40; // 820 pairs of groups
        if (v_.energygrps.size() > most) fail("energygrps", "at most 40 groups are possible");
        v_.energy_groups.clear();
        for (const std::string& name : v_.energygrps) v_.energy_groups.push_back({name, {}});
    }

    void restraints()
    {
        if (v_.disre_tau < 0.0) fail("disre-tau", "must be 0, for no averages over time, or more");
        if (v_.disre == DistanceRestraints::no || scheme_.minimises) v_.disre_tau = 0.0; // as in GROMACS
        if (v_.disre_tau > 0.0 && v_.mts_wanted)
            fail("disre-tau", "averages over time take every step; use mts = no or disre-tau = 0");
    }

    /// Groups that stand still or are accelerated.
    void held_and_driven()
    {
        check_per_axis("freezegrps", v_.freezegrps.size(), "freezedim", v_.freezedim);
        check_per_axis("acc-grps", v_.acc_grps.size(), "accelerate", v_.accelerate);
        v_.frozen_groups.clear();
        for (std::size_t k = 0; k < v_.freezegrps.size(); ++k)
            v_.frozen_groups.push_back(
                {{v_.freezegrps[k], {}}, {v_.freezedim[3 * k], v_.freezedim[3 * k + 1], v_.freezedim[3 * k + 2]}});
        v_.accelerated_groups.clear();
        for (std::size_t k = 0; k < v_.acc_grps.size(); ++k)
            v_.accelerated_groups.push_back(
                {{v_.acc_grps[k], {}}, Vec3(v_.accelerate[3 * k], v_.accelerate[3 * k + 1], v_.accelerate[3 * k + 2])});
        if (scheme_.minimises && !v_.accelerated_groups.empty()) {
            note("acc-grps", "a minimisation accelerates nothing; ignored");
            v_.accelerated_groups.clear();
        }
    }

    void constraints()
    {
        for (const auto& [key, value] : {std::pair("lincs-order", v_.lincs_order), {"lincs-iter", v_.lincs_iter}})
            if (value > 100) fail(key, "must be at most 100; constraint-algorithm = newton is exact");
        if (v_.shake_omega != 0.0 && !(v_.shake_omega >= 1.0 && v_.shake_omega < 2.0))
            fail("shake-omega", "must be 0 (found out in every solution), or at least 1 and less than 2");
        if (v_.lincs_warnangle > 90.0) fail("lincs-warnangle", "must be at most 90 degrees");
        if (v_.feedback_steps != 0.0 && v_.feedback_steps < 1.0)
            fail("feedback-steps", "must be 0 (no feedback) or at least 1: errors can not die away faster than steps");
        if (!v_.rigid_names.empty() && !v_.keeps_bodies())
            fail(
                "rigid-groups",
                "must be empty unless constraint-algorithm = rigid, dlm, no-squish, qshake or unit-newton, which alone "
                "keep shapes");
        if (v_.spring_tolerance > 0.1) fail("spring-tolerance", "must be at most 0.1: a spring is to keep its length");
        if (v_.links_bodies() && v_.constraints == ConstraintKind::torsion_only)
            fail("constraints", "must not be torsion-only with constraint-algorithm = qshake or unit-newton, whose "
                                "units share no atoms; take newton");
        v_.spring_temperature = temperature_of_springs();
        if (v_.fixman) fixman_potential();
        v_.rigid_groups.clear();
        for (const auto& name : v_.rigid_names) v_.rigid_groups.push_back({name, {}});
    }

private:
    /// That of the bath, which has to be one for all.
    void fixman_potential()
    {
        if (scheme_.minimises) {
            note("fixman", "a minimisation has no temperature; ignored");
            v_.fixman = false;
            return;
        }
        if (v_.constraint_algorithm == "springs")
            fail("fixman", "must be no with constraint-algorithm = springs, which need no such potential");
        if (v_.links_bodies())
            fail("fixman",
                 "must be no with constraint-algorithm = qshake or unit-newton: it is known for distances only");
        v_.fixman_temperature = v_.ensemble_temperature;
        if (v_.ensemble_temperature > 0.0) return;
        for (const auto& group : v_.tc_groups)
            if (!group.annealing.times.empty() || group.temperature != v_.tc_groups.front().temperature)
                fail("ensemble-temperature",
                     "the potential of fixman = yes needs one temperature, and tc-grps have several; give it here");
        if (v_.tc_groups.empty() || !(v_.tc_groups.front().temperature > 0.0))
            fail("ensemble-temperature",
                 "the potential of fixman = yes needs a temperature, and there is no thermostat; give it here");
        v_.fixman_temperature = v_.tc_groups.front().temperature;
    }

    /// The highest that there is; lengths are off by less where it is colder.
    double temperature_of_springs() const
    {
        if (v_.ensemble_temperature > 0.0) return v_.ensemble_temperature;
        double highest = v_.gen_vel ? v_.gen_temp : 0.0;
        for (const auto& group : v_.tc_groups) {
            highest = std::max(highest, group.temperature);
            for (const double t : group.annealing.temperatures) highest = std::max(highest, t);
        }
        return highest > 0.0 ? highest : Parameters{}.spring_temperature;
    }

    void reaction_field()
    {
        if (is_switched(v_.coulomb_modifier))
            fail("coulomb-modifier", "the reaction field has its own form at the cutoff; take potential-shift");
        v_.coulomb_modifier = Modifier::potential_shift;
        if (v_.epsilon_rf != 0.0 && v_.epsilon_rf < v_.epsilon_r)
            fail("epsilon-rf", "must be 0 (infinite) or at least epsilon-r");
    }

    void no_reaction_field()
    {
        if (v_.epsilon_rf != 0.0 && v_.epsilon_rf != v_.epsilon_r)
            note("epsilon-rf", "has no effect without a reaction field");
        v_.epsilon_rf = v_.epsilon_r;
    }

    void ewald_summation()
    {
        no_reaction_field();
        if (is_switched(v_.coulomb_modifier))
            fail("coulomb-modifier", "the pair part of an Ewald sum has its own form; take potential-shift or none");
        if (v_.rvdw > v_.rcoulomb)
            fail("rvdw", "must not be more than rcoulomb, " + print_real(v_.rcoulomb) + ", with an Ewald sum");
    }

    void mesh()
    {
        const bool accuracy_given = v_.mesh_accuracy > 0.0, spme = v_.mesh == MeshKind::spme;
        for (const char* key : {"ewald-beta", "ewald-k-cutoff"})
            if (given_.find(key) != nullptr) note(key, "takes effect with coulombtype = Ewald only");
        if (accuracy_given && v_.mesh_accuracy < 3e-7)
            fail("mesh-accuracy", "must be at least 3e-7, or 0 for the accuracy that PME has with these settings");
        if (accuracy_given && spme) note("mesh-accuracy", "has no effect with mesh = spme, which goes by pme-order");
        if (accuracy_given && !spme && v_.mesh_accuracy < 2e-5 && v_.precision == Precision::mixed)
            note("mesh-accuracy", "in mixed precision rounding alone makes errors up to 2e-5; use precision = double");
        if (v_.coulomb_split_radius > v_.rcoulomb)
            fail("coulomb-split-radius", "must not be more than rcoulomb, " + print_real(v_.rcoulomb));
        if (v_.coulomb_split_radius != 0.0 && spme)
            note("coulomb-split-radius", "has no effect with mesh = spme, which goes by rcoulomb");
        if (!spme && v_.fourier_n != std::array<int, 3>{})
            note("fourier-nx", "with mesh = esp the grid follows from the accuracy; mesh = spme takes this one");
        grid();
    }

    /// grompp's rules: enough points for the spline, and a spacing where a number of points is not given.
    void grid()
    {
        const std::string keys[] = {"fourier-nx", "fourier-ny", "fourier-nz"};
        const int least = 2 * (v_.pme_order - 1);
        for (std::size_t k = 0; k < 3; ++k) {
            if (v_.fourier_n[k] == 0) {
                if (v_.fourier_spacing == 0.0) fail("fourierspacing", "must be more than 0 as " + keys[k] + " is 0");
            } else if (v_.fourier_n[k] < least) {
                fail(keys[k], "must be at least 2 (pme-order - 1) = " + std::to_string(least) +
                                  ", or 0 for as many as fourierspacing asks for");
            }
        }
    }

    void van_der_waals()
    {
        // As GROMACS: the old forms of switching are modifiers of the plain cut-off.
        if (v_.vdwtype == VdwType::shift) v_.vdw_modifier = Modifier::force_switch;
        if (v_.vdwtype == VdwType::switched) v_.vdw_modifier = Modifier::potential_switch;
        v_.vdwtype = VdwType::cutoff;
        check_switch(v_.vdw_modifier, "rvdw", v_.rvdw_switch, v_.rvdw);
    }

    static bool is_switched(Modifier modifier)
    {
        return modifier == Modifier::force_switch || modifier == Modifier::potential_switch;
    }

    void check_switch(Modifier modifier, const std::string& cutoff_key, double from, double cutoff)
    {
        if (is_switched(modifier) && from >= cutoff)
            fail(cutoff_key + "-switch", "must be less than " + cutoff_key + " when the potential is switched");
        if (modifier == Modifier::potential_switch && from == 0.0)
            fail(cutoff_key + "-switch",
                 "the potential must not be switched all the way from 0; 0.05 to 0.1 nm less than " + cutoff_key +
                     " is usual");
    }

    /// Without groups, GROMACS' files still carry a value for an axis or three, which then has to say nothing.
    template <class T>
    void check_per_axis(const std::string& groups_key, std::size_t groups, const std::string& key,
                        const std::vector<T>& values) const
    {
        check_group_count(groups_key, groups);
        if (groups == 0 && std::ranges::any_of(values, [](const T& value) { return value != T{}; }))
            fail(key, fmt::format("{} names no groups, to which it would apply", groups_key));
        if (groups > 0 && values.size() != 3 * groups)
            fail(key, fmt::format("there are {} {}, which take {} values, for x, y and z of each; found {}", groups,
                                  groups_key, 3 * groups, values.size()));
    }

    SchemeTraits scheme_;
};

} // namespace

Setting CombinedSettings::setting(const std::string& key) const
{
    const Setting* found = given_.find(key);
    if (found != nullptr && !found->value.empty()) return *found;
    return {key, find_mdp_key(key)->write(v_), found != nullptr ? found->where : given_.file(), false};
}

void CombinedSettings::fail(const std::string& key, const std::string& why) const
{
    reject(setting(key), why);
}

void CombinedSettings::note(const std::string& key, const std::string& text) const
{
    notes_.add(described(setting(key)) + ": " + text);
}

void CombinedSettings::check_group_count(const std::string& key, std::size_t count) const
{
    if (count > 255) fail(key, "at most 255 groups are possible");
}

void combine(MdpValues& values, const GivenSettings& given, Notes& notes)
{
    Combination combination(values, given, notes);
    combination.preprocessing();
    combination.dynamics();
    combination.nonbonded();
    combine_temperature(values, given, notes);
    combine_pressure(values, given, notes);
    combine_time_steps(values, given, notes);
    combination.energy_groups();
    combination.restraints();
    combination.held_and_driven();
    combination.constraints();
}

} // namespace holon
