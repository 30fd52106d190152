#pragma once

#include <holon/core/vec3.hpp>
#include <holon/system/force_groups.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace holon {

enum class Precision { mixed, real64 };
enum class CoulombKind { cutoff, reaction_field, mesh, ewald };
enum class MeshKind { esp, spme };
enum class Modifier { none, potential_shift, potential_switch, force_switch };
enum class DispersionCorrection { no, energy, energy_pressure, all_energy, all_energy_pressure };
enum class ConstraintKind { none, h_bonds, all_bonds, h_angles, all_angles, torsion_only };
enum class CouplingType { isotropic, semiisotropic, surface_tension, anisotropic };
enum class RefcoordScaling { no, all, com };
enum class CommMode { none, linear, angular };
enum class LoadBalancing { automatic, yes, no };
enum class OverRelaxation { automatic, yes, no };
enum class CheckpointMapping { automatic, yes, no };
enum class DistanceRestraints { no, simple };
enum class RestraintWeighting { conservative, equal };

/// A named set of atoms as sorted, disjoint, half-open ranges of global ids: default groups stay small for any system.
struct AtomGroup {
    std::string name;
    std::vector<std::pair<AtomId, AtomId>> ranges;
    std::int64_t size() const;
    bool contains(AtomId id) const;
};

/// A reference temperature that changes in time: linear between points, constant before the first and after the last,
/// or over and over again up to the time of the last.
struct Annealing {
    bool periodic = false;
    std::vector<double> times, temperatures; // [ps], ascending; [K]. Empty: no annealing
};

/// One temperature-coupling group.
struct CouplingGroup {
    AtomGroup atoms;
    double tau = -1.0;        // [ps]; < 0: not coupled
    double temperature = 0.0; // [K]
    Annealing annealing{};
    double temperature_at(double time) const; // [K] at a time [ps], with annealing
};

/// Atoms that do not move along some axes.
struct FrozenGroup {
    AtomGroup atoms;
    std::array<bool, 3> axes{};
};

/// Atoms that are all accelerated alike.
struct AcceleratedGroup {
    AtomGroup atoms;
    Vec3 acceleration = Vec3::Zero(); // [nm/ps^2]
};

/// One component of an electric field: amplitude cos(omega (t - t0)) exp(-(t - t0)^2 / (2 sigma^2)).
struct ElectricField {
    double amplitude = 0.0; // [V/nm]
    double omega = 0.0;     // [1/ps]
    double t0 = 0.0;        // [ps]
    double sigma = 0.0;     // [ps]; 0: no pulse, and t0 counts as 0
};

/// Everything a run computes with, after defaults, `.mdp` and command line have been merged. Units as GROMACS.
struct Parameters {
    std::string integrator = "md"; // the name of a scheme
    double tinit = 0.0;
    double dt = 0.001;
    std::int64_t nsteps = 0; // of the run, counted from init_step; -1: no end
    std::int64_t init_step = 0;
    bool endless() const { return nsteps < 0; }
    std::int64_t last_step() const // at which the run ends
    {
        return endless() ? std::numeric_limits<std::int64_t>::max() : init_step + nsteps;
    }
    bool continuation = false;

    // minimisation
    double emtol = 10.0;            // [kJ/mol/nm]
    double emstep = 0.01;           // [nm]
    std::int64_t nstcgsteep = 1000; // conjugate gradients: from one step along the forces alone to the next
    std::int64_t nbfgscorr = 10;    // L-BFGS: steps that are remembered

    // centre-of-mass motion
    CommMode comm_mode = CommMode::linear;
    std::int64_t nstcomm = 100;
    std::vector<AtomGroup> comm_groups;

    double mass_repartition_factor = 1.0; // atoms have at least this times the smallest mass, at their neighbours' cost

    // output intervals in steps; 0 = never
    std::int64_t nstlog = 1000;
    std::int64_t nstenergy = 1000;
    std::int64_t nstxout = 0, nstxout_compressed = 0; // trajectory: positions at the multiples of both,
    std::int64_t nstvout = 0;                         // velocities,
    std::int64_t nstfout = 0;                         // forces,
    std::int64_t nstcfout = 0;                        // and forces of constraints

    // non-bonded
    Precision precision = Precision::mixed;
    CoulombKind coulomb = CoulombKind::cutoff;
    double rcoulomb = 1.0;
    double rcoulomb_switch = 0.0;
    double epsilon_r = 1.0;
    double epsilon_rf = 0.0; // 0 = infinite
    Modifier coulomb_modifier = Modifier::potential_shift;

    // long-range electrostatics: coulomb = mesh or ewald
    MeshKind mesh = MeshKind::esp;
    double mesh_accuracy = 0.0;               // relative rms force error; 0: what PME has with the settings below
    double coulomb_split_radius = 0.0;        // of esp: where its pair part ends [nm]; 0: where the sum costs least
    double fourier_spacing = 0.12;            // [nm]
    std::array<int, 3> fourier_n = {0, 0, 0}; // grid points; 0: by the spacing
    int pme_order = 4;
    double ewald_rtol = 1e-5;
    double ewald_beta = 0.0;     // [1/nm] plain Ewald sum; 0: from ewald_rtol
    double ewald_k_cutoff = 0.0; // [1/nm] plain Ewald sum, modes with |k| up to this; 0: from ewald_rtol

    double rvdw = 1.0;
    double rvdw_switch = 0.0;
    Modifier vdw_modifier = Modifier::potential_shift;
    DispersionCorrection dispersion_correction = DispersionCorrection::no;
    GroupOfTerm group_of_force_term{}; // all in group 0, or those of level 2 in group 1:
    std::int64_t mts_factor = 1;       // steps from one kick by these to the next
    bool mts() const { return mts_factor > 1; }

    bool morse = false; // harmonic bonds become Morse bonds

    // constraints
    ConstraintKind constraints = ConstraintKind::none;
    std::string constraint_algorithm = "lincs"; // or the name of a solver
    bool links_bodies() const                   // whether that is of rigid bodies that constraints may link
    {
        return constraint_algorithm == "qshake" || constraint_algorithm == "unit_newton";
    }
    bool splits_rotation() const // whether that is of bodies that turn about one axis after the other
    {
        return constraint_algorithm == "dlm" || constraint_algorithm == "no_squish";
    }
    bool keeps_bodies() const { return constraint_algorithm == "rigid" || splits_rotation() || links_bodies(); }
    double shake_tol = 1e-4;
    OverRelaxation shake_sor = OverRelaxation::automatic;
    double shake_omega = 0.0; // of shake_sor; 0: found out in every solution
    bool shake_warm_start = false;
    std::int64_t lincs_order = 4;
    std::int64_t lincs_iter = 1;
    double lincs_warnangle = 30.0; // [degrees]
    double feedback_steps = 10.0; // of constraint_algorithm = edberg_evans_morriss: life of errors [steps]; 0: for ever
    std::vector<AtomGroup> rigid_groups; // of each, the atoms in a molecule are a rigid body
    double spring_tolerance = 1e-3;      // of constraint_algorithm = springs: rms relative error of a length at
    double spring_temperature = 300.0;   // this temperature [K]
    bool fixman = false;                 // the Fixman potential of constraints acts,
    double fixman_temperature = 0.0;     // at this temperature [K]

    // temperature
    std::string tcoupl = "no";   // or the name of a thermostat
    std::int64_t nsttcouple = 1; // steps from one action of it to the next
    std::vector<CouplingGroup> tc_groups;
    std::int64_t nh_chain_length = 10; // thermostats of a Nose-Hoover chain
    std::uint64_t ld_seed = 0;
    double bd_fric = 0.0;            // [u/ps] friction of Brownian dynamics; 0: mass / tau-t
    std::int64_t geodesic_steps = 2; // of each half drift of g-BAOAB
    bool gen_vel = false;
    double gen_temp = 300.0;
    std::uint64_t gen_seed = 0;

    // pressure
    std::string pcoupl = "no"; // or the name of a barostat
    CouplingType pcoupltype = CouplingType::isotropic;
    std::int64_t nstpcouple = 1;         // steps from one action of it to the next
    double tau_p = 1.0;                  // [ps]
    std::vector<double> compressibility; // [1/bar]: as many as pcoupltype asks for
    std::vector<double> ref_p;           // likewise [bar]; surface tension: of all surfaces together [bar nm], and P_z
    double ensemble_temperature = -1.0;  // [K] of the barostat's noise and inertia; < 0: there is none
    RefcoordScaling refcoord_scaling = RefcoordScaling::no; // of the references of position restraints

    /// How fast ax, by, cz, bx, cx, cy of the box change [nm/ps].
    std::array<double, 6> deform{};
    bool deforms() const { return deform != std::array<double, 6>{}; }
    bool changes_box() const { return pcoupl != "no" || deforms(); }

    // what else acts on atoms
    std::vector<FrozenGroup> frozen_groups;
    std::vector<AcceleratedGroup> accelerated_groups;
    std::array<ElectricField, 3> electric_field{}; // along x, y, z

    std::vector<AtomGroup> energy_groups; // of which energies are told pair by pair

    // distance restraints
    DistanceRestraints disre = DistanceRestraints::no;
    RestraintWeighting disre_weighting = RestraintWeighting::conservative;
    bool disre_mixed = false; // the force goes by the geometric mean of both violations, averaged and present
    double disre_fc = 1000.0; // [kJ/mol/nm^2]
    double disre_tau = 0.0;   // [ps]; 0: distances are not averaged

    // decomposition, checkpoint
    std::vector<int> domains;    // empty: automatic; else 3 numbers
    std::int64_t mesh_ranks = 0; // transform the grid of the mesh at most; 0: as many as pay
    LoadBalancing load_balancing = LoadBalancing::automatic;
    double skin = 0.48; // [nm] how far beyond the cutoff pairs are listed: longer lists against fewer; changes no bit
    std::int64_t checkpoint_interval = 1;
    double checkpoint_sync = 10.0; // [s]
    CheckpointMapping checkpoint_mapping = CheckpointMapping::automatic;
    double maxh = -1.0; // [h]; < 0: no limit
};

} // namespace holon
