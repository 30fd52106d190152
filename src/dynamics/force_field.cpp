#include <holon/dynamics/force_field.hpp>

#include <holon/constraints/fixman.hpp>
#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/parallel.hpp>
#include <holon/dynamics/energy_terms.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace holon {

namespace {

constexpr double box_growth = 0.03; // relative, of each vector: further, the mesh is worse than it should be

/// How many atoms have a charge.
double charges_of(const Topology& topology)
{
    std::int64_t n = 0;
    for (const auto& block : topology.blocks)
        n += block.count * std::ranges::count_if(topology.molecule_types[static_cast<std::size_t>(block.type)].atoms,
                                                 [](const TopologyAtom& atom) { return atom.charge != 0.0; });
    return static_cast<double>(n);
}

/// For the whole run: what is kept between expected errors and what is asked makes up for a box that grows somewhat.
std::shared_ptr<const MeshSettings> mesh_settings_for(const Topology& topology, const Parameters& parameters,
                                                      const Box& start_box)
{
    if (parameters.coulomb == CoulombKind::mesh) {
        auto settings = choose_mesh(parameters, start_box, charges_of(topology) / start_box.volume());
        if (parameters.mesh_ranks > 0) settings.most_ranks = parameters.mesh_ranks;
        return std::make_shared<const MeshSettings>(std::move(settings));
    }
    if (parameters.coulomb == CoulombKind::ewald) return std::make_shared<const MeshSettings>(plain_ewald(parameters));
    return nullptr;
}

void check_cutoff(const Box& box, double cutoff)
{
    if (cutoff <= box.max_cutoff()) return;
    throw InputError(
        fmt::format("The box is too small: the cutoff, {:.9g} nm, must not exceed half the shortest box vector "
                    "or height, {:.9g} nm. Use a larger box or a shorter rcoulomb and rvdw.",
                    cutoff, box.max_cutoff()));
}

/// While it lives, atoms.f is the array of another group.
class ForcesOfGroup {
public:
    ForcesOfGroup(Atoms& atoms, int group) : atoms_(atoms), group_(group) { swap(); }
    ~ForcesOfGroup() { swap(); }
    ForcesOfGroup(const ForcesOfGroup&) = delete;
    ForcesOfGroup& operator=(const ForcesOfGroup&) = delete;

private:
    void swap()
    {
        if (group_ > 0) std::swap(atoms_.f, atoms_.f_further[index(group_ - 1)]);
    }
    Atoms& atoms_;
    int group_;
};

void clear(std::vector<IVec3>& forces)
{
    constexpr std::size_t few_atoms = 1024; // for a thread
    parallel_for(forces.size(), few_atoms, [&forces](std::size_t begin, std::size_t end) {
        std::fill(forces.data() + begin, forces.data() + end, IVec3::Zero());
    });
}

} // namespace

ForceField::ForceField(Communicator comm, const Topology& topology, const Parameters& parameters, const Box& box,
                       const Box& start_box, const IntermolecularTerms& intermolecular)
    : comm_(std::move(comm)), topology_(topology), parameters_(parameters), box_(box), start_box_(start_box),
      mesh_settings_(mesh_settings_for(topology, parameters, start_box)), nonbonded_(parameters, mesh_settings_),
      skin_(parameters.skin), group_(parameters.group_of_force_term), term_index_(topology),
      pair_lists_(topology, nonbonded_), pair_force_(topology, nonbonded_, parameters.precision, box_),
      sites_(comm_, topology, box_), gathered_terms_(comm_, topology, nonbonded_, box_, parameters_, intermolecular),
      external_forces_(parameters_), group_energies_(parameters.energy_groups, topology.n_atoms()),
      self_energy_(self_energy(topology, nonbonded_))
{
    if (parameters.fixman) fixman_ = std::make_unique<FixmanPotential>(comm_, topology_, parameters.fixman_temperature);
    if (mesh_settings_) {
        const double factor = nonbonded_.coulomb_factor;
        long_range_ = parameters.coulomb == CoulombKind::mesh
                          ? make_mesh(comm_, topology_, *mesh_settings_, box_, factor, parameters.precision)
                          : make_plain_ewald(comm_, mesh_settings_->split, box_, factor, parameters.ewald_k_cutoff);
    }
    for (int g = 0; g <= *std::ranges::max_element(group_); ++g)
        bonded_forces_.emplace_back(topology, nonbonded_, box_);
    use_volume();
}

ForceField::~ForceField() = default;

void ForceField::use_volume()
{
    check_cutoff(box_, nonbonded_.cutoff());
    dispersion_ = dispersion_correction(topology_, box_.volume(), parameters_);
    if (parameters_.changes_box())
        for (auto& forces : bonded_forces_)
            forces.set_restraints({parameters_.refcoord_scaling, topology_, start_box_, box_});
    if (mesh_settings_)
        mesh_constants_ = mesh_constants(topology_, *mesh_settings_->split, box_, nonbonded_.coulomb_factor);
}

void ForceField::follow_box(const Mat3& map)
{
    use_volume();
    pair_lists_.follow_box(map);
    if (long_range_) long_range_->follow_box();
}

std::string ForceField::outgrown_mesh()
{
    if (outgrown_ || parameters_.coulomb != CoulombKind::mesh) return {};
    double ratio = 0.0;
    for (int k = 0; k < 3; ++k)
        ratio = std::max(ratio, box_.vectors().row(k).norm() / start_box_.vectors().row(k).norm());
    outgrown_ = ratio > 1.0 + box_growth;
    if (!outgrown_) return {};
    return fmt::format(
        "The box has grown by {:.1f} % since the start of the run, for which the mesh was chosen, and "
        "forces err more than was asked. Each restart measures by how much (md.log). A new run from this "
        "state, written by holon-inspect --gro, has a mesh for its box.",
        100.0 * (ratio - 1.0));
}

bool ForceField::lists_hold(double displacement) const
{
    // By as much a change of the box brings atoms together that the lists leave out, and either moves by half of it.
    const double strain = (box_of_lists_.inverse() * box_.vectors() - Mat3::Identity()).norm();
    // It moves both much further, as far as their distance from the origin, up to two vectors of the box along each
    // axis; frames of positions have room for half the skin, see PairList::choose_frames().
    const double along = 2.0 * (box_.vectors() - box_of_lists_).rowwise().norm().sum();
    const double allowed = pair_lists_.allowed_displacement();
    return displacement + 0.5 * strain * reach() < allowed && along < allowed;
}

void ForceField::rebuild_terms(const ForceContext& context)
{
    const auto timer = context.timers.measure(Stage::repartition);
    const auto terms = term_index_.localise(context.atoms, context.partition);
    for (std::size_t g = 0; g < bonded_forces_.size(); ++g) {
        LocalTermLists of_group;
        for (std::size_t k = 0; k < interaction_count; ++k)
            if (group_[static_cast<std::size_t>(force_term_of(interaction_info[k].energy))] == g)
                of_group[k] = terms[k];
        bonded_forces_[g].set_up(std::move(of_group), context.atoms);
    }
    sites_.rebuild(context.atoms, context.partition);
    gathered_terms_.set_up(context.atoms, context.partition);
    external_forces_.set_up(context.atoms);
    group_energies_.set_up(context.atoms);
    if (!fixman_) return;
    fixman_->rebuild(context.atoms, directory_of(context.partition));
}

void ForceField::rebuild_lists(const ForceContext& context)
{
    const auto timer = context.timers.measure(Stage::pair_list);
    box_of_lists_ = box_.vectors();
    {
        const auto work = context.load.measure();
        pair_lists_.build(context.atoms, context.partition, skin_);
        pair_force_.set_up(pair_lists_, context.atoms);
    }
    if (long_range_) long_range_->set_up(context.atoms, pair_lists_.allowed_displacement());
}

void ForceField::place_sites(const ForceContext& context)
{
    if (sites_.empty()) return;
    const auto timer = context.timers.measure(Stage::integrate);
    sites_.place(context.atoms);
}

double ForceField::largest_displacement(const Atoms& atoms) const
{
    return std::sqrt(pair_lists_.largest_displacement2(atoms));
}

bool ForceField::has_bonded(int group) const
{
    const auto kinds = {ForceTerm::bonded, ForceTerm::pair_14, ForceTerm::angle, ForceTerm::dihedral};
    return std::ranges::any_of(kinds, [&](ForceTerm term) { return group_[index(term)] == group; });
}

/// Bonded forces of these groups.
void ForceField::add_bonded(const ForceContext& context, ForceGroups groups, ForceSums* sums)
{
    auto& atoms = context.atoms;
    for (int g = 0; g < std::ssize(bonded_forces_); ++g) {
        if ((groups >> g & 1) == 0 || !has_bonded(g)) continue;
        const ForcesOfGroup forces(atoms, g);
        const auto timer = context.timers.measure(Stage::bonded);
        const auto work = context.load.measure();
        context.health.note_overlap(bonded_forces_[index(g)].add_forces(atoms, sums));
        if (g != group_[index(ForceTerm::bonded)]) continue;
        context.health.note_overlap(gathered_terms_.add_forces(atoms, sums));
        if (fixman_) context.health.note(fixman_->add_forces(atoms, box_, sums));
    }
}

void ForceField::compute(const ForceContext& context, ForceGroups groups, bool want_totals, bool want_energies)
{
    auto& [atoms, partition, load, health, timers, time] = context;
    auto& halo = partition.halo();
    const auto group = [this](ForceTerm term) { return int{group_[index(term)]}; };
    const auto wanted = [&](ForceTerm term) { return (groups >> group(term) & 1) != 0; };
    auto* mesh = long_range_ && wanted(ForceTerm::mesh) ? long_range_.get() : nullptr;
    load.count_step();
    ForceSums sums;
    atoms.f_further.resize(*std::ranges::max_element(group_), std::vector<IVec3>(atoms.f.size()));
    for (int g = 0; g <= std::ssize(atoms.f_further); ++g) {
        if ((groups >> g & 1) == 0) continue;
        const ForcesOfGroup forces(atoms, g);
        atoms.f.resize(atoms.x.size());
        clear(atoms.f);
    }
    if (mesh != nullptr) {
        const auto timer = timers.measure(Stage::mesh);
        mesh->start(atoms, want_totals ? &sums : nullptr);
    }
    {
        const auto timer = timers.measure(Stage::halo);
        halo.finish_positions(atoms.x);
    }
    // What is local comes between the stages of the mesh, whose messages need not be waited for then.
    const auto local = [&](Stage stage, const auto& add_forces) {
        {
            const auto timer = timers.measure(stage);
            const auto work = load.measure();
            add_forces();
        }
        if (mesh == nullptr) return;
        const auto timer = timers.measure(Stage::mesh);
        mesh->advance();
    };
    if (wanted(ForceTerm::pair)) {
        const ForcesOfGroup forces(atoms, group(ForceTerm::pair));
        local(Stage::pair, [&] { pair_lists_.load_positions(atoms); });
        local(Stage::pair, [&] { health.note_overlap(pair_force_.add_coulomb(pair_lists_, atoms)); });
        local(Stage::pair, [&] {
            health.note_overlap(pair_force_.add_vdw(pair_lists_, atoms));
            if (want_totals) pair_force_.add_totals(pair_lists_, atoms, sums, want_energies);
        });
    }
    add_bonded(context, groups, want_totals ? &sums : nullptr);
    const auto accumulate = [&](int g, const auto& meanwhile) {
        {
            const ForcesOfGroup forces(atoms, g);
            const auto timer = timers.measure(Stage::halo);
            halo.start_accumulate(atoms.f);
        }
        meanwhile();
        const ForcesOfGroup forces(atoms, g);
        const auto timer = timers.measure(Stage::halo);
        halo.finish_accumulate(atoms.f);
    };
    const auto finish_mesh = [&] {
        if (mesh == nullptr) return;
        const ForcesOfGroup forces(atoms, group(ForceTerm::mesh));
        const auto timer = timers.measure(Stage::mesh);
        health.note(mesh->add_forces(atoms));
        load.add(mesh->take_work_seconds());
    };
    for (int g = 0; g < std::ssize(bonded_forces_); ++g)
        if ((groups >> g & 1) != 0 && g != group(ForceTerm::pair) && has_bonded(g)) accumulate(g, [] {});
    if (wanted(ForceTerm::pair))
        accumulate(group(ForceTerm::pair), finish_mesh);
    else
        finish_mesh();
    spread_from_sites(context, groups, want_totals ? &sums : nullptr);
    if (!external_forces_.empty() && wanted(ForceTerm::bonded)) add_outside_forces(context);
    if (want_totals) reduce(sums);
    if (want_totals && want_energies && !group_energies_.empty()) {
        const auto timer = timers.measure(Stage::pair);
        sum_by_groups(atoms);
    }
}

/// What pairs have of the energies once more, one by one.
void ForceField::sum_by_groups(const Atoms& atoms)
{
    using enum GroupEnergies::Kind;
    auto& groups = group_energies_;
    groups.clear();
    const auto adding = [&groups](GroupEnergies::Kind kind) {
        return [&groups, kind](std::int32_t i, std::int32_t j, double energy) {
            groups.add(kind, groups.of_local(i), groups.of_local(j), energy);
        };
    };
    const auto add_term = [&groups](std::size_t a, std::size_t b, const BondedForces::PairTerm& term) {
        groups.add(term.of_14 ? lj_14 : lj, a, b, term.lj);
        groups.add(term.of_14 ? coulomb_14 : coulomb_short, a, b, term.coulomb);
    };
    pair_force_.for_each_energy(pair_lists_, atoms, adding(coulomb_short), adding(lj));
    for (const auto& bonded : bonded_forces_)
        bonded.for_each_pair(
            atoms, [&](const auto& term) { add_term(groups.of_local(term.i), groups.of_local(term.j), term); });
    gathered_terms_.for_each_pair(
        [&](AtomId i, AtomId j, const auto& term) { add_term(groups.of_atom(i), groups.of_atom(j), term); });
    // As in GROMACS what the mesh gives to each charge by itself is among these, too.
    const auto* mesh = nonbonded_.mesh.get();
    const double of_mesh = mesh != nullptr ? -0.5 * nonbonded_.coulomb_factor * mesh->split->smooth(0.0) : 0.0;
    for (std::int32_t i = 0; i < atoms.n_owned; ++i) {
        const double charge = atoms.charge[static_cast<std::size_t>(i)];
        const double own = self_energy(charge, nonbonded_) + of_mesh * charge * charge;
        groups.add(coulomb_short, groups.of_local(i), groups.of_local(i), own);
    }
    comm_.sum(groups.sums());
    totals_.of_groups = groups.values();
}

/// What virtual sites have of the forces goes to the atoms that they follow.
void ForceField::spread_from_sites(const ForceContext& context, ForceGroups groups, ForceSums* sums)
{
    if (sites_.empty()) return;
    auto& atoms = context.atoms;
    const auto timer = context.timers.measure(Stage::integrate);
    for (int g = 0; g <= std::ssize(atoms.f_further); ++g) {
        if ((groups >> g & 1) == 0) continue;
        const ForcesOfGroup forces(atoms, g);
        sites_.spread(atoms, atoms.f, sums);
    }
}

/// Belong to the group of bonded forces.
void ForceField::add_outside_forces(const ForceContext& context)
{
    auto& atoms = context.atoms;
    const auto timer = context.timers.measure(Stage::bonded);
    outside_forces_ = external_forces_.at(atoms, context.time);
    if (!sites_.empty()) sites_.spread(atoms, outside_forces_, nullptr);
    const ForcesOfGroup forces(atoms, group_[index(ForceTerm::bonded)]);
    for (std::size_t i = 0; i < outside_forces_.size(); ++i) atoms.f[i] += outside_forces_[i];
}

void ForceField::reduce(ForceSums& sums)
{
    std::vector<FixedSum> all; // at once
    const auto parts = {std::span<FixedSum>(sums.energy), std::span<FixedSum>(sums.virial),
                        std::span<FixedSum>(sums.position_force), std::span(&sums.excess, 1)};
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    comm_.sum(std::span(all));
    auto next = all.begin();
    for (const auto& part : parts)
        for (auto& sum : part) sum = *next++;
    const int bits = sums.position_force_bits; // all ranks have set it, if any has

    const auto at = [this](EnergyTerm term) -> double& { return totals_.energy[index(term)]; };
    for (std::size_t t = 0; t < energy_term_count; ++t) totals_.energy[t] = sums.energy[t].value();
    at(EnergyTerm::coulomb_short) += self_energy_;
    at(EnergyTerm::coulomb_self) += mesh_constants_.self + mesh_constants_.background;
    name_coulomb_terms(totals_.energy, parameters_.coulomb);
    at(EnergyTerm::lj_correction) += dispersion_.energy;
    totals_.potential = 0.0;
    for (const double energy : totals_.energy) totals_.potential += energy;
    totals_.descent = -sums.excess.raw();
    for (const auto& energy : sums.energy) totals_.descent += energy.raw();
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            const auto k = index(3 * a + b);
            totals_.virial(a, b) = sums.virial[k].value() -
                                   0.5 * std::ldexp(static_cast<double>(sums.position_force[k].raw()), -bits) +
                                   (a == b ? dispersion_.virial_diagonal - 0.5 * mesh_constants_.background : 0.0);
        }
}

} // namespace holon
