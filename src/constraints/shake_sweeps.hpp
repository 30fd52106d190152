#pragma once

#include "link_table.hpp"
#include "relaxation.hpp"

#include <span>
#include <vector>

namespace holon {

/// The sweeps of SHAKE over the constraints of all clusters: see shake.cpp.
class ShakeSweeps {
public:
    /// What a link needs while a stage lasts.
    struct Work {
        Vec3 r;                  // direction: reference bond, or present one in the velocity stage [nm]
        Vec3 s;                  // what is to be corrected: trial bond [nm], or relative velocity [nm/ps]
        double multiplier = 0.0; // sum over the sweeps [u, u/ps]
    };

    explicit ShakeSweeps(const SolverSettings& settings) : settings_(settings) {}

    /// Collective. See Solver::rebuild.
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory);

    /// Forgets the last stage; multipliers stay as they are.
    void start();

    /// Sweeps until every cluster is done or has failed: |s| = d, or r.s = 0. `guess`: per number, what its owned atom
    /// has been displaced by before, which is taken back where a cluster fails. Collective.
    void relax_lengths(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);
    void relax_rates(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);

    bool failed(const Link& link) const { return state_of(link.cluster) == State::failed; }

    /// Of a number, by all sweeps; to be rounded to the lattice once [nm, nm/ps].
    Vec3 displacement(std::size_t number) const;

    LinkTable table;
    std::vector<Work> work; // per link

private:
    enum class State : std::uint8_t { active, done, failed };
    struct Progress {
        State state = State::active;
        Relaxation relaxation;
        double error = 0.0;          // largest met in this sweep, on this rank
        std::int32_t corrected = -1; // the last link that was, on this rank
        std::int32_t failed = -1;    // the link that failed on this rank
    };

    bool adaptive() const { return settings_.shake_relaxation == 0.0; }
    template <class Rule>
    void relax(const Rule& rule, std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);
    template <class Rule>
    void relax_whole(const Rule& rule, std::size_t cluster, ConstraintResult& result);
    template <class Rule>
    void relax_cut(const Rule& rule, ConstraintResult& result);
    template <class Rule>
    State sweep(const Rule& rule, std::int32_t begin, std::int32_t end);
    void end_sweep(Progress& progress, double error) const;
    void mark(const LinkedCluster& cluster, State state);
    void share_errors(ConstraintResult& result);
    bool vote(ConstraintResult& result);
    void withdraw_failed(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);

    State state_of(std::int32_t cluster) const { return progress_[static_cast<std::size_t>(cluster)].state; }

    SolverSettings settings_;
    std::vector<Progress> progress_;   // per cluster
    std::vector<IVec3> displacements_; // per number: bits of doubles [nm, nm/ps]
    std::vector<std::uint64_t> mask_;  // a bit per cut cluster: corrected in this sweep; then as many: failed
    std::vector<std::int64_t> errors_; // ordered_bits() of the largest error met in this sweep, per cut cluster
};

} // namespace holon
