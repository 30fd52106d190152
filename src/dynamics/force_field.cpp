#include <holon/dynamics/force_field.hpp>

#include <holon/core/error.hpp>
#include <holon/core/parallel.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace holon {

namespace {

constexpr double box_growth = 0.03; // relative, of each vector: further, the mesh is worse than it should be

/// For the whole run: the mesh of a box that will change is good for one that is somewhat longer.
std::shared_ptr<const MeshSettings> mesh_settings_for(const Parameters& parameters, const Box& start_box)
{
    const bool grows = parameters.changes_box() && parameters.mesh == MeshKind::esp;
    const Box box = grows ? Box((1.0 + box_growth) * start_box.master(), start_box.lattice_bits()) : start_box;
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
        if (group_ > 0) std::swap(atoms_.f, atoms_.f_further[static_cast<std::size_t>(group_ - 1)]);
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
      mesh_settings_(mesh_settings_for(parameters, start_box)), nonbonded_(parameters, mesh_settings_),
      skin_(parameters.skin), group_(parameters.group_of_force_term), term_index_(topology),
      pair_lists_(topology, nonbonded_), pair_force_(topology, nonbonded_, parameters.precision, box_),
      bonded_forces_(topology, nonbonded_, box_), sites_(comm_, topology, box_),
      gathered_terms_(comm_, topology, nonbonded_, box_, parameters_, intermolecular), external_forces_(parameters_),
      self_energy_(PairForce::self_energy(topology, nonbonded_))
{
    if (mesh_settings_) {
        const double factor = nonbonded_.coulomb_factor;
        long_range_ = parameters.coulomb == CoulombKind::mesh
                          ? make_mesh(comm_, topology_, *mesh_settings_, box_, factor, parameters.precision)
                          : make_plain_ewald(comm_, mesh_settings_->split, box_, factor, parameters.ewald_k_cutoff);
    }
    use_volume();
}

void ForceField::use_volume()
{
    check_cutoff(box_, nonbonded_.cutoff());
    dispersion_ = dispersion_correction(topology_, box_.volume(), parameters_);
    if (parameters_.changes_box())
        bonded_forces_.set_restraints({parameters_.refcoord_scaling, topology_, start_box_, box_});
    if (mesh_settings_)
        mesh_constants_ = mesh_constants(topology_, *mesh_settings_->split, box_, nonbonded_.coulomb_factor);
}

void ForceField::follow_box()
{
    use_volume();
    if (long_range_) long_range_->follow_box();
}

double ForceField::box_motion() const
{
    // Along a, b and c; images are one or, in small boxes, two vectors away, and so are ends of a rank's frame.
    constexpr double vectors = 2.0;
    return vectors * (box_.vectors() - box_of_lists_).rowwise().norm().sum();
}

void ForceField::rebuild_terms(const ForceContext& context)
{
    const auto timer = context.timers.measure(Stage::repartition);
    bonded_forces_.set_up(term_index_.localise(context.atoms, context.partition), context.atoms);
    sites_.rebuild(context.atoms, context.partition);
    gathered_terms_.set_up(context.atoms, context.partition);
    external_forces_.set_up(context.atoms);
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

void ForceField::compute(const ForceContext& context, ForceGroups groups, bool want_totals, bool want_energies)
{
    auto& [atoms, partition, load, health, timers, time] = context;
    auto& halo = partition.halo();
    const auto group = [this](ForceTerm term) { return int{group_[static_cast<std::size_t>(term)]}; };
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
    if (wanted(ForceTerm::bonded)) {
        const ForcesOfGroup forces(atoms, group(ForceTerm::bonded));
        const auto timer = timers.measure(Stage::bonded);
        const auto work = load.measure();
        health.note_overlap(bonded_forces_.add_forces(atoms, want_totals ? &sums : nullptr));
        health.note_overlap(gathered_terms_.add_forces(atoms, want_totals ? &sums : nullptr));
        external_forces_.add_forces(atoms, time);
    }
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
    const bool apart = group(ForceTerm::pair) != group(ForceTerm::bonded);
    if (apart && wanted(ForceTerm::bonded)) accumulate(group(ForceTerm::bonded), [] {});
    if (wanted(ForceTerm::pair))
        accumulate(group(ForceTerm::pair), finish_mesh);
    else
        finish_mesh();
    spread_from_sites(context, groups, want_totals ? &sums : nullptr);
    if (want_totals) reduce(sums);
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

void ForceField::reduce(ForceSums& sums)
{
    comm_.sum(std::span(sums.energy));
    comm_.sum(std::span(sums.virial));
    comm_.sum(std::span(sums.position_force));
    comm_.sum(std::span(&sums.excess, 1));
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
    totals_.descent = -sums.excess.raw();
    for (const auto& energy : sums.energy) totals_.descent += energy.raw();
    for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) {
            const auto k = static_cast<std::size_t>(3 * a + b);
            totals_.virial(a, b) = sums.virial[k].value() -
                                   0.5 * std::ldexp(static_cast<double>(sums.position_force[k].raw()), -bits) +
                                   (a == b ? dispersion_.virial_diagonal - 0.5 * mesh_constants_.background : 0.0);
        }
}

} // namespace holon
