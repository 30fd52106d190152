/// The Fixman potential, U = 1/2 kT ln det A, A_kl = C_kl s_k.s_l of the bonds s of a cluster, C of inverse masses.
///
/// Its gradient is 1/2 kT tr(A^-1 dA), and dA_kl = C_kl (ds_k.s_l + s_k.ds_l) is not zero only where constraints k and
/// l share an atom: dU = kT sum_k ds_k.w_k with w_k = sum_l C_kl (A^-1)_kl s_l. So no more is needed of the inverse
/// than its elements on the pattern of A.
///
/// They are found on the tree on which Newton's solver factorises the same matrix (newton/newton_tree.hpp), wherever
/// the domains cut: up with Schur complements, the determinant being the product of all pivots, and down with elements
/// of the inverse: those between the unknowns that a branch has left to its parent give those of its pivots (K.
/// Takahashi, J. Fagan, M.-S. Chin, Proc. 8th PICA Conf. (1973) 63; A. M. Erisman, W. F. Tinney, Commun. ACM 18, 177
/// (1975)). That costs about as much as two factorisations, in proportion to the number of constraints for chains.
///
/// Forces are rounded bond by bond and summed as integers, atoms at the cuts by their owners: the same bits on any
/// number of ranks.
#include <holon/constraints/fixman.hpp>

#include <holon/core/error.hpp>
#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include "bonds/bond.hpp"
#include "bonds/bond_vectors.hpp"
#include "newton/newton_kernel.hpp"
#include "newton/newton_ranks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace holon {

namespace {

using LocalBranch = BranchTable::LocalBranch;

/// Beyond this factor between a diagonal element and its pivot the constraints depend on each other.
constexpr double max_growth = 1e11;

/// It is constant for others.
bool changes_shape(const ConstraintCluster& cluster)
{
    return cluster.of_distances() && cluster.constraints.size() > 1;
}

/// The bonds of a leaf in the arrays of the kernels.
struct LeafBonds {
    std::vector<double> r, rows, pull;

    newton::Leaf arrays(const EliminationTree::Branch& shape)
    {
        r.resize(3 * shape.n_places());
        rows.resize(4 * shape.n_places());
        pull.resize(3 * newton::bundle_size * shape.n_bundles());
        newton::Leaf leaf{};
        leaf.n = static_cast<std::int64_t>(shape.n_places());
        leaf.n_links = std::ssize(shape.unknowns);
        leaf.n_own = shape.n_own;
        leaf.i = shape.i.data();
        leaf.j = shape.j.data();
        leaf.diagonal = shape.diagonal.data();
        leaf.inverse_mass_i = shape.inverse_mass_i.data();
        leaf.inverse_mass_j = shape.inverse_mass_j.data();
        leaf.r = r.data();
        leaf.rows = rows.data();
        leaf.n_bundles = static_cast<std::int64_t>(shape.n_bundles());
        leaf.links = shape.bundle_links.data();
        leaf.signs = shape.bundle_signs.data();
        leaf.pull = pull.data();
        leaf.n_couplings = std::ssize(shape.couplings);
        leaf.n_at_first = shape.n_at_first;
        leaf.couplings = shape.couplings.data();
        return leaf;
    }
};

} // namespace

class FixmanPotential::Impl {
public:
    Impl(const Communicator& comm, const Topology& topology, double temperature)
        : comm_(comm), topology_(topology), thermal_energy_(units::boltzmann * temperature)
    {
        for (const auto& molecule : topology.molecule_types) {
            if (!molecule.planes.empty())
                throw InputError(fmt::format("fixman = yes: molecule type {} has atoms that are held in planes, which "
                                             "the potential does not know. Use constraints = all-bonds.",
                                             molecule.name));
            clusters_.push_back(find_clusters(molecule));
        }
    }

    void rebuild(const Atoms& atoms, const AtomDirectory& directory);
    std::string add_forces(Atoms& atoms, const Box& box, ForceSums* sums);

private:
    std::vector<ClusterInstance> instances_here(const Atoms& atoms) const;
    void gather(const Atoms& atoms);
    void ascend(const Box& box, ForceSums* sums);
    void descend(const Box& box, ForceSums* sums);
    void scatter(Atoms& atoms);

    void assemble(const LocalBranch& leaf, const Box& box);
    void set_bonds(const LocalBranch& leaf, const Box& box);
    void take_from_children(const LocalBranch& branch);
    void eliminate(const LocalBranch& branch, ForceSums* sums);
    void invert(const LocalBranch& branch);
    void add_leaf_forces(const LocalBranch& leaf, ForceSums* sums);
    void add_bond_force(const LocalBranch& leaf, std::int64_t link, const Vec3& along, ForceSums* sums);

    std::span<double> values_of(const LocalBranch& branch)
    {
        return std::span(values_).subspan(branch.values, branch.shape->elimination.n_values() + 1); // and a spare one
    }
    template <class F>
    void for_tier(std::size_t tier, F f)
    {
        for (auto b = table_.tier_begin[tier]; b < table_.tier_begin[tier + 1]; ++b) f(table_.branches[b]);
    }

    Communicator comm_;
    const Topology& topology_;
    double thermal_energy_; // [kJ/mol]
    std::vector<MoleculeClusters> clusters_;
    ShapeTable<EliminationTree> trees_;
    BranchTable table_;

    std::vector<IVec3> x_, f_;   // per slot: an atom of a leaf
    std::vector<double> values_; // of all branches here: the matrix, its factors, its inverse
    std::vector<double> rhs_;    // of one branch, for nothing
    LeafBonds bonds_;            // of the leaf in work
    std::vector<Vec3> along_;    // per own link of the leaf in work: w
    std::vector<std::uint8_t> everyone_;
    ConstraintResult messages_; // counted for nobody
    std::string failure_;
};

/// Those of which this rank owns an atom, or all of it: see Solver::rebuild.
std::vector<ClusterInstance> FixmanPotential::Impl::instances_here(const Atoms& atoms) const
{
    std::vector<ClusterInstance> instances;
    std::set<std::pair<std::int64_t, std::int32_t>> seen; // molecule, index in it
    for (std::int32_t a = 0; a < atoms.n_owned; ++a) {
        const auto place = topology_.place(atoms.id[index(a)]);
        const auto& of_type = clusters_[index(place.molecule_type)];
        const auto c = of_type.cluster_of[index(place.index)];
        if (c < 0) continue;
        const auto& cluster = of_type.clusters[index(c)];
        if (!changes_shape(cluster)) continue;
        if (cluster.small ? place.index == cluster.atoms.front() : seen.insert({place.molecule, c}).second)
            instances.push_back({&topology_.molecule_types[index(place.molecule_type)], &cluster, c, place.molecule,
                                 place.molecule_start});
    }
    return instances;
}

void FixmanPotential::Impl::rebuild(const Atoms& atoms, const AtomDirectory& directory)
{
    table_.rebuild(
        comm_, instances_here(atoms),
        [this](const ClusterInstance& c) -> const EliminationTree& { return trees_[trees_.index_of(c)]; }, atoms,
        directory, TreeUse::selected_inverse);
    x_.resize(table_.local.size());
    f_.resize(table_.local.size());
    values_.resize(table_.n_values);
    std::size_t most = 0;
    for (const auto& branch : table_.branches) most = std::max(most, branch.shape->n_numbers());
    rhs_.resize(most);
    everyone_.assign(table_.clusters.size(), 1);
}

void FixmanPotential::Impl::gather(const Atoms& atoms)
{
    for (std::size_t s = 0; s < table_.local.size(); ++s)
        if (table_.local[s] >= 0) x_[s] = atoms.x[index(table_.local[s])];
    for (const auto& [atom, place] : table_.atoms_out)
        table_.to_leaves.outgoing<IVec3>({place.part, 2 * place.offset})[0] = atoms.x[atom];
    table_.to_leaves.run(everyone_, messages_);
    for (const auto& [slot, place] : table_.atoms_in)
        x_[slot] = table_.to_leaves.incoming<IVec3>({place.part, 2 * place.offset})[0];
}

void FixmanPotential::Impl::ascend(const Box& box, ForceSums* sums)
{
    for (std::size_t t = 0; t < table_.n_tiers(); ++t) {
        for_tier(t, [&](const LocalBranch& branch) {
            if (branch.shape->children.empty())
                assemble(branch, box);
            else
                take_from_children(branch);
            eliminate(branch, sums);
        });
        if (t + 1 < table_.n_tiers()) table_.up[t].run(everyone_, messages_);
    }
}

void FixmanPotential::Impl::descend(const Box& box, ForceSums* sums)
{
    for (std::size_t t = table_.n_tiers(); t-- > 0;) {
        if (t + 1 < table_.n_tiers()) table_.down[t].run(everyone_, messages_);
        for_tier(t, [&](const LocalBranch& branch) {
            invert(branch);
            if (!branch.shape->children.empty()) return;
            set_bonds(branch, box);
            add_leaf_forces(branch, sums);
        });
    }
}

void FixmanPotential::Impl::set_bonds(const LocalBranch& branch, const Box& box)
{
    const auto rows = rows_of(box);
    auto leaf = bonds_.arrays(*branch.shape);
    const bonds::Differences differences{.n = leaf.n,
                                         .values = x_[branch.slots].data(),
                                         .from = leaf.i,
                                         .to = leaf.j,
                                         .box = rows.data(),
                                         .unit = position_unit};
    HOLON_CALL(bonds::set_vectors, differences, bonds_.r.data());
    HOLON_CALL(bonds::set_rows, leaf.n, leaf.r, bonds_.rows.data());
    HOLON_CALL(newton::set_pulls, leaf);
}

void FixmanPotential::Impl::assemble(const LocalBranch& branch, const Box& box)
{
    set_bonds(branch, box);
    const auto values = values_of(branch);
    for (const auto position : branch.shape->filled) values[index(position)] = 0.0;
    HOLON_CALL(newton::set_rows, bonds_.arrays(*branch.shape), true, values.data());
}

void FixmanPotential::Impl::take_from_children(const LocalBranch& branch)
{
    const auto values = values_of(branch);
    std::ranges::fill(values, 0.0);
    for (std::size_t c = 0; c < branch.child_up.size(); ++c) {
        const auto& child = branch.shape->children[c];
        const auto& below = table_.clusters[index(branch.cluster)].tree->branches[index(child.branch)];
        const auto record = table_.up[index(below.tier)].template incoming<double>(branch.child_up[c]);
        for (std::size_t e = 0; e < child.positions.size(); ++e) values[index(child.positions[e])] += record[e];
    }
}

/// Factorises what is there of the matrix, counts its pivots, and hands the rest to the parent.
void FixmanPotential::Impl::eliminate(const LocalBranch& branch, ForceSums* sums)
{
    const auto& shape = *branch.shape;
    const auto values = values_of(branch);
    const auto rhs = std::span(rhs_).first(shape.n_numbers());
    std::ranges::fill(rhs, 0.0);
    if (!shape.elimination.factor(values, rhs, shape.scale, max_growth).is_sound && failure_.empty())
        failure_ = fmt::format("the Fixman potential of molecule {} ({}) is not finite: its constraints depend on each "
                               "other, at least nearly. Take out those that follow from the rest.",
                               table_.clusters[index(branch.cluster)].instance.molecule + 1,
                               table_.clusters[index(branch.cluster)].tree->molecule_name);
    if (sums != nullptr) {
        double logarithms = 0.0;
        for (std::int32_t p = 0; p < shape.n_pivots; ++p)
            logarithms += portable::log(shape.elimination.inverse_pivot(values, p) * shape.scale[index(p)]);
        sums->add(EnergyTerm::fixman, -0.5 * thermal_energy_ * logarithms);
    }
    if (shape.parent < 0) return;
    const auto record = table_.up[index(shape.tier)].template outgoing<double>(branch.up);
    for (std::size_t e = 0; e < shape.remaining.size(); ++e) record[e] = values[index(shape.remaining[e])];
}

/// Replaces the factors by elements of the inverse, and hands to the children what they need of them.
void FixmanPotential::Impl::invert(const LocalBranch& branch)
{
    const auto& shape = *branch.shape;
    const auto values = values_of(branch);
    if (shape.parent >= 0) {
        const auto record = table_.down[index(shape.tier)].template incoming<double>(branch.down);
        for (std::size_t e = 0; e < shape.remaining.size(); ++e) values[index(shape.remaining[e])] = record[e];
    }
    shape.elimination.invert(values);
    for (std::size_t c = 0; c < branch.child_down.size(); ++c) {
        const auto& child = shape.children[c];
        const auto& below = table_.clusters[index(branch.cluster)].tree->branches[index(child.branch)];
        const auto record = table_.down[index(below.tier)].template outgoing<double>(branch.child_down[c]);
        for (std::size_t e = 0; e < child.positions.size(); ++e) record[e] = values[index(child.positions[e])];
    }
}

/// w of each own link, and the forces that follow from it. The elements of A are those that newton::set_rows makes.
void FixmanPotential::Impl::add_leaf_forces(const LocalBranch& branch, ForceSums* sums)
{
    const auto& shape = *branch.shape;
    const auto leaf = bonds_.arrays(shape);
    const auto values = values_of(branch);
    values.back() = 0.0; // the place of what is not there
    std::ranges::fill(std::span(f_).subspan(branch.slots, shape.atoms.size()), IVec3::Zero());
    along_.assign(index(leaf.n_own), Vec3::Zero());
    for (std::int64_t k = 0; k < leaf.n_own; ++k) {
        const auto at = index(k);
        const Vec3 s(leaf.r[k], leaf.r[leaf.n + k], leaf.r[2 * leaf.n + k]);
        along_[at] = values[index(shape.diagonal[at])] * (shape.inverse_mass_i[at] + shape.inverse_mass_j[at]) * s;
    }
    for (std::int64_t c = 0; c < leaf.n_couplings; ++c) {
        const auto& [link, bundle, positions] = leaf.couplings[c];
        const double sign = c < leaf.n_at_first ? 1.0 : -1.0;
        const double* const pull = leaf.pull + 3 * newton::bundle_size * std::int64_t{bundle};
        for (int lane = 0; lane < newton::bundle_size; ++lane) {
            const Vec3 of_other(pull[lane], pull[newton::bundle_size + lane], pull[2 * newton::bundle_size + lane]);
            along_[index(link)] += sign * values[index(positions[lane])] * of_other;
        }
    }
    for (std::int64_t k = 0; k < leaf.n_own; ++k) add_bond_force(branch, k, along_[index(k)], sums);
}

/// Bonds point from i to j: the force is -kT w on j, and the opposite on i.
void FixmanPotential::Impl::add_bond_force(const LocalBranch& branch, std::int64_t link, const Vec3& along,
                                           ForceSums* sums)
{
    const auto& shape = *branch.shape;
    const Vec3 force = -thermal_energy_ * along;
    const IVec3 rounded(round_to_int_clamped(force[0] / force_unit), round_to_int_clamped(force[1] / force_unit),
                        round_to_int_clamped(force[2] / force_unit));
    f_[branch.slots + index(shape.j[index(link)])] += rounded;
    f_[branch.slots + index(shape.i[index(link)])] -= rounded;
    if (sums == nullptr) return;
    const auto n = static_cast<std::int64_t>(shape.n_places());
    sums->add_virial(Vec3(bonds_.r[index(link)], bonds_.r[index(n + link)], bonds_.r[index(2 * n + link)]), force);
}

/// Forces at the leaves go to the owners of the atoms.
void FixmanPotential::Impl::scatter(Atoms& atoms)
{
    for (auto b = table_.tier_begin[0]; b < table_.tier_begin[1]; ++b) {
        const auto& leaf = table_.branches[b];
        for (std::size_t a = 0; a < index(leaf.shape->n_moved); ++a)
            if (const auto atom = table_.local[leaf.slots + a]; atom >= 0) atoms.f[index(atom)] += f_[leaf.slots + a];
    }
    for (const auto& [slot, place] : table_.moves_out) table_.to_owners.outgoing<IVec3>(place)[0] = f_[slot];
    table_.to_owners.run(everyone_, messages_);
    for (const auto& [atom, place] : table_.moves_in) atoms.f[atom] += table_.to_owners.incoming<IVec3>(place)[0];
}

std::string FixmanPotential::Impl::add_forces(Atoms& atoms, const Box& box, ForceSums* sums)
{
    failure_.clear();
    gather(atoms);
    ascend(box, sums);
    descend(box, sums);
    scatter(atoms);
    return failure_;
}

FixmanPotential::FixmanPotential(const Communicator& comm, const Topology& topology, double temperature)
    : impl_(std::make_unique<Impl>(comm, topology, temperature))
{
}

FixmanPotential::~FixmanPotential() = default;

void FixmanPotential::rebuild(const Atoms& atoms, const AtomDirectory& directory)
{
    impl_->rebuild(atoms, directory);
}

std::string FixmanPotential::add_forces(Atoms& atoms, const Box& box, ForceSums* sums)
{
    return impl_->add_forces(atoms, box, sums);
}

} // namespace holon
