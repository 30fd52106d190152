#include "combine.hpp"

#include "text.hpp"

#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/thermostat.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace holon {

namespace {

/// grompp's rules for thermostats, and Holon's own.
class Temperature : CombinedSettings {
public:
    Temperature(MdpValues& values, const GivenSettings& given, Notes& notes)
        : CombinedSettings(values, given, notes), scheme_(scheme_entry(values.integrator).traits)
    {
    }

    void combine()
    {
        check_lists();
        choose_bath();
        if (const auto* entry = thermostat_entry(v_.tcoupl)) check_thermostat(entry->traits);
        coupling_interval();
        chain_length();
        brownian_friction();
        check_annealing();
        check_group_count("tc-grps", v_.tc_grps.size());
        fill_groups();
    }

private:
    void check_lists()
    {
        if (v_.tc_grps.size() != v_.tau_t.size() || v_.tc_grps.size() != v_.ref_t.size())
            fail("tc-grps", "there are " + std::to_string(v_.tc_grps.size()) + " tc-grps, " +
                                std::to_string(v_.tau_t.size()) + " values of tau-t and " +
                                std::to_string(v_.ref_t.size()) + " of ref-t; give one of each per group");
    }

    void choose_bath()
    {
        if (scheme_.minimises && v_.tcoupl != "no") {
            note("tcoupl", "a minimisation has no temperature; ignored");
            v_.tcoupl = "no";
        }
        if (scheme_.own_bath && v_.tcoupl != "no") {
            note("tcoupl", "friction and noise of integrator = " + v_.integrator + " are the thermostat; ignored");
            v_.tcoupl = "no";
        }
        if (scheme_.own_bath) {
            if (v_.tc_grps.empty())
                fail("tc-grps", "integrator = " + v_.integrator +
                                    " takes friction and temperature from tc-grps, tau-t and ref-t; use "
                                    "tc-grps = System, with one tau-t and one ref-t");
        } else if (v_.tcoupl == "no") {
            v_.tc_grps.clear();
            v_.tau_t.clear();
            v_.ref_t.clear();
        } else if (v_.tc_grps.empty()) {
            fail("tcoupl", "tc-grps names no group; use tc-grps = System, with one tau-t and one ref-t");
        }
    }

    void check_thermostat(const ThermostatTraits& traits)
    {
        if (!traits.caution.empty()) note("tcoupl", traits.caution);
        if (traits.least_steps > 0.0 || traits.redraw != Redraw::none)
            for (double& tau : v_.tau_t)
                if (tau == 0.0) {
                    note("tau-t", "with tcoupl = " + v_.tcoupl + ", 0 counts as -1: the group is not coupled");
                    tau = -1.0;
                }
        if (traits.inertia)
            for (std::size_t k = 0; k < v_.tau_t.size(); ++k)
                if (v_.tau_t[k] > 0.0 && v_.ref_t[k] == 0.0)
                    fail("ref-t", "must be more than 0 with tcoupl = " + v_.tcoupl +
                                      ", whose inertia goes by it; take tcoupl = v-rescale to cool down to 0");
        if (traits.redraw != Redraw::none) check_redrawing(traits.redraw);
    }

    void check_redrawing(Redraw redraw)
    {
        const auto& tau = v_.tau_t;
        if (scheme_.half_step)
            fail("tcoupl", "it draws velocities of whole steps; use integrator = md-vv, or tcoupl = v-rescale");
        if (std::ranges::any_of(tau, [&](double t) { return t != tau.front(); }))
            fail("tau-t", "must be the same for all groups with tcoupl = " + v_.tcoupl);
        if (v_.comm_mode == CommMode::none || tau.front() <= 0.0) return;
        if (redraw == Redraw::some && v_.nstcomm != 1)
            fail("nstcomm", "must be 1 with tcoupl = andersen, which changes the momentum of the system at every step; "
                            "or use comm-mode = none");
        const auto steps = std::max<std::int64_t>(1, std::llround(tau.front() / v_.dt));
        if (redraw == Redraw::all && steps % v_.nstcomm != 0)
            fail("nstcomm", "the velocities are drawn anew every tau-t / dt = " + std::to_string(steps) +
                                " steps, with a momentum that is to be removed at once: this must be a multiple of "
                                "nstcomm; or use comm-mode = none");
    }

    /// As in GROMACS up to 2022: ten steps, or less where so many make a smaller part of a coupling time. The kinetic
    /// energy of v-rescale is exact for any interval; how smoothly it gets there is not.
    void coupling_interval()
    {
        if (v_.nsttcouple == 0) fail("nsttcouple", "must be a number of steps, or -1 for as many as tau-t allows");
        const auto* entry = thermostat_entry(v_.tcoupl);
        if (entry != nullptr && entry->traits.redraw != Redraw::none && v_.nsttcouple > 1)
            note("nsttcouple", "velocities are drawn at the steps that tau-t asks for; ignored");
        if (entry == nullptr || entry->traits.redraw != Redraw::none) {
            v_.nsttcouple = 1;
            return;
        }
        double shortest = std::numeric_limits<double>::infinity();
        for (const double tau : v_.tau_t)
            if (tau > 0.0) shortest = std::min(shortest, tau);
        const double least = entry->traits.least_steps;
        if (v_.nsttcouple < 0) {
            const double interval = std::min(10.0, shortest / (std::max(5.0, least) * v_.dt) * (1.0 + 1e-9));
            v_.nsttcouple = std::max<std::int64_t>(1, static_cast<std::int64_t>(interval));
        }
        const double actions = shortest / (static_cast<double>(v_.nsttcouple) * v_.dt) * (1.0 + 1e-9);
        const std::string found = print_real(static_cast<double>(v_.nsttcouple) * v_.dt) + " ps";
        if (entry->traits.inertia && actions < 4.0)
            fail("tau-t", "it is the period of the thermostat and must be at least 4 times nsttcouple x dt, " + found +
                              ", or nothing is stable; 20 times is good");
        if (actions < least)
            note("tau-t", "should be at least " + print_real(least) + " times nsttcouple x dt, " + found +
                              ", for a proper integration of the thermostat");
    }

    /// As GROMACS: the leap-frog has no chains.
    void chain_length()
    {
        if (v_.tcoupl != "nose-hoover" || !scheme_.half_step) return;
        if (v_.nh_chain_length > 1 && is_given("nh-chain-length"))
            note("nh-chain-length", "integrator = md has no chains: it is 1; integrator = md-vv has them");
        v_.nh_chain_length = 1;
    }

    void brownian_friction()
    {
        if (v_.integrator != "bd" || v_.bd_fric > 0.0) return;
        if (std::ranges::any_of(v_.tau_t, [](double tau) { return tau <= 0.0; }))
            fail("tau-t", "must be more than 0 with integrator = bd and bd-fric = 0, where the friction is mass / "
                          "tau-t; or give a bd-fric");
    }

    void check_annealing()
    {
        auto& kinds = v_.annealing;
        const bool none = std::ranges::all_of(kinds, [](const std::string& kind) { return plain(kind) == "no"; });
        if (none || scheme_.minimises) {
            if (!none) note("annealing", "a minimisation has no temperature; ignored");
            kinds.clear();
            v_.annealing_npoints.clear();
            v_.annealing_time.clear();
            v_.annealing_temp.clear();
            return;
        }
        if (v_.tc_grps.empty())
            fail("annealing", "there is no thermostat whose temperature could change; use tcoupl = v-rescale, or "
                              "annealing = no");
        if (kinds.size() != v_.tc_grps.size() || v_.annealing_npoints.size() != kinds.size())
            fail("annealing", "there are " + std::to_string(v_.tc_grps.size()) + " tc-grps, " +
                                  std::to_string(kinds.size()) + " values of annealing and " +
                                  std::to_string(v_.annealing_npoints.size()) +
                                  " of annealing-npoints; give one of each per group");
        for (auto& kind : kinds) {
            const auto known = {"no", "single", "periodic"};
            const auto found = std::ranges::find(known, plain(kind));
            if (found == known.end()) fail("annealing", "choose one of no, single, periodic for each group");
            kind = *found;
        }
        std::int64_t points = 0;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (kinds[k] == "no")
                v_.annealing_npoints[k] = 0;
            else if (v_.annealing_npoints[k] < 2)
                fail("annealing-npoints", "a group with annealing needs at least two points, the start and the end");
            points += std::min<std::int64_t>(v_.annealing_npoints[k], 1'000'000);
        }
        for (const auto& [key, count] :
             {std::pair("annealing-time", v_.annealing_time.size()), {"annealing-temp", v_.annealing_temp.size()}})
            if (std::cmp_not_equal(count, points))
                fail(key, "there are " + std::to_string(count) + " values, but annealing-npoints asks for " +
                              std::to_string(points) + " in all");
    }

    Annealing annealing_of(std::size_t group, std::size_t begin)
    {
        if (v_.annealing.empty() || v_.annealing[group] == "no") return {};
        const auto from = static_cast<std::ptrdiff_t>(begin);
        const auto to = from + static_cast<std::ptrdiff_t>(v_.annealing_npoints[group]);
        Annealing annealing{v_.annealing[group] == "periodic",
                            {v_.annealing_time.begin() + from, v_.annealing_time.begin() + to},
                            {v_.annealing_temp.begin() + from, v_.annealing_temp.begin() + to}};
        const auto& [periodic, times, temperatures] = annealing;
        if (times.front() > v_.tinit)
            fail("annealing-time",
                 "the first point of a group must not be later than the start, tinit = " + print_real(v_.tinit));
        for (std::size_t k = 1; k < times.size(); ++k)
            if (times[k] < times[k - 1]) fail("annealing-time", "the points of a group must be in order");
        if (periodic && !(times.back() > 0.0))
            fail("annealing-time", "the last point of a group with periodic annealing is the period: it must be more "
                                   "than 0");
        if (periodic && temperatures.front() != temperatures.back())
            note("annealing-temp", "periodic annealing jumps from its last temperature, " +
                                       print_real(temperatures.back()) + ", to its first, " +
                                       print_real(temperatures.front()));
        return annealing;
    }

    void fill_groups()
    {
        v_.tc_groups.clear();
        std::size_t point = 0;
        for (std::size_t k = 0; k < v_.tc_grps.size(); ++k) {
            v_.tc_groups.push_back({{v_.tc_grps[k], {}}, v_.tau_t[k], v_.ref_t[k], annealing_of(k, point)});
            if (!v_.annealing.empty()) point += static_cast<std::size_t>(v_.annealing_npoints[k]);
        }
    }

    SchemeTraits scheme_;
};

} // namespace

void combine_temperature(MdpValues& values, const GivenSettings& given, Notes& notes)
{
    Temperature(values, given, notes).combine();
}

} // namespace holon
