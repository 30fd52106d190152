/// Newton's method on stars, one atom with one to four rigid bonds (X-H groups), eight at a time.
///
/// The equations are those of M-SHAKE (m_shake.cpp; V. Kraeutler, W. F. van Gunsteren, P. H. Huenenberger,
/// J. Comput. Chem. 22, 501 (2001)), and so are the order of all operations and the bits. Stars of as many arms share
/// batches, whatever their masses and lengths; each is solved as if it were alone, and stops on its own error. The
/// arithmetic is in star_kernel.cpp.
#include "star_kernel.hpp"

#include "bonds/bond.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include <vector>

namespace holon {
namespace {

using star::max_arms;

constexpr auto lanes = index(star::lanes);

star::Outcome run_positions(const star::Stars& stars)
{
    return HOLON_CALL(star::positions, stars);
}

star::Outcome run_velocities(const star::Stars& stars)
{
    return HOLON_CALL(star::velocities, stars);
}

/// What a star has in common with those of other molecules of its type.
struct Shape {
    std::string molecule_name;
    std::size_t arms;
    std::array<std::size_t, max_arms + 1> members{}; // centre, ends of the arms: index in the cluster's atoms
    std::array<double, max_arms + 1> inverse_mass{}; // [1/u]
    std::array<double, max_arms> d2{};               // [nm^2]

    Shape(const MoleculeType& molecule, const ConstraintCluster& cluster)
        : molecule_name(molecule.name), arms(cluster.constraints.size())
    {
        const auto add = [&](std::size_t place, std::int32_t atom) {
            members[place] = index(std::ranges::lower_bound(cluster.atoms, atom) - cluster.atoms.begin());
            inverse_mass[place] = molecule.atoms[index(atom)].inverse_mass();
        };
        add(0, cluster.centre);
        for (std::size_t k = 0; k < arms; ++k) {
            const auto& c = cluster.constraints[k];
            add(k + 1, c.i == cluster.centre ? c.j : c.i);
            d2[k] = c.length * c.length;
        }
    }
};

/// The stars of as many arms, in the order of star::Stars.
struct Batches {
    std::vector<const Shape*> shapes;    // per star
    std::vector<std::int64_t> molecules; // per star
    std::vector<std::int32_t> atoms;
    std::vector<double> inverse_mass, d2, multipliers;

    void clear()
    {
        shapes.clear();
        molecules.clear();
        atoms.clear();
        inverse_mass.clear();
        d2.clear();
    }

    /// `local`: of centre and ends.
    void add(const Shape& shape, std::int64_t molecule, const std::array<std::int32_t, max_arms + 1>& local)
    {
        const std::size_t batch = shapes.size() / lanes, first_lane = shapes.size() % lanes;
        const std::size_t n_members = shape.arms + 1;
        if (first_lane == 0) {
            atoms.resize((batch + 1) * n_members * lanes);
            inverse_mass.resize(atoms.size());
            d2.resize((batch + 1) * shape.arms * lanes);
            multipliers.resize(d2.size());
        }
        for (std::size_t lane = first_lane; lane < lanes; ++lane) {
            for (std::size_t a = 0; a < n_members; ++a) {
                const std::size_t entry = (batch * n_members + a) * lanes + lane;
                atoms[entry] = local[a];
                inverse_mass[entry] = shape.inverse_mass[a];
            }
            for (std::size_t k = 0; k < shape.arms; ++k) d2[(batch * shape.arms + k) * lanes + lane] = shape.d2[k];
        }
        shapes.push_back(&shape);
        molecules.push_back(molecule);
    }

    std::size_t arms() const { return shapes.front()->arms; }
    std::size_t atom(std::size_t star, std::size_t member) const
    {
        return index(atoms[(star / lanes * (arms() + 1) + member) * lanes + star % lanes]);
    }
    double multiplier(std::size_t star, std::size_t arm) const
    {
        return multipliers[(star / lanes * arms() + arm) * lanes + star % lanes];
    }
};

class StarSolver final : public Solver {
public:
    /// Always solved to round-off: there is no tolerance.
    explicit StarSolver(const SolverSettings&) {}

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;
    ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) override;

private:
    template <class Kernel>
    ConstraintResult project(Atoms& atoms, const std::vector<IVec3>& reference, double inverse_dt, const char* trouble,
                             const ConstraintStage& stage, Kernel kernel);

    ShapeTable<Shape> shapes_;
    std::array<Batches, max_arms> batches_; // of one arm, two, ...
};

bool StarSolver::accepts(const MoleculeType&, const ConstraintCluster& cluster) const
{
    const auto holds_centre = [&](const Constraint& c) { return c.i == cluster.centre || c.j == cluster.centre; };
    return cluster.small && cluster.constraints.size() <= max_arms &&
           std::ranges::all_of(cluster.constraints, holds_centre);
}

void StarSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms, const AtomDirectory& directory)
{
    for (auto& batches : batches_) batches.clear();
    for (const auto& instance : clusters) {
        const auto& shape = shapes_[shapes_.index_of(instance)];
        std::array<std::int32_t, max_arms + 1> local{};
        for (std::size_t a = 0; a <= shape.arms; ++a)
            local[a] = owned_index(instance, shape.members[a], atoms, directory);
        batches_[shape.arms - 1].add(shape, instance.molecule, local);
    }
}

/// Either stage; `reference`: positions in the directions of which atoms move.
template <class Kernel>
ConstraintResult StarSolver::project(Atoms& atoms, const std::vector<IVec3>& reference, double inverse_dt,
                                     const char* trouble, const ConstraintStage& stage, Kernel kernel)
{
    ConstraintResult result;
    VirialSum virial;
    const bool wants_virial = stage.force_factor != 0.0;
    for (auto& batches : batches_) {
        if (batches.shapes.empty()) continue;
        constexpr std::size_t few_stars = 16 * lanes; // whole batches
        const std::size_t arms = batches.arms();
        const auto outcome =
            outcome_of_slices(batches.shapes.size(), few_stars, [&](std::size_t begin, std::size_t end) {
                return kernel(
                    star::Stars{.n = static_cast<std::int64_t>(end - begin),
                                .arms = static_cast<int>(arms),
                                .atoms = batches.atoms.data() + begin * (arms + 1),
                                .inverse_mass = batches.inverse_mass.data() + begin * (arms + 1),
                                .d2 = batches.d2.data() + begin * arms,
                                .x_ref = numbers_of(reference),
                                .x = numbers_of(atoms.x),
                                .v = numbers_of(atoms.v),
                                .inverse_dt = inverse_dt,
                                .multipliers = wants_virial ? batches.multipliers.data() + begin * arms : nullptr});
            });
        result.residual = std::max(result.residual, outcome.residual);
        result.iterations = std::max(result.iterations, outcome.iterations);
        if (outcome.failed >= 0 && result.failure.empty()) {
            const auto star = index(outcome.failed);
            std::vector<AtomId> ids;
            for (std::size_t a = 0; a <= batches.arms(); ++a) ids.push_back(atoms.id[batches.atom(star, a)]);
            std::ranges::sort(ids);
            result.failure =
                failure_message(batches.shapes[star]->molecule_name, batches.molecules[star], ids, trouble, stage);
        }
        if (!wants_virial) continue;
        for (std::size_t star = 0; star < batches.shapes.size(); ++star)
            for (std::size_t k = 0; k < batches.arms(); ++k) {
                const Vec3 r = bond_vector(reference[batches.atom(star, 0)], reference[batches.atom(star, k + 1)]);
                virial.add(r, -batches.multiplier(star, k) * r, stage.force_factor);
            }
    }
    virial.add_to(result.virial);
    return result;
}

ConstraintResult StarSolver::project_positions(Atoms& atoms, const Box&, const ConstraintStage& stage)
{
    return project(atoms, atoms.x_ref, inverse_step(stage),
                   "a bond has turned by 90 degrees or more, or no solution was found", stage, run_positions);
}

ConstraintResult StarSolver::project_velocities(Atoms& atoms, const Box&, const ConstraintStage& stage)
{
    return project(atoms, atoms.x, 0.0, "its velocities can not be projected", stage, run_velocities);
}

} // namespace

std::unique_ptr<Solver> make_star_solver(const SolverSettings& settings)
{
    return std::make_unique<StarSolver>(settings);
}

} // namespace holon
