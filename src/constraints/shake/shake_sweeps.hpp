#pragma once

#include <holon/core/index.hpp>

#include "bonds/bond_vectors.hpp"
#include "cut_clusters/link_table.hpp"
#include "relaxation.hpp"
#include "shake_kernel.hpp"

#include <span>
#include <vector>

namespace holon {

/// The sweeps of SHAKE over the constraints of all clusters: see shake.cpp.
class ShakeSweeps {
public:
    explicit ShakeSweeps(const SolverSettings& settings) : settings_(settings) {}

    /// Collective. See Solver::rebuild.
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory);

    /// Forgets the last stage; vectors and multipliers stay as they are.
    void start();

    /// Sweeps until every cluster is done or has failed: |s| = d, or r.s = 0. `guess`: per number, what its owned atom
    /// has been displaced by before, if it has, which is taken back where a cluster fails. Collective.
    void relax_lengths(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);
    void relax_rates(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);

    bool failed(const Link& link) const { return progress_of(link).failed >= 0; }

    /// By all sweeps, four for each number; to be rounded to the lattice once [nm, nm/ps].
    double* displacements() { return numbers_in(displacements_); }

    /// Of arrays for the kernels: blocks of eight may begin at any link.
    std::size_t n_places() const { return places_for(table.links.size() + shake::lanes); }

    LinkTable table;
    // Per place of a link, see shake::Links:
    std::vector<std::int32_t> i, j;
    BondVectors r, s;
    std::vector<double> multipliers;

private:
    struct Progress { // of a cluster
        Relaxation relaxation{};
        double error = 0.0;       // largest met in this sweep, relative to d^2, on this rank
        std::int32_t failed = -1; // a link that did on this rank, or `elsewhere`
        bool endless = false;     // it was the number of sweeps that did
    };
    static constexpr std::int32_t elsewhere = std::numeric_limits<std::int32_t>::max();

    bool adaptive() const { return settings_.shake_relaxation == 0.0; }
    double first_factor(const ClusterInstance& instance);
    template <class Correct>
    void relax(const Correct& correct, std::int64_t& first_vote, std::span<const Vec3> guess,
               const ConstraintStage& stage, ConstraintResult& result);
    template <class Correct>
    void relax_whole(const Correct& correct, const LinkBatch& batch, ConstraintResult& result);
    template <class Correct>
    void relax_cut(const Correct& correct, std::int64_t& first_vote, ConstraintResult& result);
    void set_tolerances(double tolerance);
    void note_failed(const LinkBatch::Run& run);
    void note_endless(const LinkBatch& batch);
    void leave_failed();
    void note_errors(const LinkBatch& batch);
    void adapt(const LinkBatch& batch);
    void share_errors(ConstraintResult& result);
    bool vote(std::int64_t since, ConstraintResult& result);
    std::int64_t sweeps_too_many() const;
    void withdraw_failed(std::span<const Vec3> guess, const ConstraintStage& stage, ConstraintResult& result);

    Progress& progress_of(const Link& link) { return progress_[index(link.cluster)]; }
    const Progress& progress_of(const Link& link) const { return progress_[index(link.cluster)]; }

    SolverSettings settings_;
    std::unordered_map<const MoleculeType*, KnownAngles> angles_;
    std::unordered_map<const ConstraintCluster*, double> suggested_;   // first factors
    std::int64_t first_vote_on_lengths_ = 1, first_vote_on_rates_ = 1; // sweep; the same on all ranks

    std::vector<Progress> progress_; // per cluster
    // Per place:
    std::vector<double> d2_, inverse_mass_i_, inverse_mass_j_, factors_, tolerances_, errors_;
    std::vector<double> rows_;                // four for each
    shake::Links links_{};                    // all this for the kernels
    std::vector<PaddedVec3> displacements_;   // per number [nm, nm/ps]
    std::vector<std::uint64_t> mask_;         // a bit per cut cluster: failed; behind them a word: see vote()
    std::vector<std::int64_t> shared_errors_; // ordered_bits() of Progress::error, per cut cluster
};

} // namespace holon
