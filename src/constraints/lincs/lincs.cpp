/// P-LINCS: a truncated power series for the inverse of the constraint matrix, across domains.
/// B. Hess, H. Bekker, H. J. C. Berendsen, J. G. E. M. Fraaije, J. Comput. Chem. 18, 1463 (1997);
/// B. Hess, J. Chem. Theory Comput. 4, 116 (2008).
///
/// With unit vectors B along the reference bonds and S = 1/sqrt(1/m_i + 1/m_j), the matrix S B M^-1 B^T S is I - A, and
/// its inverse 1 + A + A^2 + ... up to `lincs-order`. First the projections on B get the lengths d; then, `lincs-iter`
/// times, the lengthening by rotation is taken off: the projection becomes sqrt(2 d^2 - l^2), l being the present
/// length. Constraints that close triangles, where A converges slowly, get as many terms again, of A within triangles.
/// In the velocity stage the same series removes r.v, and each iteration what the one before has left.
///
/// Across domains: each rank computes the constraints within `lincs-order` couplings of those at its atoms (and at the
/// atoms bound to these, so that it knows the errors that are left), from copies of their atoms, wherever their owners
/// are: one round of messages before the first expansion and one before each iteration. A term of the expansion is
/// computed as far out as later ones need it. Every owned atom gets the displacement that one rank would compute, bit
/// for bit. The price: work near the boundaries is done twice, and a rank that does not count the constraint that
/// failed does not know of it before the vote.
#include "bonds/bond_vectors.hpp"
#include "lincs_kernel.hpp"
#include "lincs_table.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <fmt/format.h>

#include <cmath>

namespace holon {
namespace {

/// Relative error of a length that no expansion that converges leaves.
constexpr double hopeless = 0.1;

class LincsSolver final : public Solver {
public:
    explicit LincsSolver(const SolverSettings& settings) : settings_(settings) {}

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override
    {
        return refusal(molecule, cluster).empty();
    }
    std::string refusal(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    ConstraintResult start(const std::vector<IVec3>& owned_values);
    void set_directions(const std::vector<IVec3>& positions, const Box& box);
    lincs::Matrix matrix_for(int term, const std::vector<double>& values) const;
    void correct();
    Vec3 displaced(std::size_t b) const;
    void expand();
    void inspect(const ConstraintStage& stage, ConstraintResult& result) const;
    std::string message(std::size_t b, const std::string& what, const ConstraintStage& stage) const;
    void add_virial(const ConstraintStage& stage, ConstraintResult& result) const;

    SolverSettings settings_;
    LincsTable table_;
    // Per place of a bond, see lincs::Bonds:
    BondVectors reference_, direction_, bond_;
    std::vector<double> multipliers_; // summed over iterations, along B [u nm, u nm/ps]
    std::vector<double> rhs_, next_, solution_;
    std::vector<double> rows_; // of directions, four numbers for each
    // Per coupling:
    std::vector<double> matrix_;        // A
    std::vector<std::int32_t> targets_; // per number: the owned atom, or -1
    // Per number, and to fill up the last block of eight:
    std::vector<IVec3> values_;             // trial position or velocity, as the owner has it
    std::vector<PaddedVec3> displacements_; // [nm, nm/ps]; rounded to the lattice once
    lincs::Bonds bonds_{};                  // all this for the kernels
};

std::string LincsSolver::refusal(const MoleculeType& molecule, const ConstraintCluster& cluster) const
{
    const auto spectrum = lincs_spectrum(KnownAngles(settings_.topology, molecule), molecule, cluster);
    if (spectrum.radius < 1.0) return {};
    return fmt::format("LINCS would not converge: the spectral radius of its matrix is {:.3f}, and must be below 1, "
                       "because of the constraints of atoms {}",
                       spectrum.radius, atom_list(molecule, spectrum.atoms));
}

void LincsSolver::add_needs(const MoleculeType& molecule, const ConstraintCluster& cluster, MoleculeNeeds& needs) const
{
    need_within_reach(LincsShape(molecule, cluster), settings_.lincs_order, cluster, needs);
}

void LincsSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    table_.rebuild(settings_.comm, settings_.lincs_order, clusters, atoms, directory);
    const auto n = table_.n_places();
    for (auto* per_bond : {&reference_, &direction_, &bond_}) per_bond->resize(n);
    for (auto* per_bond : {&multipliers_, &rhs_, &next_, &solution_}) per_bond->assign(n, 0.0);
    rows_.resize(4 * n);
    matrix_.resize(table_.factors.value.size());
    values_.resize(table_.numbered.size());
    targets_.resize(table_.numbered.size());
    for (std::size_t k = 0; k < targets_.size(); ++k)
        targets_[k] = table_.numbered.owned(k) ? table_.numbered.local(k) : -1;
    displacements_.resize(places_for(table_.numbered.size()));
    bonds_ = {.n = static_cast<std::int64_t>(n),
              .n_inner = static_cast<std::int64_t>(table_.n_within(0)),
              .i = table_.i.data(),
              .j = table_.j.data(),
              .length = table_.length.data(),
              .scale = table_.scale.data(),
              .reference = reference_.data(),
              .bond = bond_.data(),
              .inverse_mass_i = table_.inverse_mass_i.data(),
              .inverse_mass_j = table_.inverse_mass_j.data(),
              .direction = direction_.data(),
              .rows = rows_.data(),
              .rhs = rhs_.data(),
              .multiplier = multipliers_.data(),
              .displacement = numbers_in(displacements_)};
}

/// The rows of A, or of its factors, that a term of the expansion needs.
lincs::Matrix LincsSolver::matrix_for(int term, const std::vector<double>& values) const
{
    const auto n_rows = table_.n_within(settings_.lincs_order - term);
    return {static_cast<std::int64_t>(n_rows) / lincs::lanes, table_.factors.begin.data(), table_.factors.column.data(),
            values.data()};
}

/// Takes the values of the owned atoms, gets those of the copies, and forgets the last stage.
ConstraintResult LincsSolver::start(const std::vector<IVec3>& owned_values)
{
    ConstraintResult result;
    for (std::size_t n = 0; n < values_.size(); ++n)
        if (table_.numbered.owned(n)) values_[n] = owned_values[index(table_.numbered.local(n))];
    table_.numbered.refresh(values_, result);
    std::ranges::fill(displacements_, PaddedVec3{});
    std::ranges::fill(multipliers_, 0.0);
    result.iterations = table_.bonds.empty() ? 0 : 1 + settings_.lincs_iterations;
    return result;
}

/// B, and A from it.
void LincsSolver::set_directions(const std::vector<IVec3>& positions, const Box& box)
{
    reference_.set(positions, table_.local_i, table_.local_j, &box);
    HOLON_CALL(lincs::set_directions, bonds_);
    HOLON_CALL(bonds::set_rows, bonds_.n, direction_.data(), rows_.data());
    HOLON_CALL(lincs::set_couplings, bonds_, matrix_for(1, table_.factors.value), matrix_.data());
}

/// Solution = (1 + A + A^2 + ...) rhs; triangles get the next terms of their own.
void LincsSolver::expand()
{
    std::ranges::copy(rhs_, solution_.begin());
    auto* term = &rhs_;
    auto* next = &next_;
    for (int n = 1; n <= settings_.lincs_order; ++n) {
        HOLON_CALL(lincs::add_term, matrix_for(n, matrix_), term->data(), next->data(), solution_.data());
        std::swap(term, next);
    }
    for (int n = 0; n < settings_.lincs_order && !table_.triangle_bonds.empty(); ++n) {
        for (const auto& triangle : table_.triangle_bonds) {
            double sum = 0.0;
            for (auto t = triangle.begin; t < triangle.end; ++t) {
                const auto c = table_.triangle_couplings[index(t)];
                sum += matrix_[c] * (*term)[index(table_.factors.column[c])];
            }
            (*next)[index(triangle.bond)] = sum;
            solution_[index(triangle.bond)] += sum;
        }
        std::swap(term, next);
    }
}

/// Solves for the right-hand side, S times the excess along B, and displaces the atoms.
void LincsSolver::correct()
{
    expand();
    HOLON_CALL(lincs::displace, bonds_, solution_.data());
}

/// The bond, or relative velocity, as displaced so far.
Vec3 LincsSolver::displaced(std::size_t b) const
{
    const auto i = index(table_.i[b]), j = index(table_.j[b]);
    return bond_[b] + (displacements_[j].value - displacements_[i].value);
}

ConstraintResult LincsSolver::project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    auto result = start(atoms.x);
    set_directions(atoms.x_ref, box);
    bond_.set(values_, table_.i, table_.j, &box);
    HOLON_CALL(lincs::set_excess, bonds_, true);
    correct();
    for (int n = 0; n < settings_.lincs_iterations; ++n) {
        table_.numbered.refresh(displacements_, result);
        HOLON_CALL(lincs::set_lengthening, bonds_);
        correct();
    }
    inspect(stage, result);
    if (!result.failure.empty()) return result;
    add_virial(stage, result);

    // Those too far are left out: their bonds have failed where they are counted, or they are too far away to be known.
    move_atoms(atoms, false, inverse_step(stage), {targets_, numbers_in(displacements_), 4}, values_.data());
    bond_.set(values_, table_.i, table_.j, &box);
    note_residual(result, 0.5 * BondVectors::largest_error(bond_, bond_, &table_.d2, table_.per_d2));
    return result;
}

ConstraintResult LincsSolver::project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage)
{
    auto result = start(atoms.v);
    set_directions(atoms.x, box);
    bond_.set(values_, table_.i, table_.j, nullptr);
    for (int n = 0; n <= settings_.lincs_iterations; ++n) {
        if (n > 0) table_.numbered.refresh(displacements_, result);
        HOLON_CALL(lincs::set_excess, bonds_, false);
        correct();
    }
    const bool all_finite = HOLON_CALL(lincs::all_finite, bonds_);
    for (std::size_t b = 0; b < table_.bonds.size() && !all_finite; ++b)
        if (table_.bonds[b].counted && result.failure.empty() && !std::isfinite(displaced(b).squaredNorm()))
            result.failure = message(b, "its velocities can not be projected", stage);
    if (!result.failure.empty()) return result;
    add_virial(stage, result);

    move_atoms(atoms, true, 0.0, {targets_, numbers_in(displacements_), 4}, values_.data());
    bond_.set(values_, table_.i, table_.j, nullptr);
    note_residual(result, BondVectors::largest_error(reference_, bond_, nullptr, table_.per_d2));
    return result;
}

/// Fails for what LINCS can not put right; warns of bonds that turn too fast for it to be exact.
void LincsSolver::inspect(const ConstraintStage& stage, ConstraintResult& result) const
{
    const double warning_cosine = portable::cos(settings_.lincs_warn_angle * units::degree);
    const double usual_cosine = std::max(warning_cosine, min_cosine);
    if (!HOLON_CALL(lincs::any_unusual, bonds_, usual_cosine * usual_cosine, hopeless)) return;
    for (std::size_t b = 0; b < table_.bonds.size(); ++b) {
        if (!table_.bonds[b].counted) continue;
        const Vec3 s = displaced(b);
        const double cosine = dot(direction_[b], s) / std::sqrt(dot(s, s));
        const double error = length_error(s, table_.length[b] * table_.length[b]);
        if (!(cosine > min_cosine) || !std::isfinite(error))
            result.failure = message(b, "the bond has turned by 90 degrees or more, or is not finite", stage);
        else if (error > hopeless)
            result.failure = message(b,
                                     fmt::format("LINCS has left it {:.0f} % off its length; take a larger "
                                                 "lincs-order or lincs-iter, or constraint-algorithm = newton",
                                                 100.0 * error),
                                     stage);
        if (!result.failure.empty()) return;
        if (cosine >= warning_cosine) continue;
        ++result.warnings;
        if (result.warning.empty())
            result.warning = message(b,
                                     fmt::format("the bond has turned by {:.0f} degrees, more than lincs-warnangle",
                                                 std::acos(std::min(cosine, 1.0)) / units::degree), // only told
                                     stage);
    }
}

std::string LincsSolver::message(std::size_t b, const std::string& what, const ConstraintStage& stage) const
{
    const auto& instance = table_.clusters[index(table_.bonds[b].cluster)];
    const std::array<AtomId, 2> ids{table_.numbered.id(table_.i[b]), table_.numbered.id(table_.j[b])};
    return failure_message(instance.molecule_type->name, instance.molecule, ids, what.c_str(), stage);
}

void LincsSolver::add_virial(const ConstraintStage& stage, ConstraintResult& result) const
{
    if (stage.force_factor == 0.0) return;
    VirialSum virial;
    for (std::size_t b = 0; b < table_.bonds.size(); ++b)
        if (table_.bonds[b].counted) virial.add(reference_[b], -multipliers_[b] * direction_[b], stage.force_factor);
    virial.add_to(result.virial);
}

} // namespace

std::unique_ptr<Solver> make_lincs_solver(const SolverSettings& settings)
{
    return std::make_unique<LincsSolver>(settings);
}

} // namespace holon
