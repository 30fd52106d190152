#pragma once

#include "schemes/minimiser.hpp"

#include <holon/core/fixed_sum.hpp>

#include <cmath>
#include <cstdint>
#include <span>

namespace holon {

/// A minimiser that goes down along one direction after the other, each as far as the slope asks for. In place of
/// masses it has the same one everywhere, so that accelerations are forces (SchemeEntry::mass). Vectors that outlive a
/// step are kept with the atoms. All sums are exact whatever their order: the same bits on any number of ranks.
class LineMinimiser : public Minimiser {
public:
    void apply(Step& step) override;

    /// Numbers that are kept with each atom for so many vectors beyond those that all such minimisers keep.
    static std::int64_t kept_for(std::int64_t vectors) { return 3 * (first_free + vectors); }

protected:
    /// Vectors that every such minimiser keeps: the direction of the line, the force at its beginning, and how far the
    /// atom is from there [2^-48 nm].
    enum Vectors : std::int32_t { direction, force, displacement, first_free };

    LineMinimiser(const SchemeInput& input, const std::string& name, std::int64_t vectors);

    /// Makes a direction of the forces at hand, present_force(), and of what is kept of the step before. Returns
    /// whether it is that of the forces alone. Collective.
    virtual bool choose_direction(System& system) = 0;
    virtual void forget() { count_ = 0.0; }                                  // the past is no good guide
    virtual double first_trial(double suggested) const { return suggested; } // along the direction

    Vec3 present_force(const Atoms& atoms, std::size_t i) const { return to_real(atoms.v[i], velocity_unit) * scale(); }
    Eigen::Map<Vec3> at(Atoms& atoms, std::size_t i, std::int32_t vector) const
    {
        return Eigen::Map<Vec3>(atoms.kept.data() + (atoms.kept_begin[i + 1] - kept_ + 3 * vector));
    }

    static double length_of(const Vec3& a) { return std::sqrt(dot(a, a)); }

    /// Sum over all atoms of the products of two vectors of each. Collective.
    double inner(System& system, std::int32_t one, std::int32_t other) const;

    double& count_; // steps since the past was forgotten, or what is like it

private:
    /// A point of the line: direction times `length` from its beginning.
    struct Point {
        double length = 0.0;
        bool possible = true; // constraints can be kept there
        int128 energy = 0;    // ForceTotals::descent
        double slope = 0.0;
    };

    void search(Step& step, int128 energy, bool along_forces);
    bool go_to(Step& step, double length);
    Point try_point(Step& step, double length);
    static double next_length(const Point& low, const Point& high, bool bounded);

    std::int32_t kept_;
    double emstep_;
    double &gain_, &exhausted_; // first guess of what a step brings [kJ/mol]; 1: there is nothing more to be had
};

} // namespace holon
