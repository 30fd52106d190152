#pragma once

#include <holon/dynamics/operator.hpp>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// What a barostat decides by: the system as its scaling groups have it.
struct PressureState {
    std::int64_t step = 0;
    Mat3 pressure = Mat3::Zero(); // 2/V (kinetic - virial) [kJ/mol/nm^3]; box and strain feel its lower triangle
    Mat3 kinetic = Mat3::Zero();  // [kJ/mol]
    Mat3 virial = Mat3::Zero();   // -1/2 sum R (x) F [kJ/mol]
    Mat3 box = Mat3::Zero();      // rows [nm]
    double volume = 0.0;          // [nm^3]
};

/// The pressure that is to be, in the units of the forces.
struct PressureSettings {
    explicit PressureSettings(const Parameters& parameters);

    CouplingType type;
    Mat3 reference = Mat3::Zero();       // [kJ/mol/nm^3]; of surface tension: P_z
    Mat3 compressibility = Mat3::Zero(); // [nm^3 mol/kJ], lower triangle; 0: this element does not change
    double surface_tension = 0.0;        // of all surfaces together [kJ/mol/nm^2]
    double tau = 0.0;                    // [ps]
    double interval = 0.0;               // from one action to the next [ps]
    double kT = 0.0;                     // [kJ/mol]

    /// The same in all directions: then its work is that times the volume.
    bool hydrostatic() const;

    /// What the outside does, as if it were a pressure in the cell: surface tension acts along x and y.
    Mat3 outside(const Mat3& box) const;
};

/// Which of the vectors a, b, c no barostat and no deformation changes.
std::array<bool, 3> kept_vectors(const Parameters& parameters, const Box& box);

/// The work of the outside pressure on the system, so to speak: P V, or what it comes to along the way where the
/// pressure depends on direction.
class PressureWork {
public:
    PressureWork(const PressureSettings& settings, const SchemeInput& input);
    void add(const PressureSettings& settings, const Mat3& from, const Mat3& to);
    double energy() const; // that the system has in its volume [kJ/mol]

private:
    double hydrostatic_ = 0.0; // 0 where it is not
    const Box& box_;
    std::span<double> along_the_way_;
};

/// Decides how the box changes.
class Barostat {
public:
    virtual ~Barostat() = default;

    /// In the step after a change, if its traits say that it looks back: what it has led to.
    virtual void note_outcome(const PressureState&) {}

    /// At every nstpcouple-th step.
    virtual void decide(const PressureState& state) = 0;

    /// Does to this box [rows, nm] what it has decided, once the step has been measured.
    virtual BoxChange change(const Mat3& box) = 0;

    /// See Operator.
    virtual double stored_energy() const = 0;
};

/// What the rest of the program needs to know of a barostat.
struct BarostatTraits {
    bool isotropic_only = false;
    bool needs_temperature = false;   // the ensemble's
    bool looks_back = false;          // wants to know what its change has led to
    bool inertia = false;             // a box with a velocity: it moves in the middle between two decisions
    double intervals_per_tau = 100.0; // at least, for fluctuations of the volume to be right
};

/// A line of the list.
struct BarostatEntry {
    std::string name; // value of `pcoupl`
    BarostatTraits traits;
    std::unique_ptr<Barostat> (*make)(const SchemeInput&);
};

/// Every barostat: src/dynamics/barostats/<name>.cpp with <name>_barostat(). To add one, add its line.
#define HOLON_BAROSTATS(X)                                                                                             \
    X(c_rescale)         /* stochastic cell rescaling */                                                               \
    X(parrinello_rahman) /* the box has a mass */                                                                      \
    X(mttk)              /* likewise, with its volume as the variable */                                               \
    X(berendsen)         /* relaxes; no ensemble */

#define HOLON_DECLARE(name) BarostatEntry name##_barostat();
HOLON_BAROSTATS(HOLON_DECLARE)
#undef HOLON_DECLARE

std::span<const BarostatEntry> barostats();

/// The one of this name; null for `no`.
const BarostatEntry* barostat_entry(const std::string& name);

} // namespace holon
