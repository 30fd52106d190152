#include "schemes/line_minimiser.hpp"

#include <holon/core/index.hpp>
#include <holon/dynamics/publish.hpp>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

constexpr double flat = 0.2;       // of the slope at the beginning: there a search ends
constexpr double longest = 10.0;   // displacement of a step in units of emstep
constexpr double tolerance = 1e-9; // of the potential energy: what rounding makes of it
constexpr int most_trials = 20;

double& declared(const SchemeInput& input, const std::string& name)
{
    return input.state.declare({.name = name, .values = {0.0}})[0];
}

/// Sum over all atoms of the products of what two functions make of each owned one. Collective.
template <class One, class Other>
double sum_of_products(const System& system, One one, Other other)
{
    const auto n = index(system.atoms.n_owned);
    std::int64_t largest[2] = {};
    for (std::size_t i = 0; i < n; ++i) {
        const Vec3 a = one(i), b = other(i);
        for (int k = 0; k < 3; ++k) {
            largest[0] = std::max(largest[0], ordered_bits(a[k]));
            largest[1] = std::max(largest[1], ordered_bits(b[k]));
        }
    }
    system.comm().max(std::span(largest));
    if (largest[0] == 0 || largest[1] == 0) return 0.0;
    // Scaled to about one, so that what a fixed sum rounds is small whatever the units.
    const int shift[] = {std::ilogb(from_ordered_bits(largest[0])), std::ilogb(from_ordered_bits(largest[1]))};
    const double scales[] = {std::ldexp(1.0, -shift[0]), std::ldexp(1.0, -shift[1])};
    FixedSum sum;
    for (std::size_t i = 0; i < n; ++i) sum.add(dot(scales[0] * one(i), scales[1] * other(i)));
    system.comm().sum(std::span(&sum, 1));
    return std::ldexp(sum.value(), shift[0] + shift[1]);
}

} // namespace

LineMinimiser::LineMinimiser(const SchemeInput& input, const std::string& name, std::int64_t vectors)
    : Minimiser(input), count_(declared(input, name + "-count")), kept_(static_cast<std::int32_t>(kept_for(vectors))),
      emstep_(input.parameters.emstep), gain_(declared(input, name + "-gain")),
      exhausted_(declared(input, name + "-exhausted"))
{
}

void LineMinimiser::apply(Step& step)
{
    auto& system = step.system;
    auto& atoms = system.atoms;
    const auto energy = system.totals().descent;
    begin(step, exhausted_ != 0.0);
    if (!step.ended) {
        const bool along_forces = choose_direction(system);
        for (std::size_t i = 0; i < owned(system); ++i) at(atoms, i, displacement).setZero();
        search(step, energy, along_forces);
    }
    for (auto& v : atoms.v) v = IVec3::Zero();
}

double LineMinimiser::inner(System& system, std::int32_t one, std::int32_t other) const
{
    auto& atoms = system.atoms;
    return sum_of_products(
        system, [&](std::size_t i) -> Vec3 { return at(atoms, i, one); },
        [&](std::size_t i) -> Vec3 { return at(atoms, i, other); });
}

/// Goes to a place on the line. With constraints each place is found from the beginning of the line, whose bonds are
/// their directions; false, and the atoms are there but have told nobody, if they cannot be kept.
bool LineMinimiser::go_to(Step& step, double length)
{
    auto& system = step.system;
    auto& atoms = system.atoms;
    const auto moved_so_far = [&](std::size_t i) -> IVec3 {
        const auto d = at(atoms, i, displacement);
        return {static_cast<std::int64_t>(d[0]), static_cast<std::int64_t>(d[1]), static_cast<std::int64_t>(d[2])};
    };
    const auto move_to = [&](std::size_t i, const IVec3& from_beginning) {
        atoms.x[i] += from_beginning - moved_so_far(i);
        at(atoms, i, displacement) = from_beginning.cast<double>();
    };
    const bool constrained = !system.constraints().empty();
    if (constrained) {
        for (std::size_t i = 0; i < owned(system); ++i) move_to(i, IVec3::Zero());
        system.update_halo();
        atoms.x_ref = atoms.x;
    }
    for (std::size_t i = 0; i < owned(system); ++i)
        move_to(i, to_lattice(length * at(atoms, i, direction), position_unit));
    bool kept = true;
    if (constrained) {
        system.constrain_positions({.step = step.clock.step});
        kept = system.health.take_failure().empty();
        if (!kept) {
            system.health.take_warnings(); // of what is not done
            atoms.x = atoms.x_ref;
        }
        for (std::size_t i = 0; i < owned(system); ++i)
            at(atoms, i, displacement) = IVec3(atoms.x[i] - atoms.x_ref[i]).cast<double>();
        if (!kept) return false;
    }
    if (!publish_positions(system, step.recorder, step.clock.step)) step.clock.last = step.clock.step;
    return true;
}

LineMinimiser::Point LineMinimiser::try_point(Step& step, double length)
{
    Point point{.length = length, .possible = go_to(step, length)};
    if (!point.possible) return point;
    auto& system = step.system;
    system.compute_forces(true);
    point.energy = system.totals().descent;
    project_forces(step);
    auto& atoms = system.atoms;
    point.slope = -sum_of_products(
        system, [&](std::size_t i) -> Vec3 { return present_force(atoms, i); },
        [&](std::size_t i) -> Vec3 { return at(atoms, i, direction); });
    return point;
}

/// Between the points, where the slope is expected to be zero; beyond the lower one, if there is no other yet.
double LineMinimiser::next_length(const Point& low, const Point& high, bool bounded)
{
    if (!bounded) return 3.0 * low.length;
    const double width = high.length - low.length;
    if (!high.possible || !(high.slope > 0.0)) return low.length + 0.3 * width;
    return low.length + std::clamp(low.slope / (low.slope - high.slope), 0.1, 0.9) * width;
}

/// Looks for a place on the line with a small slope, where the energy is not above that of its beginning: the
/// approximate conditions of W. W. Hager, H. Zhang, SIAM J. Optim. 16, 170 (2005), which forces of limited precision
/// can satisfy. Ends at the best place that it has found, with the forces there.
void LineMinimiser::search(Step& step, int128 energy, bool along_forces)
{
    auto& system = step.system;
    auto& atoms = system.atoms;
    const auto allowed = energy + to_fixed(tolerance * std::abs(system.totals().potential));
    double fastest = 0.0;
    for (std::size_t i = 0; i < owned(system); ++i) fastest = std::max(fastest, length_of(at(atoms, i, direction)));
    fastest = largest(system.comm(), fastest);
    const double slope = -inner(system, force, direction), most = longest * emstep_ / fastest;

    ++step.clock.step;
    Point low{.length = 0.0, .energy = energy, .slope = slope}, high, trial = low, lowest = low;
    bool bounded = false, done = false;
    double length = std::min(most, first_trial(gain_ > 0.0 ? gain_ / -slope : emstep_ / fastest));
    for (int n = 0; n < most_trials; ++n) {
        trial = try_point(step, length);
        const bool lower = trial.possible && trial.energy <= allowed;
        if (trial.possible && trial.energy < lowest.energy) lowest = trial;
        if (lower && (trial.slope < 0.0 || std::abs(trial.slope) <= flat * std::abs(slope)))
            low = trial;
        else {
            high = trial;
            bounded = true;
        }
        done = low.length > 0.0 && std::abs(low.slope) <= flat * std::abs(slope);
        if (done || (!bounded && length >= most)) break;
        length = std::min(most, next_length(low, high, bounded));
        if (length * fastest < smallest_length) break;
    }
    // Where forces are not continuous, as at a cutoff, no slope may be small enough.
    if (!done && lowest.energy < low.energy) low = lowest;
    if (trial.length != low.length || !trial.possible) {
        go_to(step, low.length);
        system.compute_forces(true);
    }
    if (low.length > 0.0) {
        gain_ = -low.length * slope;
        return;
    }
    if (along_forces) exhausted_ = 1.0;
    forget();
}

} // namespace holon
