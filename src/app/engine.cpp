#include <holon/app/engine.hpp>

#include <holon/core/error.hpp>
#include <holon/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace holon {

namespace {

std::vector<MoleculeClusters> clusters_of(const Topology& topology)
{
    std::vector<MoleculeClusters> clusters;
    for (const auto& molecule : topology.molecule_types) clusters.push_back(find_clusters(molecule));
    return clusters;
}

std::shared_ptr<const MeshSettings> mesh_settings_for(const Parameters& parameters, const Box& box)
{
    if (parameters.coulomb == CoulombKind::mesh)
        return std::make_shared<const MeshSettings>(choose_mesh(parameters, box));
    if (parameters.coulomb == CoulombKind::ewald) return std::make_shared<const MeshSettings>(plain_ewald(parameters));
    return nullptr;
}

/// The parts of the electrostatics under the names that users know: with a mesh, short and long range.
void name_coulomb_terms(std::array<double, energy_term_count>& energy, CoulombKind kind)
{
    const auto move = [&energy](EnergyTerm from, EnergyTerm to) {
        energy[static_cast<std::size_t>(to)] += energy[static_cast<std::size_t>(from)];
        energy[static_cast<std::size_t>(from)] = 0.0;
    };
    if (kind == CoulombKind::ewald) return move(EnergyTerm::coulomb_short, EnergyTerm::coulomb_real);
    move(EnergyTerm::coulomb_exclusion, EnergyTerm::coulomb_short);
    move(EnergyTerm::coulomb_reciprocal, EnergyTerm::coulomb_long);
    move(EnergyTerm::coulomb_self, EnergyTerm::coulomb_long);
}

void check_cutoff(const Box& box, double cutoff)
{
    if (cutoff <= box.max_cutoff()) return;
    throw InputError(
        fmt::format("The box is too small: the cutoff, {:g} nm, must not exceed half the shortest box vector "
                    "or height, {:g} nm. Use a larger box or a shorter rcoulomb and rvdw.",
                    cutoff, box.max_cutoff()));
}

} // namespace

Engine::Engine(Communicator comm, std::shared_ptr<const Topology> topology, const Parameters& parameters,
               const Box& box)
    : comm_(std::move(comm)), topology_(std::move(topology)), parameters_(parameters), box_(box),
      mesh_settings_(mesh_settings_for(parameters, box)), nonbonded_(parameters, mesh_settings_),
      skin_(parameters.skin), clusters_(clusters_of(*topology_)), term_index_(*topology_),
      constraints_(*topology_, clusters_, solver_order(parameters), solver_settings(parameters, comm_)),
      partition_(comm_, *topology_, clusters_, needs(), parameters_, box_,
                 DomainGrid::choose(comm_.size(), box_, nonbonded_.cutoff() + skin_, parameters.domains)),
      load_(comm_, parameters.load_balancing), pair_lists_(*topology_, nonbonded_),
      pair_force_(*topology_, nonbonded_, parameters.precision, box_), bonded_forces_(*topology_, nonbonded_, box_),
      self_energy_(PairForce::self_energy(*topology_, nonbonded_)),
      dispersion_(dispersion_correction(*topology_, box.volume(), parameters))
{
    check_cutoff(box_, nonbonded_.cutoff());
    if (!mesh_settings_) return;
    const double factor = nonbonded_.coulomb_factor;
    long_range_ = parameters.coulomb == CoulombKind::mesh
                      ? make_mesh(comm_, *topology_, *mesh_settings_, box_, factor, parameters.precision)
                      : make_plain_ewald(comm_, *mesh_settings_->split, box_, factor, parameters.ewald_k_cutoff);
    mesh_constants_ = mesh_constants(*topology_, *mesh_settings_->split, box_, factor);
}

/// Which copies bonded terms and constraints ask for.
std::vector<MoleculeNeeds> Engine::needs() const
{
    auto needs = term_index_.needs(clusters_);
    constraints_.add_needs(needs);
    return needs;
}

/// Fractional: below half a halo, or half an equal share where that is less, a domain has too many neighbours.
std::array<double, 3> Engine::thinnest_domain() const
{
    std::array<double, 3> least{};
    for (std::size_t k = 0; k < 3; ++k)
        least[k] = 0.5 * std::min(halo_width() / box_.height(static_cast<int>(k)), 1.0 / partition_.grid().n()[k]);
    return least;
}

void Engine::distribute(std::vector<AtomRecord> records, std::vector<KeptNumber> kept)
{
    partition_.distribute(std::move(records), std::move(kept), atoms, halo_width());
    renew_local_lists();
}

void Engine::repartition()
{
    {
        const auto timer = timers.measure(Stage::repartition);
        const auto owned = std::span<const IVec3>(atoms.x).first(static_cast<std::size_t>(atoms.n_owned));
        if (const auto grid = load_.better(partition_.grid(), box_, owned, thinnest_domain()))
            partition_.set_grid(*grid);
        partition_.repartition(atoms, halo_width());
    }
    renew_local_lists();
    ++n_repartitions_;
}

void Engine::renew_local_lists()
{
    {
        const auto timer = timers.measure(Stage::repartition);
        bonded_forces_.set_up(term_index_.localise(atoms, partition_), atoms);
        constraints_.rebuild(atoms, {[this](AtomId id) { return partition_.local().find(id); },
                                     [this](std::int32_t copy) { return partition_.owner_of(copy); }});
    }
    const auto timer = timers.measure(Stage::pair_list);
    renew_pair_lists();
    if (long_range_) long_range_->set_up(atoms, pair_lists_.allowed_displacement());
}

void Engine::renew_pair_lists()
{
    const auto work = load_.measure();
    pair_lists_.build(atoms, partition_, skin_);
    pair_force_.set_up(pair_lists_, atoms);
}

bool Engine::stale(const Votes& votes) const
{
    return static_cast<double>(votes.displacement) * position_unit >= pair_lists_.allowed_displacement();
}

void Engine::update_halo()
{
    start_halo_update();
    finish_halo_update();
}

void Engine::start_halo_update()
{
    const auto timer = timers.measure(Stage::halo);
    partition_.halo().start_positions(atoms.x);
    halo_under_way_ = true;
}

void Engine::finish_halo_update()
{
    if (!std::exchange(halo_under_way_, false)) return;
    const auto timer = timers.measure(Stage::halo);
    partition_.halo().finish_positions(atoms.x);
}

void Engine::compute_forces(bool want_totals)
{
    load_.count_step();
    ForceSums sums;
    constexpr std::size_t few_atoms = 1024; // for a thread
    parallel_for(atoms.f.size(), few_atoms, [this](std::size_t begin, std::size_t end) {
        std::fill(atoms.f.data() + begin, atoms.f.data() + end, IVec3::Zero());
    });
    if (long_range_) {
        const auto timer = timers.measure(Stage::mesh);
        long_range_->start(atoms, want_totals ? &sums : nullptr);
    }
    finish_halo_update();
    // What is local comes between the stages of the mesh, whose messages need not be waited for then.
    const auto local = [&](Stage stage, const auto& add_forces) {
        {
            const auto timer = timers.measure(stage);
            const auto work = load_.measure();
            add_forces();
        }
        if (!long_range_) return;
        const auto timer = timers.measure(Stage::mesh);
        long_range_->advance();
    };
    local(Stage::pair, [&] { pair_lists_.load_positions(atoms); });
    local(Stage::pair, [&] { note_overlap(pair_force_.add_coulomb(pair_lists_, atoms)); });
    local(Stage::pair, [&] {
        note_overlap(pair_force_.add_vdw(pair_lists_, atoms));
        if (want_totals) pair_force_.add_totals(pair_lists_, atoms, sums);
    });
    {
        const auto timer = timers.measure(Stage::bonded);
        const auto work = load_.measure();
        note_overlap(bonded_forces_.add_forces(atoms, want_totals ? &sums : nullptr));
    }
    {
        const auto timer = timers.measure(Stage::halo);
        partition_.halo().start_accumulate(atoms.f);
    }
    if (long_range_) {
        const auto timer = timers.measure(Stage::mesh);
        note_failure(long_range_->add_forces(atoms));
        load_.add(long_range_->take_work_seconds());
    }
    {
        const auto timer = timers.measure(Stage::halo);
        partition_.halo().finish_accumulate(atoms.f);
    }
    if (want_totals) reduce(sums);
}

void Engine::note_failure(const std::string& problem)
{
    if (failure_.empty()) failure_ = problem;
}

void Engine::note_overlap(const std::string& problem)
{
    if (parameters_.integrator != IntegratorKind::steep) return note_failure(problem);
    if (overlap_.empty()) overlap_ = problem;
}

std::string Engine::take_overlap()
{
    return comm_.any(!overlap_.empty()) ? first_text(std::exchange(overlap_, {})) : std::string();
}

bool Engine::forget_failure()
{
    if (!any_failure()) return false;
    failure_.clear();
    warning_.clear();
    n_warnings_ = 0;
    return true;
}

double Engine::mesh_error()
{
    HOLON_ASSERT(parameters_.coulomb == CoulombKind::mesh, "there is no mesh");
    compute_forces(false);
    const auto forces = atoms.f;

    const auto settings = std::make_shared<const MeshSettings>(reference_mesh(parameters_, box_, *mesh_settings_));
    const NonbondedConstants constants(parameters_, settings);
    std::fill(atoms.f.begin(), atoms.f.end(), IVec3::Zero());
    std::string failures;
    // One after the other, for the memory that each needs; the mesh has many points and does without the pair lists.
    {
        PairForce pairs(*topology_, constants, Precision::real64, box_);
        pairs.set_up(pair_lists_, atoms);
        failures += pairs.add_coulomb(pair_lists_, atoms) + pairs.add_vdw(pair_lists_, atoms);
    }
    {
        BondedForces bonded(*topology_, constants, box_);
        bonded.set_up(term_index_.localise(atoms, partition_), atoms);
        failures += bonded.add_forces(atoms, nullptr);
    }
    pair_lists_.release();
    {
        const auto mesh =
            make_mesh(comm_, *topology_, *settings, box_, constants.coulomb_factor, parameters_.precision);
        mesh->set_up(atoms, pair_lists_.allowed_displacement());
        mesh->start(atoms, nullptr);
        failures += mesh->add_forces(atoms);
    }
    renew_pair_lists();
    partition_.halo().accumulate(atoms.f);

    FixedSum error, norm;
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) {
        error.add(to_real(forces[i] - atoms.f[i], force_unit).squaredNorm());
        norm.add(to_real(atoms.f[i], force_unit).squaredNorm());
    }
    comm_.sum(std::span(&error, 1));
    comm_.sum(std::span(&norm, 1));
    atoms.f = forces;
    return comm_.any(!failures.empty()) ? std::numeric_limits<double>::quiet_NaN()
                                        : std::sqrt(error.value() / norm.value());
}

void Engine::reduce(ForceSums& sums)
{
    comm_.sum(std::span(sums.energy));
    comm_.sum(std::span(sums.virial));
    comm_.sum(std::span(sums.position_force));
    // A rank without atoms has not set the unit; all that have agree.
    const auto bits = static_cast<int>(comm_.max(sums.position_force_bits));

    const auto at = [this](EnergyTerm term) -> double& { return totals_.energy[static_cast<std::size_t>(term)]; };
    for (std::size_t t = 0; t < energy_term_count; ++t) totals_.energy[t] = sums.energy[t].value();
    at(EnergyTerm::coulomb_short) += self_energy_;
    at(EnergyTerm::coulomb_self) += mesh_constants_.self + mesh_constants_.background;
    name_coulomb_terms(totals_.energy, parameters_.coulomb);
    at(EnergyTerm::lj_correction) += dispersion_.energy;
    totals_.potential = 0.0;
    for (const double energy : totals_.energy) totals_.potential += energy;
    if (parameters_.integrator == IntegratorKind::steep) {
        comm_.sum(std::span(&sums.excess, 1));
        descent_ = -sums.excess.raw();
        for (const auto& energy : sums.energy) descent_ += energy.raw();
    }
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            const auto k = static_cast<std::size_t>(3 * a + b);
            totals_.virial(a, b) = sums.virial[k].value() -
                                   0.5 * std::ldexp(static_cast<double>(sums.position_force[k].raw()), -bits) +
                                   (a == b ? dispersion_.virial_diagonal - 0.5 * mesh_constants_.background : 0.0);
        }
}

void Engine::note_problems(const ConstraintResult& result)
{
    note_failure(result.failure);
    if (n_warnings_ == 0) warning_ = result.warning;
    n_warnings_ += result.warnings;
}

ConstraintResult Engine::constrain_positions(const ConstraintStage& stage)
{
    const auto timer = timers.measure(Stage::constraints);
    auto result = constraints_.project_positions(atoms, box_, stage);
    note_problems(result);
    length_error_ = std::max(length_error_, result.residual);
    constraint_iterations_ = std::max(constraint_iterations_, result.iterations);
    return result;
}

ConstraintResult Engine::constrain_velocities(const ConstraintStage& stage)
{
    const auto timer = timers.measure(Stage::constraints);
    auto result = constraints_.project_velocities(atoms, box_, stage);
    note_problems(result);
    velocity_error_ = std::max(velocity_error_, result.residual);
    constraint_iterations_ = std::max(constraint_iterations_, result.iterations);
    return result;
}

Votes Engine::vote(Votes mine) const
{
    const double moved = std::sqrt(pair_lists_.largest_displacement2(atoms));
    mine.displacement = static_cast<std::int64_t>(std::ceil(moved / position_unit));
    // Further than half the box since the list was built is no motion but an explosion.
    if (!failure_.empty() || moved > box_.max_cutoff()) mine.failed = 1;
    if (n_warnings_ > 0) mine.warned = 1;
    static_assert(sizeof(Votes) % sizeof(std::int64_t) == 0);
    comm_.max(std::span(reinterpret_cast<std::int64_t*>(&mine), sizeof(Votes) / sizeof(std::int64_t)));
    return mine;
}

/// The text of the first rank that has one. Collective.
std::string Engine::first_text(std::string text) const
{
    const auto first = -comm_.max(text.empty() ? -std::int64_t{comm_.size()} : -std::int64_t{comm_.rank()});
    comm_.broadcast(text, static_cast<int>(first));
    return text;
}

std::pair<std::int64_t, std::string> Engine::take_warnings()
{
    return {comm_.sum(std::exchange(n_warnings_, 0)), first_text(std::exchange(warning_, {}))};
}

void Engine::fail_together(std::int64_t step) const
{
    std::string text = failure_;
    if (text.empty() && std::sqrt(pair_lists_.largest_displacement2(atoms)) > box_.max_cutoff())
        text = "an atom has moved by more than half the box within a few steps: the system is blowing up";
    text = first_text(std::move(text));
    while (!text.empty() && text.back() == '.') text.pop_back();
    const bool minimises = parameters_.integrator == IntegratorKind::steep;
    const char* const advice =
        minimises
            ? "Check the starting structure and the topology, or minimise without constraints first (constraints "
              "= none, and define = -DFLEXIBLE for water)"
            : "Check the starting structure (minimise it with integrator = steep), the time step and the topology";
    throw Failure(fmt::format("Step {}: {}. {}.", step, text, advice));
}

} // namespace holon
