#include "mdp_combine.hpp"

#include "mdp_keys.hpp"
#include "mdp_text.hpp"

#include <algorithm>
#include <cctype>

namespace holon {

namespace {

class Combination {
public:
    Combination(MdpValues& values, const GivenSettings& given, Notes& notes) : v_(values), given_(given), notes_(notes)
    {
    }

    void preprocessing()
    {
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
        if (v_.maxh < 0.0 && v_.maxh != -1.0) fail("maxh", "must be a number of hours, or -1 for no limit");
        if (v_.nstcomm == 0) v_.comm_mode = CommMode::none;
        if (v_.comm_mode == CommMode::none) v_.comm_grps.clear();
        if (v_.comm_mode != CommMode::none && v_.comm_grps.empty()) v_.comm_grps = {"System"};
        check_group_count("comm-grps", v_.comm_grps.size());
        v_.comm_groups.clear();
        for (const std::string& name : v_.comm_grps) v_.comm_groups.push_back({name, {}});
    }

    void output()
    {
        // One trajectory: positions at the interval asked for first, velocities and forces with them or never.
        v_.nstx = v_.nstxout;
        for (std::int64_t interval : {v_.nstfout, v_.nstvout, v_.nstxout_compressed})
            if (v_.nstx == 0) v_.nstx = interval;
        if (v_.nstvout != 0 && v_.nstvout != v_.nstx) fail("nstvout", not_the_interval());
        if (v_.nstfout != 0 && v_.nstfout != v_.nstx) fail("nstfout", not_the_interval());
        if (v_.nstxout_compressed != 0 && v_.nstxout_compressed != v_.nstx)
            note("nstxout-compressed", "there is one trajectory, written every " + std::to_string(v_.nstx) + " steps");
        v_.write_velocities = v_.nstvout != 0;
        v_.write_forces = v_.nstfout != 0;
    }

    void nonbonded()
    {
        if (v_.coulombtype == CoulombType::reaction_field_zero) {
            if (v_.epsilon_rf != 0.0) fail("epsilon-rf", "must be 0 (infinite) with coulombtype = reaction-field-zero");
            v_.coulombtype = CoulombType::reaction_field;
        }
        if (v_.coulombtype == CoulombType::reaction_field) {
            v_.coulomb = CoulombKind::reaction_field;
            if (is_switched(v_.coulomb_modifier))
                fail("coulomb-modifier", "the reaction field has its own form at the cutoff; take potential-shift");
            v_.coulomb_modifier = Modifier::potential_shift;
            if (v_.epsilon_rf != 0.0 && v_.epsilon_rf < v_.epsilon_r)
                fail("epsilon-rf", "must be 0 (infinite) or at least epsilon-r");
        } else if (v_.coulombtype == CoulombType::pme || v_.coulombtype == CoulombType::ewald) {
            ewald();
        } else {
            v_.coulomb = CoulombKind::cutoff;
            if (v_.epsilon_rf != 0.0 && v_.epsilon_rf != v_.epsilon_r)
                note("epsilon-rf", "has no effect with coulombtype = cut-off");
            v_.epsilon_rf = v_.epsilon_r;
            check_switch(v_.coulomb_modifier, "rcoulomb", v_.rcoulomb_switch, v_.rcoulomb);
        }
        van_der_waals();
    }

    void temperature()
    {
        if (v_.tc_grps.size() != v_.tau_t.size() || v_.tc_grps.size() != v_.ref_t.size())
            fail("tc-grps", "there are " + std::to_string(v_.tc_grps.size()) + " tc-grps, " +
                                std::to_string(v_.tau_t.size()) + " values of tau-t and " +
                                std::to_string(v_.ref_t.size()) + " of ref-t; give one of each per group");
        if (v_.integrator == IntegratorKind::steep && v_.tcoupl != Thermostat::no) {
            note("tcoupl", "a minimisation has no temperature; ignored");
            v_.tcoupl = Thermostat::no;
        }
        if (v_.tcoupl == Thermostat::no) {
            v_.tc_grps.clear();
            v_.tau_t.clear();
            v_.ref_t.clear();
        } else if (v_.tc_grps.empty()) {
            fail("tcoupl", "tc-grps names no group; use tc-grps = System, with one tau-t and one ref-t");
        }
        check_group_count("tc-grps", v_.tc_grps.size());
        v_.tc_groups.clear();
        for (std::size_t k = 0; k < v_.tc_grps.size(); ++k)
            v_.tc_groups.push_back({{v_.tc_grps[k], {}}, v_.tau_t[k], v_.ref_t[k]});
    }

    void constraints()
    {
        if (v_.constraints != ConstraintKind::none && v_.constraint_algorithm == ConstraintAlgorithm::lincs)
            note("constraint-algorithm", "solved by SHAKE in this version, to shake-tol");
    }

private:
    void ewald()
    {
        v_.coulomb = v_.coulombtype == CoulombType::pme ? CoulombKind::mesh : CoulombKind::ewald;
        if (is_switched(v_.coulomb_modifier))
            fail("coulomb-modifier", "an Ewald sum has its own form at the cutoff; take potential-shift or none");
        if (v_.epsilon_rf != 0.0 && v_.epsilon_rf != v_.epsilon_r)
            note("epsilon-rf", "has no effect without a reaction field");
        v_.epsilon_rf = v_.epsilon_r;
        if (v_.ewald_rtol >= 1.0) fail("ewald-rtol", "must be less than 1");
        if (v_.mesh_accuracy >= 0.1 || (v_.mesh_accuracy != 0.0 && v_.mesh_accuracy < 3e-7))
            fail("mesh-accuracy", "is a relative error from 3e-7 to 0.1: 1e-3 is coarse, 1e-6 very fine");
        if (v_.pme_order_given > 12) fail("pme-order", "must be 3 to 12");
        v_.pme_order = static_cast<int>(v_.pme_order_given);
        const auto grid = [this](const char* key, std::int64_t n) {
            if (n > 100'000) fail(key, "is more grid points than any run can use");
            if (n != 0 && n < v_.pme_order) fail(key, "must be at least pme-order, or 0 for fourierspacing");
            return static_cast<int>(n);
        };
        v_.fourier_n = {grid("fourier-nx", v_.fourier_nx), grid("fourier-ny", v_.fourier_ny),
                        grid("fourier-nz", v_.fourier_nz)};
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

    std::string not_the_interval() const
    {
        return "must be 0 or equal to the interval of the positions, which is " + std::to_string(v_.nstx);
    }

    void check_group_count(const std::string& key, std::size_t count) const
    {
        if (count > 255) fail(key, "at most 255 groups are possible");
    }

    Setting setting(const std::string& key) const
    {
        const Setting* found = given_.find(key);
        return found != nullptr ? *found : Setting{key, find_mdp_key(key)->write(v_), "default"};
    }

    [[noreturn]] void fail(const std::string& key, const std::string& why) const { reject(setting(key), why); }

    void note(const std::string& key, const std::string& text)
    {
        const Setting s = setting(key);
        notes_.add(s.where + ": " + s.key + " = " + s.value + ": " + text);
    }

    MdpValues& v_;
    const GivenSettings& given_;
    Notes& notes_;
};

} // namespace

void combine(MdpValues& values, const GivenSettings& given, Notes& notes)
{
    Combination combination(values, given, notes);
    combination.preprocessing();
    combination.dynamics();
    combination.output();
    combination.nonbonded();
    combination.temperature();
    combination.constraints();
}

} // namespace holon
