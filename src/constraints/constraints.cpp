#include <holon/constraints/constraints.hpp>

#include <holon/core/error.hpp>

#include "bonds/bond.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace holon {

namespace {

constexpr double lincs_accuracy = 1e-6;

/// Below this, rounding of the bond vectors themselves keeps an iteration from ever stopping.
constexpr double least_tolerance = 1e-14;

void check(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    for (const auto& c : cluster.constraints) {
        if (!(c.length > 0.0) || !std::isfinite(c.length))
            throw InputError(
                fmt::format("Molecule type {}: the constraint of atoms {} and {} has length {:g} nm. Give it a "
                            "positive length.",
                            molecule.name, c.i + 1, c.j + 1, c.length));
        for (const auto atom : {c.i, c.j})
            if (!(molecule.atoms[static_cast<std::size_t>(atom)].mass > 0.0))
                throw InputError(
                    fmt::format("Molecule type {}: atom {} ({}) has no mass but is held by a constraint. Give it "
                                "a mass or remove the constraint.",
                                molecule.name, atom + 1, molecule.atoms[static_cast<std::size_t>(atom)].name));
    }
}

} // namespace

std::vector<std::string> solver_order(const Parameters& parameters)
{
    const auto& chosen = parameters.constraint_algorithm;
    if (chosen == "lincs") return {"settle", "star", "m_shake", "lincs", "newton"};
    if (chosen == "springs") return {"settle", "newton"}; // of rigid water, and to put the start onto constraints
    if (chosen == "shake" || chosen == "newton") return {"settle", "star", "m_shake", chosen};
    std::vector<std::string> order;
    const bool linked = chosen == "qshake" || chosen == "unit_newton"; // bodies that are not are for `rigid`
    for (const auto& name : {std::string("settle"), chosen, std::string(linked ? "rigid" : "star"), std::string("star"),
                             std::string("m_shake"), std::string("newton")})
        if (std::ranges::find(order, name) == order.end()) order.push_back(name);
    return order;
}

double constraint_tolerance(const Parameters& parameters)
{
    return parameters.constraint_algorithm == "lincs" ? std::min(parameters.shake_tol, lincs_accuracy)
                                                      : parameters.shake_tol;
}

double shake_relaxation(const Parameters& parameters)
{
    switch (parameters.shake_sor) {
    case OverRelaxation::automatic:
        return SolverSettings::suggested;
    case OverRelaxation::no:
        return 1.0;
    case OverRelaxation::yes:
        break;
    }
    return parameters.shake_omega; // 0: found out
}

SolverSettings solver_settings(const Parameters& parameters, const Communicator& comm)
{
    return {.tolerance = constraint_tolerance(parameters),
            .lincs_order = static_cast<int>(parameters.lincs_order),
            .lincs_iterations = static_cast<int>(parameters.lincs_iter),
            .lincs_warn_angle = parameters.lincs_warnangle,
            .shake_relaxation = shake_relaxation(parameters),
            .feedback_steps = parameters.feedback_steps,
            .shake_warm_start = parameters.shake_warm_start,
            .comm = comm};
}

ConstraintCluster settle_cluster(const Settle& settle)
{
    const std::int32_t o = settle.oxygen;
    ConstraintCluster cluster;
    cluster.atoms = {o, o + 1, o + 2};
    cluster.constraints = {{o, o + 1, settle.d_oh}, {o, o + 2, settle.d_oh}, {o + 1, o + 2, settle.d_hh}};
    cluster.colour_begin = {0, 1, 2, 3};
    cluster.centre = o;
    cluster.small = true;
    return cluster;
}

Constraints::Constraints(const Topology& topology, const std::vector<MoleculeClusters>& clusters,
                         const std::vector<std::string>& order, const SolverSettings& settings)
    : topology_(topology), types_(topology.molecule_types.size())
{
    HOLON_ASSERT(clusters.size() == types_.size(), std::to_string(clusters.size()));
    auto checked = settings;
    checked.tolerance = std::max(settings.tolerance, least_tolerance);
    checked.topology = &topology;
    checked.comm = settings.comm.working_on(while_waiting_);
    std::vector<SolverInUse> candidates;
    for (const auto& name : order) {
        auto solver = make_solver(name, checked);
        auto* const pieces = solver->in_pieces();
        candidates.push_back({name, std::move(solver), pieces, 0, 0, {}});
        rule_ += (rule_.empty() ? "" : ", ") + name;
    }
    for (std::size_t type = 0; type < types_.size(); ++type) {
        types_[type].clusters = clusters[type].clusters;
        for (const auto& settle : topology.molecule_types[type].settles)
            types_[type].clusters.push_back(settle_cluster(settle));
        assign(type, candidates);
    }
    // Only what has work, in this or another rank's part of the system, takes part in the steps.
    std::vector<int> kept(candidates.size(), -1);
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        if (candidates[k].clusters == 0) continue;
        kept[k] = static_cast<int>(solvers_.size());
        solvers_.push_back(std::move(candidates[k]));
    }
    for (auto& type : types_)
        for (auto& solver : type.solver_of) solver = kept[static_cast<std::size_t>(solver)];
}

void Constraints::assign(std::size_t type, std::vector<SolverInUse>& candidates)
{
    const auto& molecule = topology_.molecule_types[type];
    auto& own = types_[type];
    std::int64_t molecules = 0;
    for (const auto& block : topology_.blocks)
        if (static_cast<std::size_t>(block.type) == type) molecules += block.count;

    own.cluster_of.assign(molecule.atoms.size(), -1);
    for (std::size_t c = 0; c < own.clusters.size(); ++c) {
        const auto& cluster = own.clusters[c];
        check(molecule, cluster);
        const auto taker = std::ranges::find_if(
            candidates, [&](const SolverInUse& candidate) { return candidate.solver->takes(molecule, cluster); });
        if (taker == candidates.end())
            throw InputError(
                fmt::format("Molecule type {}: no constraint solver in use can take the {} constraints of atoms {}. "
                            "Choose another constraint-algorithm.",
                            molecule.name, cluster.n_constraints(), atom_list(molecule, cluster.atoms)));
        for (auto candidate = candidates.begin(); candidate != taker && molecules > 0; ++candidate)
            if (const auto why = candidate->solver->refusal(molecule, cluster); !why.empty())
                refusals_.push_back(fmt::format("Molecule type {}, the cluster of {} constraints from atom {} on goes "
                                                "to {}. {}.\n",
                                                molecule.name, cluster.n_constraints(), cluster.atoms.front() + 1,
                                                taker->name, why));
        taker->clusters += molecules;
        taker->constraints += molecules * cluster.n_constraints();
        own.solver_of.push_back(static_cast<int>(taker - candidates.begin()));
        for (const auto atom : cluster.atoms)
            own.cluster_of[static_cast<std::size_t>(atom)] = static_cast<std::int32_t>(c);
    }
}

void Constraints::rebuild(const Atoms& atoms, const AtomDirectory& directory)
{
    std::set<std::pair<std::int64_t, std::int32_t>> seen; // large clusters: molecule, index in it
    for (std::int32_t a = 0; a < atoms.n_owned; ++a) {
        const auto place = topology_.place(atoms.id[static_cast<std::size_t>(a)]);
        const auto& type = types_[static_cast<std::size_t>(place.molecule_type)];
        const auto index = type.cluster_of[static_cast<std::size_t>(place.index)];
        if (index < 0) continue;
        const auto& cluster = type.clusters[static_cast<std::size_t>(index)];
        const bool take =
            cluster.small ? place.index == cluster.atoms.front() : seen.insert({place.molecule, index}).second;
        if (!take) continue;
        auto& solver = solvers_[static_cast<std::size_t>(type.solver_of[static_cast<std::size_t>(index)])];
        solver.instances.push_back({&topology_.molecule_types[static_cast<std::size_t>(place.molecule_type)], &cluster,
                                    index, place.molecule, place.molecule_start});
    }
    for (auto& used : solvers_) {
        used.solver->rebuild(used.instances, atoms, directory);
        used.instances = {};
    }
}

ConstraintResult Constraints::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    return project(atoms, box, stage, false);
}

ConstraintResult Constraints::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    HOLON_ASSERT(stage.dt > 0.0, std::to_string(stage.dt));
    return project(atoms, box, stage, true);
}

/// Clusters share no atoms: those of the solvers that can are done while the others wait for messages.
ConstraintResult Constraints::project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities)
{
    ConstraintResult result;
    while_waiting_.clear();
    for (auto& used : solvers_) {
        if (used.pieces == nullptr) continue;
        used.pieces->begin(atoms, stage, velocities);
        while_waiting_.add([pieces = used.pieces] { return pieces->piece(); });
    }
    for (auto& used : solvers_)
        if (used.pieces == nullptr)
            result += velocities ? used.solver->project_velocities(atoms, box, stage)
                                 : used.solver->project_positions(atoms, box, stage);
    while_waiting_.clear();
    for (auto& used : solvers_)
        if (used.pieces != nullptr) result += used.pieces->end();
    return result;
}

void Constraints::add_needs(std::vector<MoleculeNeeds>& needs) const
{
    for (std::size_t type = 0; type < types_.size(); ++type)
        for (std::size_t c = 0; c < types_[type].clusters.size(); ++c)
            if (const auto solver = types_[type].solver_of[c]; solver >= 0)
                solvers_[static_cast<std::size_t>(solver)].solver->add_needs(topology_.molecule_types[type],
                                                                             types_[type].clusters[c], needs[type]);
}

std::string Constraints::description() const
{
    std::string text = "each cluster to the first that takes it of " + rule_ + "\n";
    for (const auto& used : solvers_)
        text += fmt::format("{}: {} clusters, {} constraints\n", used.name, used.clusters, used.constraints);
    for (const auto& refusal : refusals_) text += refusal;
    return text;
}

} // namespace holon
