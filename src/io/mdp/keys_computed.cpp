#include "keys.hpp"

#include "text.hpp"

#include <holon/constraints/solver.hpp>
#include <holon/dynamics/barostat.hpp>
#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/thermostat.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace holon {

namespace {

using V = MdpValues;

// A key is bound to the member that holds it; `read` and `write` follow from the member's type.

MdpKey bound(std::string name, decltype(MdpKey::read) read, decltype(MdpKey::write) write)
{
    MdpKey key;
    key.name = std::move(name);
    key.read = std::move(read);
    key.write = std::move(write);
    return key;
}

MdpKey real(std::string name, double V::*member, Bounds bounds = any_number)
{
    return bound(
        std::move(name), [=](V& v, const std::string& text) { v.*member = parse_real(text, bounds); },
        [=](const V& v) { return print_real(v.*member); });
}

MdpKey integer(std::string name, std::int64_t V::*member, Bounds bounds = any_number)
{
    return bound(
        std::move(name), [=](V& v, const std::string& text) { v.*member = parse_integer(text, bounds); },
        [=](const V& v) { return std::to_string(v.*member); });
}

/// A number of type int, which `of` finds in the values.
template <class Of>
MdpKey number(std::string name, Of of, Bounds bounds)
{
    return bound(
        std::move(name), [=](V& v, const std::string& text) { of(v) = static_cast<int>(parse_integer(text, bounds)); },
        [=](const V& v) { return std::to_string(of(v)); });
}

MdpKey grid_points(std::string name, std::size_t axis)
{
    return number(
        std::move(name), [=](auto& v) -> auto& { return v.fourier_n[axis]; }, between(0, 10'000));
}

/// The choice named by the text; the first name of a choice is its canonical one.
template <class Choice>
MdpKey choice(std::string name, Choice V::*member, std::vector<std::pair<std::string, Choice>> names)
{
    const auto read = [=](V& v, const std::string& text) {
        std::string list;
        for (const auto& [candidate, value] : names) {
            if (plain(candidate) == plain(text)) {
                v.*member = value;
                return;
            }
            list += (list.empty() ? "" : ", ") + candidate;
        }
        throw BadValue("not available in this version; choose one of " + list);
    };
    const auto write = [=](const V& v) {
        return std::find_if(names.begin(), names.end(), [&](const auto& entry) { return entry.second == v.*member; })
            ->first;
    };
    return bound(std::move(name), read, write);
}

using Names = std::vector<std::pair<std::string, std::string>>;
Names constraint_algorithms() // every constraint solver
{
    Names names{{"springs", "springs"}}; // of which constraints are made
    for (const auto& solver : solver_names()) std::ranges::replace(names.emplace_back(solver, solver).first, '_', '-');
    return names;
}

/// The names of a list of entries, after others; and other names for some of them.
template <class Entries>
Names names_in(const Entries& entries, std::vector<std::string> first = {}, const Names& others = {})
{
    for (const auto& entry : entries) first.push_back(entry.name);
    Names names;
    for (const auto& name : first) names.emplace_back(name, name);
    names.insert(names.end(), others.begin(), others.end());
    return names;
}

MdpKey yes_no(std::string name, bool V::*member)
{
    return choice<bool>(std::move(name), member, {{"no", false}, {"yes", true}});
}

template <class Choice>
MdpKey auto_yes_no(std::string name, Choice V::*member)
{
    return choice<Choice>(std::move(name), member,
                          {{"auto", Choice::automatic}, {"yes", Choice::yes}, {"no", Choice::no}});
}

std::string joined(const std::vector<std::string>& list)
{
    std::string text;
    for (const std::string& word : list) text += (text.empty() ? "" : " ") + word;
    return text;
}

/// A list of what `parse` reads and `print` writes.
template <class Value, class Parse, class Print>
MdpKey list_of(std::string name, std::vector<Value> V::*member, Parse parse, Print print)
{
    const auto read = [=](V& v, const std::string& text) {
        (v.*member).clear();
        for (const std::string& word : words(text)) (v.*member).push_back(parse(word));
    };
    const auto write = [=](const V& v) {
        std::vector<std::string> list;
        for (const auto& value : v.*member) list.push_back(print(value));
        return joined(list);
    };
    return bound(std::move(name), read, write);
}

MdpKey names(std::string name, std::vector<std::string> V::*member)
{
    return list_of(std::move(name), member, std::identity{}, std::identity{});
}

MdpKey integers(std::string name, std::vector<std::int64_t> V::*member, Bounds bounds = any_number)
{
    return list_of(
        std::move(name), member, [bounds](const std::string& word) { return parse_integer(word, bounds); },
        [](std::int64_t number) { return std::to_string(number); });
}

MdpKey reals(std::string name, std::vector<double> V::*member, Bounds bounds = any_number)
{
    return list_of(
        std::move(name), member, [bounds](const std::string& word) { return parse_real(word, bounds); }, print_real);
}

/// -1 stands for a seed that is derived from the input. Derived seeds use all 64 bits, so they are printed unsigned.
MdpKey seed(std::string name, std::uint64_t V::*member, bool V::*derive)
{
    const auto read = [=](V& v, const std::string& text) {
        const bool large = text.size() > 18 && text.find_first_not_of("0123456789") == std::string::npos;
        v.*derive = text == "-1";
        v.*member = v.*derive ? 0 : large ? parse_unsigned(text) : static_cast<std::uint64_t>(parse_integer(text));
    };
    return bound(std::move(name), read, [=](const V& v) { return v.*derive ? "-1" : std::to_string(v.*member); });
}

/// Y or N, or what they begin.
MdpKey yes_no_list(std::string name, std::vector<bool> V::*member)
{
    const auto read = [=](V& v, const std::string& text) {
        (v.*member).clear();
        for (const std::string& word : words(text)) {
            const char first = plain(word).substr(0, 1).empty() ? ' ' : plain(word)[0];
            if (first != 'y' && first != 'n') throw BadValue("expected Y or N for each axis of each group");
            (v.*member).push_back(first == 'y');
        }
    };
    const auto write = [=](const V& v) {
        std::string text;
        for (const bool yes : v.*member) text += (text.empty() ? "" : " ") + std::string(yes ? "Y" : "N");
        return text;
    };
    return bound(std::move(name), read, write);
}

MdpKey electric_field(std::string name, std::size_t axis)
{
    const auto read = [=](V& v, const std::string& text) {
        std::vector<double> numbers;
        for (const std::string& word : words(text)) numbers.push_back(parse_real(word));
        if (numbers.size() != 1 && numbers.size() != 4)
            throw BadValue("expected an amplitude in V/nm, or four numbers: E0, omega, t0 and sigma");
        numbers.resize(4, 0.0);
        if (numbers[3] < 0.0) throw BadValue("sigma, the width of the pulse, must not be negative");
        if (numbers[3] > 0.0 && numbers[1] < 0.0) throw BadValue("omega must not be negative");
        v.electric_field[axis] = {numbers[0], numbers[1], numbers[2], numbers[3]};
    };
    const auto write = [=](const V& v) {
        const auto& field = v.electric_field[axis];
        return joined(
            {print_real(field.amplitude), print_real(field.omega), print_real(field.t0), print_real(field.sigma)});
    };
    return bound(std::move(name), read, write);
}

MdpKey domain_grid(std::string name)
{
    const auto read = [](V& v, const std::string& text) {
        v.domains.clear();
        if (plain(text) == "auto") return;
        std::string list = text;
        for (char& c : list) c = c == 'x' || c == 'X' ? ' ' : c;
        for (const std::string& word : words(list)) {
            const std::int64_t n = parse_integer(word, at_least(1));
            if (n > 1'000'000) throw BadValue("more domains than any computer has ranks");
            v.domains.push_back(static_cast<int>(n));
        }
        if (v.domains.size() != 3) throw BadValue("expected three numbers as in 2x2x1, or auto");
    };
    const auto write = [](const V& v) {
        std::string text;
        for (int n : v.domains) text += (text.empty() ? "" : "x") + std::to_string(n);
        return text.empty() ? "auto" : text;
    };
    return bound(std::move(name), read, write);
}

MdpKey may_change(MdpKey key)
{
    key.may_change = true;
    return key;
}

MdpKey own(MdpKey key, std::string help)
{
    key.help = std::move(help);
    return key;
}

/// Values of a choice that need another answer than the list of those there are, each with that answer.
MdpKey refusing(MdpKey key, std::vector<std::pair<std::string, std::string>> answers)
{
    key.read = [read = std::move(key.read), answers = std::move(answers)](V& v, const std::string& text) {
        for (const auto& [name, answer] : answers)
            if (plain(name) == plain(text)) throw BadValue(answer);
        read(v, text);
    };
    return key;
}

const std::string in_place_of_pme = "not available; use coulombtype = PME, which is as accurate as mesh-accuracy asks";
const std::string no_tables = "tabulated potentials are not available";

/// Of ax, by, cz, bx, cx, cy.
MdpKey box_elements(std::string name, std::array<double, 6> V::*member)
{
    const auto read = [=](V& v, const std::string& text) {
        const auto list = words(text);
        if (!list.empty() && list.size() != 6)
            throw BadValue("expected six numbers, for a(x) b(y) c(z) b(x) c(x) c(y), or none");
        v.*member = {};
        for (std::size_t k = 0; k < list.size(); ++k) (v.*member)[k] = parse_real(list[k]);
    };
    const auto write = [=](const V& v) {
        std::vector<std::string> list;
        for (const double element : v.*member) list.push_back(print_real(element));
        return joined(list);
    };
    return bound(std::move(name), read, write);
}

/// Barostats by the names that GROMACS has for them, too.
Names pressure_couplings()
{
    return names_in(barostats(), {"no"},
                    {{"CRescale", "C-rescale"}, {"ParrinelloRahman", "Parrinello-Rahman"}, {"Isotropic", "Berendsen"}});
}

} // namespace

std::vector<MdpKey> box_mdp_keys()
{
    using enum CouplingType;
    return {
        choice<std::string>("pcoupl", &V::pcoupl, pressure_couplings()),
        choice<CouplingType>("pcoupltype", &V::pcoupltype,
                             {{"isotropic", isotropic},
                              {"semiisotropic", semiisotropic},
                              {"anisotropic", anisotropic},
                              {"surface-tension", surface_tension}}),
        integer("nstpcouple", &V::nstpcouple, at_least(-1)),
        real("tau-p", &V::tau_p),
        reals("compressibility", &V::compressibility, at_least(0)),
        reals("ref-p", &V::ref_p),
        choice<RefcoordScaling>(
            "refcoord-scaling", &V::refcoord_scaling,
            {{"no", RefcoordScaling::no}, {"all", RefcoordScaling::all}, {"com", RefcoordScaling::com}}),
        real("ensemble-temperature", &V::ensemble_temperature, at_least(-1)),
        box_elements("deform", &V::deform),
    };
}

std::vector<MdpKey> step_mdp_keys()
{
    return {
        yes_no("mts", &V::mts_wanted),
        integer("mts-levels", &V::mts_levels, between(2, 2)),
        names("mts-level2-forces", &V::mts_level2_forces),
        integer("mts-level2-factor", &V::mts_level2_factor, at_least(2)),
        real("mass-repartition-factor", &V::mass_repartition_factor, at_least(1)),
    };
}

std::vector<MdpKey> run_mdp_keys()
{
    return {
        names("include", &V::include),
        names("define", &V::define),

        choice<std::string>("integrator", &V::integrator, names_in(schemes())),
        real("tinit", &V::tinit),
        real("dt", &V::dt),
        may_change(integer("nsteps", &V::nsteps, at_least(-1))),
        integer("init-step", &V::init_step, at_least(0)),
        yes_no("continuation", &V::continuation),
        choice<CommMode>("comm-mode", &V::comm_mode,
                         {{"linear", CommMode::linear}, {"angular", CommMode::angular}, {"none", CommMode::none}}),
        integer("nstcomm", &V::nstcomm, between(-1e15, 1e15)),
        names("comm-grps", &V::comm_grps),

        real("emtol", &V::emtol, positive),
        real("emstep", &V::emstep, positive),
        integer("nstcgsteep", &V::nstcgsteep, at_least(1)),
        integer("nbfgscorr", &V::nbfgscorr, between(1, 40)),

        may_change(integer("nstxout", &V::nstxout, at_least(0))),
        may_change(integer("nstvout", &V::nstvout, at_least(0))),
        may_change(integer("nstfout", &V::nstfout, at_least(0))),
        may_change(integer("nstcfout", &V::nstcfout, at_least(0))),
        may_change(integer("nstxout-compressed", &V::nstxout_compressed, at_least(0))),
        may_change(integer("nstlog", &V::nstlog, at_least(0))),
        may_change(integer("nstenergy", &V::nstenergy, at_least(0))),
    };
}

std::vector<MdpKey> nonbonded_mdp_keys()
{
    using enum Modifier;
    const std::vector<std::pair<std::string, Modifier>> modifiers = {{"potential-shift", potential_shift},
                                                                     {"potential-shift-verlet", potential_shift},
                                                                     {"none", none},
                                                                     {"force-switch", force_switch},
                                                                     {"potential-switch", potential_switch}};
    using D = DispersionCorrection;

    return {
        refusing(choice<CoulombType>("coulombtype", &V::coulombtype,
                                     {{"cut-off", CoulombType::cutoff},
                                      {"reaction-field", CoulombType::reaction_field},
                                      {"reaction-field-zero", CoulombType::reaction_field_zero},
                                      {"PME", CoulombType::pme},
                                      {"PME-Switch", CoulombType::pme},
                                      {"P3M-AD", CoulombType::pme},
                                      {"Ewald", CoulombType::ewald}}),
                 {{"PPPM", in_place_of_pme},
                  {"PME-User", no_tables + "; use coulombtype = PME"},
                  {"PME-User-Switch", no_tables + "; use coulombtype = PME"},
                  {"User", no_tables},
                  {"Poisson", "not available; use coulombtype = PME"},
                  {"Shift", "use coulombtype = cut-off with coulomb-modifier = force-switch and rcoulomb-switch"},
                  {"Switch", "use coulombtype = cut-off with coulomb-modifier = potential-switch and rcoulomb-switch"},
                  {"Encad-shift", "GROMACS took it out; use coulombtype = reaction-field or PME"},
                  {"Generalized-Reaction-Field", "GROMACS took it out; use coulombtype = reaction-field or PME"},
                  {"Reaction-Field-nec", "GROMACS took it out; use coulombtype = reaction-field or PME"}}),
        choice<Modifier>("coulomb-modifier", &V::coulomb_modifier, modifiers),
        real("rcoulomb", &V::rcoulomb, positive),
        real("rcoulomb-switch", &V::rcoulomb_switch, at_least(0)),
        real("epsilon-r", &V::epsilon_r, positive),
        real("epsilon-rf", &V::epsilon_rf, at_least(0)),
        real("fourierspacing", &V::fourier_spacing, at_least(0)),
        grid_points("fourier-nx", 0),
        grid_points("fourier-ny", 1),
        grid_points("fourier-nz", 2),
        number(
            "pme-order", [](auto& v) -> auto& { return v.pme_order; }, between(3, 12)),
        real("ewald-rtol", &V::ewald_rtol, between(1e-16, 0.1)),
        own(choice<MeshKind>("mesh", &V::mesh, {{"esp", MeshKind::esp}, {"spme", MeshKind::spme}}),
            "method behind coulombtype = PME: esp, or spme with fourierspacing, pme-order and ewald-rtol as they are"),
        own(real("mesh-accuracy", &V::mesh_accuracy, between(0, 0.1)),
            "relative rms error of the forces with mesh = esp; 0: below that of PME with these settings"),
        own(real("coulomb-split-radius", &V::coulomb_split_radius, at_least(0)),
            "where the pair part of mesh = esp ends, nm, at most rcoulomb; 0: where both together cost least"),
        own(real("ewald-beta", &V::ewald_beta, at_least(0)),
            "splitting parameter of coulombtype = Ewald, 1/nm; 0: from ewald-rtol"),
        own(real("ewald-k-cutoff", &V::ewald_k_cutoff, at_least(0)),
            "longest wave vector of coulombtype = Ewald, 1/nm; 0: from ewald-rtol"),
        choice<VdwType>("vdwtype", &V::vdwtype,
                        {{"cut-off", VdwType::cutoff}, {"shift", VdwType::shift}, {"switch", VdwType::switched}}),
        choice<Modifier>("vdw-modifier", &V::vdw_modifier, modifiers),
        real("rvdw", &V::rvdw, positive),
        real("rvdw-switch", &V::rvdw_switch, at_least(0)),
        choice<D>("DispCorr", &V::dispersion_correction,
                  {{"no", D::no},
                   {"Ener", D::energy},
                   {"EnerPres", D::energy_pressure},
                   {"AllEner", D::all_energy},
                   {"AllEnerPres", D::all_energy_pressure}}),
    };
}

std::vector<MdpKey> temperature_mdp_keys()
{
    return {
        choice<std::string>("tcoupl", &V::tcoupl, names_in(thermostats(), {"no"}, {{"yes", "berendsen"}})),
        integer("nsttcouple", &V::nsttcouple, at_least(-1)),
        names("tc-grps", &V::tc_grps),
        reals("tau-t", &V::tau_t),
        reals("ref-t", &V::ref_t, at_least(0)),
        integer("nh-chain-length", &V::nh_chain_length, between(1, 1000)),
        names("annealing", &V::annealing),
        integers("annealing-npoints", &V::annealing_npoints, at_least(0)),
        reals("annealing-time", &V::annealing_time),
        reals("annealing-temp", &V::annealing_temp, at_least(0)),
        real("bd-fric", &V::bd_fric, at_least(0)),
        own(integer("geodesic-steps", &V::geodesic_steps, between(1, 100)),
            "integrator = baoab: steps along the constraints in each of the two half drifts"),
        seed("ld-seed", &V::ld_seed, &V::derive_ld_seed),

        yes_no("gen-vel", &V::gen_vel),
        real("gen-temp", &V::gen_temp, at_least(0)),
        seed("gen-seed", &V::gen_seed, &V::derive_gen_seed),
    };
}

std::vector<MdpKey> restraint_mdp_keys()
{
    return {
        choice<ConstraintKind>("constraints", &V::constraints,
                               {{"none", ConstraintKind::none},
                                {"h-bonds", ConstraintKind::h_bonds},
                                {"all-bonds", ConstraintKind::all_bonds},
                                {"h-angles", ConstraintKind::h_angles},
                                {"all-angles", ConstraintKind::all_angles},
                                {"torsion-only", ConstraintKind::torsion_only}}),
        yes_no("morse", &V::morse),
        choice<std::string>("constraint-algorithm", &V::constraint_algorithm, constraint_algorithms()),
        integer("lincs-order", &V::lincs_order, at_least(1)),
        integer("lincs-iter", &V::lincs_iter, at_least(0)),
        real("lincs-warnangle", &V::lincs_warnangle, positive),
        own(names("rigid-groups", &V::rigid_names),
            "groups whose atoms in each molecule are a rigid body, as at the start; constraint-algorithm = rigid"),
        real("shake-tol", &V::shake_tol, positive),
        auto_yes_no<OverRelaxation>("shake-sor", &V::shake_sor),
        own(real("shake-omega", &V::shake_omega, at_least(0)),
            "factor of shake-sor = yes, 1 to less than 2; 0: found out in every solution"),
        own(yes_no("shake-warm-start", &V::shake_warm_start),
            "SHAKE begins with the multipliers of the step before, which then belong to the state"),
        own(yes_no("fixman", &V::fixman), "Fixman's potential: constrained molecules take shapes as with springs"),
        own(real("spring-tolerance", &V::spring_tolerance, positive), "springs: rms relative error of their lengths"),
        own(real("feedback-steps", &V::feedback_steps, at_least(0)), "edberg-evans-morriss: life of errors; 0: ever"),
        choice<DistanceRestraints>("disre", &V::disre,
                                   {{"no", DistanceRestraints::no}, {"simple", DistanceRestraints::simple}}),
        choice<RestraintWeighting>(
            "disre-weighting", &V::disre_weighting,
            {{"conservative", RestraintWeighting::conservative}, {"equal", RestraintWeighting::equal}}),
        real("disre-fc", &V::disre_fc, at_least(0)),
        real("disre-tau", &V::disre_tau),
        yes_no("disre-mixed", &V::disre_mixed),
        names("energygrps", &V::energygrps),
        names("freezegrps", &V::freezegrps),
        yes_no_list("freezedim", &V::freezedim),
        names("acc-grps", &V::acc_grps),
        reals("accelerate", &V::accelerate),
        electric_field("electric-field-x", 0),
        electric_field("electric-field-y", 1),
        electric_field("electric-field-z", 2),
    };
}

std::vector<MdpKey> own_mdp_keys()
{
    return {
        own(choice<Precision>("precision", &V::precision, {{"mixed", Precision::mixed}, {"double", Precision::real64}}),
            "mixed (float pair kernels) or double"),
        own(may_change(domain_grid("domains")), "grid of domains, as in 2x2x1; auto: the cheapest"),
        own(may_change(integer("mesh-ranks", &V::mesh_ranks, at_least(0))),
            "most ranks for the mesh; 0: as many as pay"),
        own(may_change(auto_yes_no<LoadBalancing>("dlb", &V::load_balancing)),
            "move the faces of domains to balance the load: auto: where it pays; changes no bit"),
        own(may_change(real("skin", &V::skin, between(0.02, 1))),
            "nm beyond the cutoff in which pairs are listed: longer lists against fewer; changes no bit"),
        own(may_change(integer("checkpoint-interval", &V::checkpoint_interval, at_least(0))),
            "steps between checkpoints; 0: none"),
        own(may_change(real("checkpoint-sync", &V::checkpoint_sync, at_least(0))),
            "seconds between flushes of the checkpoint to the disk itself"),
        own(may_change(auto_yes_no<CheckpointMapping>("checkpoint-mapping", &V::checkpoint_mapping)),
            "states go into the file through memory that is mapped to it: auto: on local file systems"),
        own(may_change(real("maxh", &V::maxh)), "stop after this many hours, in time to be continued; -1: no limit"),
    };
}

} // namespace holon
