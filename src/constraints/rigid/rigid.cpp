/// Rigid bodies by their rotation: three equations for a body of any number of atoms.
///
/// The constraint forces between atoms that keep all their distances add up to no force and, about the positions r at
/// which they act, to no torque. With b the places of the atoms in the body, A its rotation at r = R + A b, s the trial
/// positions, S their centre of mass and I the inertia tensor along the principal axes, the positions x = S + A Q b
/// after the step hence have
///
///     sum m r x (x - s) = 0:   2 q0 I q + 2 q x (I q) = sum m b x A's
///
/// for the unit quaternion (q0, q) of Q, which Newton's method solves in three or four iterations. It is RATTLE with
/// all distances as constraints, also where these are singular as in planar bodies, and the discrete Euler equations
/// of J. Moser and A. P. Veselov, Commun. Math. Phys. 139, 217 (1991); R. I. McLachlan and A. Zanna, Found. Comput.
/// Math. 5, 87 (2005). For atoms in a line what is across the line determines the rest. Velocities become those of the
/// body's motion: v = V + w x r, I w = sum m r x v.
///
/// Other ways to turn a body by its angular momentum: dlm.cpp, no_squish.cpp.
///
/// A is not part of the state: it is found in x_ref each time, as the rotation that fits b best to it, so that errors
/// of the shape do not add up. The rotation comes from sums of m r b' and m s b' over the atoms; bodies of one shape
/// are done eight at a time, in rigid_kernel.cpp.
///
/// Across domains: every rank that owns an atom of a body solves for it as a whole, bit for bit alike, from copies of
/// all its atoms, after one exchange of what their owners have. The price: a large body is worked out on each of its
/// ranks, and held there in full.
#include "rigid.hpp"

#include "bonds/bond.hpp"
#include "cut_clusters/numbered_atoms.hpp"
#include "rigid_template.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include <algorithm>
#include <map>
#include <vector>

namespace holon {
namespace {

constexpr auto lanes = index(rigid::lanes);
constexpr std::size_t few_bodies = 16 * lanes; // too few for a thread

/// The bodies of one shape.
struct Kind {
    explicit Kind(const ClusterInstance& instance)
        : molecule_name(instance.molecule_type->name), shape(*instance.molecule_type, *instance.cluster)
    {
    }

    /// `places`: where each atom is in the arrays that the kernel works on.
    void add(std::int64_t molecule, bool counts, const std::vector<std::int32_t>& places)
    {
        const std::size_t batch = molecules.size() / lanes, first_lane = molecules.size() % lanes;
        if (first_lane == 0) atoms.resize((batch + 1) * places.size() * lanes);
        for (std::size_t a = 0; a < places.size(); ++a)
            for (std::size_t lane = first_lane; lane < lanes; ++lane)
                atoms[(batch * places.size() + a) * lanes + lane] = places[a];
        molecules.push_back(molecule);
        counted.push_back(counts);
    }
    void clear()
    {
        molecules.clear();
        counted.clear();
        atoms.clear();
    }

    std::size_t place(std::size_t body, std::size_t atom) const
    {
        return index(atoms[(body / lanes * shape.n_atoms() + atom) * lanes + body % lanes]);
    }
    std::size_t moments_per_batch() const { return 6 * lanes * index(shape.kernel().axes); }
    /// Number `part` of an axis: 0: where it points, 1: the moment along it.
    Vec3 moment(std::size_t body, int axis, std::size_t part) const
    {
        const double* const at =
            &moments[body / lanes * moments_per_batch() + (2 * index(axis) + part) * 3 * lanes + body % lanes];
        return {at[0], at[lanes], at[2 * lanes]};
    }

    std::string molecule_name;
    RigidTemplate shape;
    std::vector<std::int64_t> molecules; // per body
    std::vector<bool> counted;           // per body: whether its virial is, on this rank
    std::vector<std::int32_t> atoms;     // see rigid::Bodies
    std::vector<double> moments;         // likewise
};

/// Numbers of the lattice that the kernel works on.
struct Values {
    const std::vector<IVec3>& reference;
    std::vector<IVec3>&x, &v;
};

class RigidSolver final : public Solver {
public:
    /// Always solved to round-off: there is no tolerance.
    RigidSolver(const SolverSettings& settings, rigid::Rotation rotation) : comm_(settings.comm), rotation_(rotation) {}

    bool keeps_shapes() const override { return true; }
    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    /// Those that this rank owns whole as a group, in one frame; or the others.
    using Kinds = std::map<std::pair<const MoleculeType*, const ConstraintCluster*>, Kind>;

    template <class Id>
    void run(Kinds& kinds, const Values& values, bool velocities, const ConstraintStage& stage, Id id,
             ConstraintResult& result) const;
    void make_whole(std::vector<IVec3>& positions, const Box& box) const;
    void gather(const std::vector<IVec3>& of_atoms, std::vector<IVec3>& values) const;
    void add_changes(const std::vector<IVec3>& before, const std::vector<IVec3>& after,
                     std::vector<IVec3>& of_atoms) const;

    Communicator comm_;
    rigid::Rotation rotation_;
    Kinds whole_, cut_;
    // Of bodies that may be cut, by number:
    NumberedAtoms numbered_;
    std::vector<IVec3> reference_, x_, v_, before_;
};

bool RigidSolver::accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const
{
    const bool movable = std::ranges::all_of(
        cluster.atoms, [&](std::int32_t atom) { return molecule.atoms[index(atom)].inverse_mass() > 0.0; });
    return movable && (!cluster.shape.empty() || shape_of_distances(cluster).has_value());
}

void RigidSolver::add_needs(const MoleculeType&, const ConstraintCluster& cluster, MoleculeNeeds& needs) const
{
    need_whole_cluster(cluster, needs);
}

void RigidSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    for (auto* kinds : {&whole_, &cut_})
        for (auto& [cluster, kind] : *kinds) kind.clear();
    numbered_.clear(atoms.n_owned);
    for (const auto& instance : clusters) {
        const bool whole = instance.cluster->small;
        auto& kinds = whole ? whole_ : cut_;
        auto& kind = kinds.try_emplace({instance.molecule_type, instance.cluster}, instance).first->second;
        std::vector<std::int32_t> places;
        for (std::size_t k = 0; k < instance.cluster->atoms.size(); ++k)
            places.push_back(
                whole ? owned_index(instance, k, atoms, directory)
                      : numbered_.number_of(instance.molecule_start + instance.cluster->atoms[k], directory));
        kind.add(instance.molecule, whole || numbered_.owned(index(places.front())), places);
    }
    numbered_.connect(comm_, directory);
    for (auto* values : {&reference_, &x_, &v_, &before_}) values->assign(numbered_.size(), IVec3::Zero());
}

/// `id`: of the atom at a place.
template <class Id>
void RigidSolver::run(Kinds& kinds, const Values& values, bool velocities, const ConstraintStage& stage, Id id,
                      ConstraintResult& result) const
{
    VirialSum virial;
    for (auto& [cluster, kind] : kinds) {
        const auto n_atoms = kind.shape.n_atoms();
        const bool wants_virial = stage.force_factor != 0.0;
        if (wants_virial) kind.moments.resize((kind.molecules.size() + lanes - 1) / lanes * kind.moments_per_batch());
        const auto outcome =
            outcome_of_slices(kind.molecules.size(), few_bodies, [&](std::size_t begin, std::size_t end) {
                std::vector<double> work(9 * n_atoms * lanes);
                const rigid::Bodies bodies{
                    .n = static_cast<std::int64_t>(end - begin),
                    .shape = kind.shape.kernel(),
                    .rotation = rotation_,
                    .atoms = kind.atoms.data() + begin * n_atoms,
                    .x_ref = numbers_of(values.reference),
                    .x = numbers_of(values.x),
                    .v = numbers_of(values.v),
                    .inverse_dt = velocities ? 0.0 : inverse_step(stage),
                    .work = work.data(),
                    .moments = wants_virial ? kind.moments.data() + begin / lanes * kind.moments_per_batch() : nullptr};
                return velocities ? HOLON_CALL(rigid::velocities, bodies) : HOLON_CALL(rigid::positions, bodies);
            });
        result.residual = std::max(result.residual, outcome.residual);
        result.iterations = std::max(result.iterations, outcome.iterations);
        if (outcome.failed >= 0 && result.failure.empty()) {
            const auto body = index(outcome.failed);
            std::vector<AtomId> ids;
            for (std::size_t a = 0; a < n_atoms; ++a) ids.push_back(id(kind.place(body, a)));
            result.failure = failure_message(kind.molecule_name, kind.molecules[body], ids,
                                             velocities ? "the velocities of the rigid body can not be projected"
                                                        : "the rigid body has turned by 90 degrees or more in a step, "
                                                          "or an atom has moved by more than its radius",
                                             stage);
        }
        if (!wants_virial) continue;
        for (std::size_t body = 0; body < kind.molecules.size(); ++body)
            for (int axis = 0; axis < kind.shape.kernel().axes && kind.counted[body]; ++axis)
                virial.add(kind.moment(body, axis, 0), kind.moment(body, axis, 1), stage.force_factor);
    }
    virial.add_to(result.virial);
}

/// The atoms of each body in one frame, from one to the next that a link binds to it.
void RigidSolver::make_whole(std::vector<IVec3>& positions, const Box& box) const
{
    for (const auto& [cluster, kind] : cut_)
        for (std::size_t body = 0; body < kind.molecules.size(); ++body)
            for (const auto& [from, to] : kind.shape.chain()) {
                const auto& here = positions[kind.place(body, from)];
                auto& there = positions[kind.place(body, to)];
                there = here + box.minimum_image(there - here);
            }
}

/// Values of owned atoms.
void RigidSolver::gather(const std::vector<IVec3>& of_atoms, std::vector<IVec3>& values) const
{
    for (std::size_t n = 0; n < values.size(); ++n)
        if (numbered_.owned(n)) values[n] = of_atoms[index(numbered_.local(n))];
}

void RigidSolver::add_changes(const std::vector<IVec3>& before, const std::vector<IVec3>& after,
                              std::vector<IVec3>& of_atoms) const
{
    for (std::size_t n = 0; n < after.size(); ++n)
        if (numbered_.owned(n)) of_atoms[index(numbered_.local(n))] += after[n] - before[n];
}

ConstraintResult RigidSolver::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    ConstraintResult result;
    run(
        whole_, {atoms.x_ref, atoms.x, atoms.v}, false, stage, [&](std::size_t i) { return atoms.id[i]; }, result);

    for (std::size_t n = 0; n < numbered_.size(); ++n) reference_[n] = atoms.x_ref[index(numbered_.local(n))];
    gather(atoms.x, x_);
    numbered_.refresh(x_, result);
    make_whole(reference_, box);
    make_whole(x_, box);
    before_ = x_;
    std::ranges::fill(v_, IVec3::Zero());
    run(
        cut_, {reference_, x_, v_}, false, stage,
        [&](std::size_t n) { return numbered_.id(static_cast<std::int32_t>(n)); }, result);
    add_changes(before_, x_, atoms.x);
    std::ranges::fill(before_, IVec3::Zero());
    if (stage.dt > 0.0) add_changes(before_, v_, atoms.v);
    return result;
}

ConstraintResult RigidSolver::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    ConstraintResult result;
    run(
        whole_, {atoms.x, atoms.x, atoms.v}, true, stage, [&](std::size_t i) { return atoms.id[i]; }, result);

    for (std::size_t n = 0; n < numbered_.size(); ++n) x_[n] = atoms.x[index(numbered_.local(n))];
    gather(atoms.v, v_);
    numbered_.refresh(v_, result);
    make_whole(x_, box);
    before_ = v_;
    run(
        cut_, {x_, x_, v_}, true, stage, [&](std::size_t n) { return numbered_.id(static_cast<std::int32_t>(n)); },
        result);
    add_changes(before_, v_, atoms.v);
    return result;
}

} // namespace

std::unique_ptr<Solver> make_rigid_body_solver(const SolverSettings& settings, rigid::Rotation rotation)
{
    return std::make_unique<RigidSolver>(settings, rotation);
}

std::unique_ptr<Solver> make_rigid_solver(const SolverSettings& settings)
{
    return make_rigid_body_solver(settings, rigid::Rotation::of_impulses);
}

} // namespace holon
