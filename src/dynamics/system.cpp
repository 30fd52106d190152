#include <holon/dynamics/system.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/dynamics/scheme.hpp>
#include <holon/dynamics/scheme_check.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace holon {

std::vector<MoleculeClusters> clusters_of(const Topology& topology)
{
    std::vector<MoleculeClusters> clusters;
    for (const auto& molecule : topology.molecule_types) clusters.push_back(find_clusters(molecule));
    return clusters;
}

System::System(Communicator comm, std::shared_ptr<const Topology> topology, const Parameters& parameters,
               const Box& box, const std::optional<Box>& start_box, const IntermolecularTerms& intermolecular)
    : health(comm), constraint_errors(comm), comm_(std::move(comm)),
      topology_(with_masses_of_scheme(std::move(topology), parameters)), parameters_(parameters), box_(box),
      clusters_(clusters_of(*topology_)),
      forces_(comm_, *topology_, parameters_, box_, start_box.value_or(box), intermolecular),
      constraints_(*topology_, clusters_, solver_order(parameters), solver_settings(parameters, comm_)),
      partition_(comm_, *topology_, {clusters_, needs()}, parameters_, box_,
                 DomainGrid::choose(comm_.size(), box_, forces_.reach(), parameters.domains)),
      load_(comm_, parameters.load_balancing)
{
    if (scheme_entry(parameters.integrator).traits.minimises) health.allow_overlaps();
}

/// Which copies bonded terms and constraints ask for, and which numbers are kept with atoms.
std::vector<MoleculeNeeds> System::needs() const
{
    auto needs = forces_.needs(clusters_);
    constraints_.add_needs(needs);
    if (const auto kept = scheme_entry(parameters_.integrator).kept; kept != nullptr)
        for (std::size_t type = 0; type < needs.size(); ++type) {
            needs[type].kept.resize(topology_->molecule_types[type].atoms.size());
            for (auto& n : needs[type].kept) n = static_cast<std::uint8_t>(n + kept(parameters_));
        }
    return needs;
}

/// Fractional: below half a halo, or half an equal share where that is less, a domain has too many neighbours.
std::array<double, 3> System::thinnest_domain() const
{
    std::array<double, 3> least{};
    for (std::size_t k = 0; k < 3; ++k)
        least[k] = 0.5 * std::min(forces_.reach() / box_.height(static_cast<int>(k)), 1.0 / partition_.grid().n()[k]);
    return least;
}

void System::distribute(std::vector<AtomRecord> records, std::vector<KeptNumber> kept)
{
    partition_.distribute(std::move(records), std::move(kept), atoms, forces_.halo_widths());
    renew_local_lists();
    if (!forces_.settle_sites_in(force_context())) return;
    partition_.repartition(atoms, forces_.halo_widths());
    renew_local_lists();
}

void System::repartition()
{
    {
        const auto timer = timers.measure(Stage::repartition);
        const auto owned = std::span<const IVec3>(atoms.x).first(index(atoms.n_owned));
        if (const auto grid = load_.better(partition_.grid(), box_, owned, thinnest_domain()))
            partition_.set_grid(*grid);
        partition_.repartition(atoms, forces_.halo_widths());
    }
    renew_local_lists();
    flipped_ = false;
    ++n_repartitions_;
}

void System::renew_local_lists()
{
    scaling_groups_.reset();
    forces_.rebuild_terms(force_context());
    {
        const auto timer = timers.measure(Stage::repartition);
        constraints_.rebuild(atoms, directory_of(partition_));
    }
    forces_.rebuild_lists(force_context());
}

bool System::stale(const Votes& votes) const
{
    return flipped_ || !forces_.lists_hold(static_cast<double>(votes[Vote::displacement]) * position_unit);
}

void System::set_box(Mat3 vectors)
{
    const auto flips = Box::reduce(vectors, box_.lattice_bits());
    const bool flipped = flips != std::array<std::int32_t, 3>{};
    try {
        const Mat3 before = box_.vectors();
        box_ = Box(vectors, box_.lattice_bits());
        forces_.follow_box(flipped ? Mat3(Mat3::Identity()) : Mat3(before.inverse() * box_.vectors()));
    } catch (const InputError& error) {
        throw Failure(fmt::format("the box has changed beyond what is possible: {}", error.what()));
    }
    partition_.follow_box();
    if (comm_.root()) health.warn(forces_.outgrown_mesh());
    if (!flipped) return;
    for (auto& image : atoms.image) image = Box::after_flips(image, flips);
    flipped_ = true;
}

ScalingGroups& System::scaling_groups()
{
    if (!scaling_groups_)
        scaling_groups_ =
            std::make_unique<ScalingGroups>(comm_, *topology_, clusters_, parameters_.frozen_groups, partition_, atoms);
    return *scaling_groups_;
}

void System::place_sites()
{
    forces_.place_sites(force_context());
}

void System::update_halo()
{
    place_sites();
    start_halo_update();
    const auto timer = timers.measure(Stage::halo);
    partition_.halo().finish_positions(atoms.x);
}

void System::start_halo_update()
{
    const auto timer = timers.measure(Stage::halo);
    partition_.halo().start_positions(atoms.x);
}

void System::compute_forces(bool want_totals, ForceGroups groups, bool want_energies)
{
    forces_.compute(force_context(), groups, want_totals, want_energies);
}

ConstraintResult System::constrain_positions(const ConstraintStage& stage)
{
    const auto timer = timers.measure(Stage::constraints);
    auto result = constraints_.project_positions(atoms, box_, stage);
    health.note(result);
    constraint_errors.note_lengths(result);
    return result;
}

ConstraintResult System::constrain_velocities(const ConstraintStage& stage)
{
    const auto timer = timers.measure(Stage::constraints);
    auto result = constraints_.project_velocities(atoms, box_, stage);
    health.note(result);
    constraint_errors.note_velocities(result);
    return result;
}

Snapshot System::snapshot() const
{
    return {atoms.x, atoms.v, atoms.kept, state.globals()};
}

void System::restore(Snapshot&& before)
{
    atoms.x = std::move(before.x);
    atoms.v = std::move(before.v);
    state.set(before.globals);
    atoms.kept = std::move(before.kept);
    if (atoms.kept_begin.empty()) return;                  // on any rank: no method keeps numbers
    constraints_.rebuild(atoms, directory_of(partition_)); // solvers have copies of what they keep
}

void System::reverse()
{
    for (auto& v : atoms.v) v = -v;
    state.reverse();
}

void System::hold_frozen(Hold what)
{
    for (const auto& group : parameters_.frozen_groups) {
        const auto axes = std::ranges::count(group.axes, true);
        if (axes == 0 || (axes == 3 && what != Hold::at_start)) continue;
        for (std::size_t i = 0; i < index(atoms.n_owned); ++i) {
            if (!group.atoms.contains(atoms.id[i])) continue;
            for (int k = 0; k < 3; ++k) {
                if (!group.axes[index(k)]) continue;
                atoms.v[i][k] = 0;
                if (what == Hold::positions_too) atoms.x[i][k] = atoms.x_ref[i][k];
            }
        }
    }
}

std::uint64_t System::hash() const
{
    std::uint64_t hash = 0;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const auto atom = canonical(atoms, box_, i);
        hash += atom_hash(atom.id, atom.x, atom.image, atom.v);
        for_each_kept(atoms, index(i), [&hash](const KeptNumber& n) { hash += kept_hash(n.id, n.index, n.value); });
    }
    return static_cast<std::uint64_t>(comm_.sum(static_cast<std::int64_t>(hash))) + box_hash(box_) + state.hash();
}

/// Further than half the box since the list was built is no motion but an explosion.
bool System::exploding() const
{
    return forces_.largest_displacement(atoms) > box_.max_cutoff();
}

Votes System::vote(Votes mine) const
{
    mine[Vote::displacement] =
        static_cast<std::int64_t>(std::ceil(forces_.largest_displacement(atoms) / position_unit));
    if (health.failed() || exploding()) mine[Vote::failed] = 1;
    if (health.warned()) mine[Vote::warned] = 1;
    comm_.max(mine.values);
    return mine;
}

void System::fail_together(std::int64_t step) const
{
    health.fail_together(step, exploding() ? "an atom has moved by more than half the box within a few steps: the "
                                             "system is blowing up"
                                           : "");
}

} // namespace holon
