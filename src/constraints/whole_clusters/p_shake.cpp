/// P-SHAKE: SHAKE with preconditioned gradients, for rigid molecules.
/// P. Gonnet, J. Comput. Phys. 220, 740 (2007).
///
/// With G the gradients of the constraints and A = G M^-1 G^T at the reference, a move along row k of A^-1 G changes
/// constraint k alone, to first order. So the constraints are corrected one after the other, each along its row,
/// without what one undoes of another. In a rigid molecule A is the same in every orientation, and is inverted once,
/// for its shape. With B_km what bond m changes by along row k, a correction is
///
///     a = (s_k^2 - d_k^2) / (2 s_k.B_kk),  s_m -= a B_km,  l_m += a (A^-1)_km
///
/// for reference bonds r, trial bonds s and multipliers l: n^2 operations for n constraints in a sweep, without a
/// solution. The rows are those of the reference: the error falls by a constant factor, of the order of the angle by
/// which the molecule turns, and not quadratically. The velocity stage does the same with a = r_k.v_k / (r_k.B_kk).
///
/// Across domains: every rank that owns an atom of a molecule solves for it as a whole, bit for bit alike, from copies
/// of all its atoms, after one exchange of what their owners have.
#include "bonds/bond_vectors.hpp"
#include "cut_clusters/numbered_atoms.hpp"

#include <holon/constraints/rigid_shape.hpp>
#include <holon/core/index.hpp>

#include <Eigen/Cholesky>

#include <cmath>
#include <vector>

namespace holon {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr int max_iterations = 200;
/// Ratio of the pivots of A from which on the constraints depend on each other.
constexpr double least_pivot = 1e-10;

/// C_kl: what multiplier l does to bond k, in units of r_l [1/u].
Matrix couplings(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    const auto n = std::ssize(cluster.constraints);
    Matrix c = Matrix::Zero(n, n);
    for (std::ptrdiff_t k = 0; k < n; ++k)
        for (std::ptrdiff_t l = 0; l < n; ++l) {
            const auto &a = cluster.constraints[index(k)], &b = cluster.constraints[index(l)];
            for (const auto atom : {a.i, a.j}) {
                const int sign = ((a.j == atom) - (a.i == atom)) * ((b.j == atom) - (b.i == atom));
                c(k, l) += sign * molecule.atoms[index(atom)].inverse_mass();
            }
        }
    return c;
}

/// A^-1 of a molecule whose distances are all constraints; empty if there is none.
Matrix inverse_of(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    const auto shape = shape_of_distances(cluster);
    if (!shape) return {};
    const auto place = [&](std::int32_t atom) {
        return index(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
    };
    Matrix a = couplings(molecule, cluster);
    std::vector<Vec3> bonds;
    for (const auto& c : cluster.constraints) bonds.push_back((*shape)[place(c.j)] - (*shape)[place(c.i)]);
    for (std::ptrdiff_t k = 0; k < a.rows(); ++k)
        for (std::ptrdiff_t l = 0; l < a.cols(); ++l) a(k, l) *= dot(bonds[index(k)], bonds[index(l)]);
    const Eigen::LDLT<Matrix> factors(a);
    const auto pivots = factors.vectorD();
    if (!(pivots.minCoeff() > least_pivot * pivots.maxCoeff())) return {};
    return factors.solve(Matrix::Identity(a.rows(), a.cols()));
}

/// What a molecule has in common with others of its type.
struct Shape {
    Shape(const MoleculeType& molecule, const ConstraintCluster& cluster)
        : molecule_name(molecule.name), n(cluster.constraints.size()), inverse(inverse_of(molecule, cluster))
    {
        const Matrix c = couplings(molecule, cluster);
        for (std::size_t k = 0; k < n; ++k) {
            const auto& constraint = cluster.constraints[k];
            d2.push_back(constraint.length * constraint.length);
            for (const auto atom : {constraint.i, constraint.j})
                inverse_mass.push_back(molecule.atoms[index(atom)].inverse_mass());
            for (std::size_t m = 0; m < n; ++m) {
                for (std::size_t l = 0; l < n; ++l)
                    if (const double element = c(std::ptrdiff_t(m), std::ptrdiff_t(l)); element != 0.0)
                        terms.push_back(
                            {static_cast<std::int32_t>(l), element * inverse(std::ptrdiff_t(k), std::ptrdiff_t(l))});
                term_end.push_back(terms.size());
            }
        }
    }

    struct Term { // of B_km: factor times r_l
        std::int32_t l = 0;
        double factor = 0.0;
    };
    std::string molecule_name;
    std::size_t n; // constraints
    Matrix inverse;
    std::vector<double> d2, inverse_mass; // per constraint, of the two ends of each
    std::vector<Term> terms;              // of B_km, row by row
    std::vector<std::size_t> term_end;    // per (k, m)
};

struct Body {
    std::int64_t molecule = 0;
    std::int32_t shape = 0;
    bool counted = false;  // in sums over constraints on this rank
    std::size_t first = 0; // of its bonds
};

class PShakeSolver final : public Solver {
public:
    explicit PShakeSolver(const SolverSettings& settings) : settings_(settings) {}

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override
    {
        return cluster.shape.empty() && inverse_of(molecule, cluster).size() > 0;
    }
    std::string refusal(const MoleculeType& molecule, const ConstraintCluster& cluster) const override
    {
        if (accepts(molecule, cluster)) return {};
        return "P-SHAKE is for molecules whose distances are all constraints, none of which follows from the others";
    }
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return project(atoms, box, stage, false);
    }
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override
    {
        return project(atoms, box, stage, true);
    }

private:
    ConstraintResult project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities);
    std::int64_t solve(const Body& body, const ConstraintStage& stage, bool velocities);
    void finish(const Body& body, bool solved, const ConstraintStage& stage, VirialSum& virial,
                ConstraintResult& result);

    SolverSettings settings_;
    ShapeTable<Shape> shapes_;
    std::vector<Body> bodies_;
    NumberedAtoms numbered_;
    // Per place of a bond:
    std::vector<std::int32_t> i_, j_, local_i_, local_j_;
    BondVectors r_, s_;
    std::vector<double> multipliers_;
    std::vector<Vec3> rows_, bonds_;    // of the body in work: B_km, s
    std::vector<std::int32_t> targets_; // per number: the owned atom, or -1
    std::vector<IVec3> values_;         // per number: trial position or velocity, as the owner has it
    std::vector<Vec3> displacements_;   // per number [nm, nm/ps]; rounded to the lattice once
};

void PShakeSolver::add_needs(const MoleculeType&, const ConstraintCluster& cluster, MoleculeNeeds& needs) const
{
    need_whole_cluster(cluster, needs);
}

void PShakeSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                           const AtomDirectory& directory)
{
    bodies_.clear();
    numbered_.clear(atoms.n_owned);
    for (auto* ends : {&i_, &j_, &local_i_, &local_j_}) ends->clear();
    for (const auto& instance : clusters) {
        const auto number = [&](std::int32_t atom) {
            return numbered_.number_of(instance.molecule_start + atom, directory);
        };
        const bool counted = numbered_.owned(index(number(instance.cluster->atoms.front())));
        bodies_.push_back({instance.molecule, shapes_.index_of(instance), counted, i_.size()});
        for (const auto& constraint : instance.cluster->constraints) {
            i_.push_back(number(constraint.i));
            j_.push_back(number(constraint.j));
            local_i_.push_back(numbered_.local(index(i_.back())));
            local_j_.push_back(numbered_.local(index(j_.back())));
        }
    }
    numbered_.connect(settings_.comm, directory);
    const auto n = places_for(i_.size());
    for (auto* ends : {&i_, &j_}) ends->resize(n, 0);
    for (auto* ends : {&local_i_, &local_j_}) ends->resize(n, numbered_.size() > 0 ? numbered_.local(0) : 0);
    for (auto* vectors : {&r_, &s_}) vectors->resize(n);
    multipliers_.resize(n);
    values_.resize(numbered_.size());
    displacements_.resize(numbered_.size());
    targets_.resize(numbered_.size());
    for (std::size_t k = 0; k < targets_.size(); ++k) targets_[k] = numbered_.owned(k) ? numbered_.local(k) : -1;
}

ConstraintResult PShakeSolver::project(Atoms& atoms, const Box& box, const ConstraintStage& stage, bool velocities)
{
    ConstraintResult result;
    const auto& trial = velocities ? atoms.v : atoms.x;
    for (std::size_t k = 0; k < values_.size(); ++k)
        if (numbered_.owned(k)) values_[k] = trial[index(numbered_.local(k))];
    numbered_.refresh(values_, result);
    r_.set(velocities ? atoms.x : atoms.x_ref, local_i_, local_j_, &box);
    s_.set(values_, i_, j_, velocities ? nullptr : &box);
    std::ranges::fill(displacements_, Vec3::Zero());

    VirialSum virial;
    std::vector<bool> solved;
    for (const auto& body : bodies_) {
        const auto iterations = solve(body, stage, velocities);
        solved.push_back(iterations >= 0);
        result.iterations = std::max(result.iterations, iterations);
        finish(body, solved.back(), stage, virial, result);
    }
    virial.add_to(result.virial);
    move_atoms(atoms, velocities, inverse_step(stage), {targets_, numbers_of(displacements_), 3}, values_.data());
    s_.set(values_, i_, j_, velocities ? nullptr : &box);
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
        const auto& [molecule, shape, counted, first] = bodies_[b];
        for (std::size_t k = 0; k < shapes_[shape].n && counted && solved[b]; ++k) {
            const double d2 = shapes_[shape].d2[k];
            note_residual(result,
                          velocities ? rate_error(r_[first + k], s_[first + k], d2) : length_error(s_[first + k], d2));
        }
    }
    return result;
}

/// Sweeps over the constraints of a body until all are right. Sets its multipliers; returns the number of sweeps, or -1
/// if there is no solution.
std::int64_t PShakeSolver::solve(const Body& body, const ConstraintStage& stage, bool velocities)
{
    const auto& shape = shapes_[body.shape];
    const auto n = shape.n;
    rows_.assign(n * n, Vec3::Zero());
    bonds_.resize(n);
    for (std::size_t km = 0, t = 0; km < n * n; ++km)
        for (; t < shape.term_end[km]; ++t)
            rows_[km] += shape.terms[t].factor * r_[body.first + index(shape.terms[t].l)];
    for (std::size_t k = 0; k < n; ++k) {
        bonds_[k] = s_[body.first + k];
        multipliers_[body.first + k] = 0.0;
    }
    for (std::int64_t sweep = 0; sweep <= max_iterations; ++sweep) {
        double largest = 0.0;
        for (std::size_t k = 0; k < n; ++k) {
            const double along = dot(bonds_[k], r_[body.first + k]);
            if (!velocities && !(along > min_cosine * shape.d2[k])) return -1;
            const double g = velocities ? along * stage.dt : 0.5 * (dot(bonds_[k], bonds_[k]) - shape.d2[k]);
            if (!std::isfinite(g)) return -1;
            largest = std::max(largest, std::abs(g) / shape.d2[k]);
        }
        if (largest <= settings_.tolerance) return sweep;
        for (std::size_t k = 0; k < n; ++k) {
            const Vec3& own = rows_[k * n + k];
            const Vec3 r = r_[body.first + k], s = bonds_[k];
            const double a = velocities ? dot(r, s) / dot(r, own) : 0.5 * (dot(s, s) - shape.d2[k]) / dot(s, own);
            for (std::size_t m = 0; m < n; ++m) {
                bonds_[m] -= a * rows_[k * n + m];
                multipliers_[body.first + m] += a * shape.inverse(std::ptrdiff_t(k), std::ptrdiff_t(m));
            }
        }
    }
    return -1;
}

/// Displacements and virial of a body, or what is wrong with it.
void PShakeSolver::finish(const Body& body, bool solved, const ConstraintStage& stage, VirialSum& virial,
                          ConstraintResult& result)
{
    const auto& shape = shapes_[body.shape];
    for (auto b = body.first; b < body.first + shape.n && solved; ++b) {
        const Vec3 moment = multipliers_[b] * r_[b];
        displacements_[index(i_[b])] += shape.inverse_mass[2 * (b - body.first)] * moment;
        displacements_[index(j_[b])] -= shape.inverse_mass[2 * (b - body.first) + 1] * moment;
        if (body.counted && stage.force_factor != 0.0) virial.add(r_[b], -moment, stage.force_factor);
    }
    if (solved || !result.failure.empty()) return;
    std::vector<AtomId> ids;
    for (auto b = body.first; b < body.first + shape.n; ++b)
        for (const auto number : {i_[b], j_[b]}) ids.push_back(numbered_.id(number));
    std::ranges::sort(ids);
    ids.erase(std::ranges::unique(ids).begin(), ids.end());
    result.failure = failure_message(shape.molecule_name, body.molecule, ids,
                                     "a bond has turned by 90 degrees or more, or no solution was found", stage);
}

} // namespace

std::unique_ptr<Solver> make_p_shake_solver(const SolverSettings& settings)
{
    return std::make_unique<PShakeSolver>(settings);
}

} // namespace holon
