/// Rigid three-site water, positions in closed form.
/// S. Miyamoto, P. A. Kollman, J. Comput. Chem. 13, 952 (1992); names of angles and points are theirs.
///
/// Everything is relative to the first atom (oxygen), so that no precision is lost far from the origin; the centre of
/// mass stays where it is by construction. Velocities need a 3 x 3 linear system; its matrix is that of the bonds as
/// they are, not of the ideal triangle, so that r.v = 0 also where a start from a coordinate file is rigid to three
/// digits only. The arithmetic, for many waters at a time, is in settle_kernel.cpp.
#include "settle_kernel.hpp"

#include "bonds/bond.hpp"

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace holon {
namespace {

using settle::Triangle;
using settle::Waters;

constexpr std::size_t few_waters = 128; // too few for a thread; some microseconds

Triangle triangle_of(const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    const auto mass = [&](std::size_t k) { return molecule.atoms[index(cluster.atoms[k])].mass; };
    Triangle t{};
    t.m_o = mass(0);
    t.m_h = mass(1);
    for (const auto& c : cluster.constraints)
        (c.i == cluster.atoms[0] || c.j == cluster.atoms[0] ? t.d_oh2 : t.d_hh2) = c.length * c.length;
    t.w_h = t.m_h / (t.m_o + 2.0 * t.m_h);
    t.rc = 0.5 * std::sqrt(t.d_hh2);
    const double height = std::sqrt(t.d_oh2 - t.rc * t.rc);
    t.ra = 2.0 * t.w_h * height;
    t.rb = height - t.ra;
    return t;
}

/// The waters of one kind.
struct Kind {
    std::string molecule_name;
    Triangle triangle;
    std::vector<std::int64_t> molecules;
    std::vector<std::int32_t> atoms; // local, three for each: oxygen, hydrogens
    bool in_a_row = true;            // as they are where a domain keeps waters whole
    std::vector<double> moved;       // see settle::Waters
};

class SettleSolver final : public Solver, private PieceByPiece {
public:
    /// Exact: there is no tolerance.
    explicit SettleSolver(const SolverSettings&) {}

    bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const override;
    void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                 const AtomDirectory& directory) override;
    ConstraintResult project_positions(Atoms& atoms, const Box&, const ConstraintStage& stage) override
    {
        begin(atoms, stage, false);
        return end();
    }
    ConstraintResult project_velocities(Atoms& atoms, const Box&, const ConstraintStage& stage) override
    {
        begin(atoms, stage, true);
        return end();
    }
    PieceByPiece* in_pieces() override { return this; }

private:
    /// A stage under way.
    struct Work {
        Atoms* atoms = nullptr;
        const ConstraintStage* stage = nullptr;
        bool velocities = false;
        std::size_t kind = 0, water = 0; // the next, in kinds_ and in it
        ConstraintResult result = {};

        /// Positions in the directions of which atoms move.
        const std::vector<IVec3>& reference() const { return velocities ? atoms->x : atoms->x_ref; }
    };

    void begin(Atoms& atoms, const ConstraintStage& stage, bool velocities) override;
    bool piece() override;
    ConstraintResult end() override;

    bool advance(std::size_t most);
    void fail(const Kind& kind, std::size_t water);
    void add_virial();

    std::vector<Kind> kinds_;
    std::unordered_map<const ConstraintCluster*, std::size_t> kind_of_;
    Work work_;
};

bool SettleSolver::accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const
{
    if (!cluster.small || cluster.atoms.size() != 3 || cluster.constraints.size() != 3) return false;
    double arm[2] = {0.0, 0.0}; // first atom to the others
    double base = 0.0;
    for (const auto& c : cluster.constraints) {
        const auto low = std::min(c.i, c.j), high = std::max(c.i, c.j);
        (low != cluster.atoms[0] ? base : arm[high == cluster.atoms[2]]) = c.length;
    }
    const auto mass = [&](std::size_t k) { return molecule.atoms[index(cluster.atoms[k])].mass; };
    return base > 0.0 && arm[0] == arm[1] && 2.0 * arm[0] > base && mass(1) == mass(2);
}

void SettleSolver::rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                           const AtomDirectory& directory)
{
    for (auto& kind : kinds_) {
        kind.molecules.clear();
        kind.atoms.clear();
        kind.in_a_row = true;
    }
    for (const auto& instance : clusters) {
        const auto [entry, is_new] = kind_of_.try_emplace(instance.cluster, kinds_.size());
        if (is_new)
            kinds_.push_back({instance.molecule_type->name,
                              triangle_of(*instance.molecule_type, *instance.cluster),
                              {},
                              {},
                              true,
                              {}});
        auto& kind = kinds_[entry->second];
        kind.molecules.push_back(instance.molecule);
        for (std::size_t k = 0; k < 3; ++k) kind.atoms.push_back(owned_index(instance, k, atoms, directory));
        const auto* const last = kind.atoms.data() + kind.atoms.size() - 3;
        kind.in_a_row &= last[1] == last[0] + 1 && last[2] == last[0] + 2;
        kind.in_a_row &= kind.molecules.size() == 1 || last[-1] < last[0];
    }
    for (auto& kind : kinds_) kind.moved.resize(2 * kind.atoms.size());
}

void SettleSolver::begin(Atoms& atoms, const ConstraintStage& stage, bool velocities)
{
    work_ = {.atoms = &atoms, .stage = &stage, .velocities = velocities};
}

bool SettleSolver::piece()
{
    return advance(few_waters);
}

ConstraintResult SettleSolver::end()
{
    while (advance(std::numeric_limits<std::size_t>::max())) {
    }
    if (work_.stage->force_factor != 0.0) add_virial();
    return std::move(work_.result);
}

/// Does the next waters of a kind, up to so many; false: there are none.
bool SettleSolver::advance(std::size_t most)
{
    while (work_.kind < kinds_.size() && work_.water == kinds_[work_.kind].molecules.size()) {
        ++work_.kind;
        work_.water = 0;
    }
    if (work_.kind == kinds_.size()) return false;
    auto& kind = kinds_[work_.kind];
    auto& atoms = *work_.atoms;
    const std::size_t first = work_.water, n = std::min(most, kind.molecules.size() - first);
    const auto outcome = outcome_of_slices(n, few_waters, [&](std::size_t begin, std::size_t end) {
        const Waters waters{.n = static_cast<std::int64_t>(end - begin),
                            .atoms = kind.atoms.data() + 3 * (first + begin),
                            .in_a_row = kind.in_a_row,
                            .triangle = kind.triangle,
                            .x_ref = numbers_of(work_.reference()),
                            .x = numbers_of(atoms.x),
                            .v = numbers_of(atoms.v),
                            .inverse_dt = inverse_step(*work_.stage),
                            .moved =
                                work_.stage->force_factor != 0.0 ? kind.moved.data() + 6 * (first + begin) : nullptr};
        return work_.velocities ? HOLON_CALL(settle::velocities, waters) : HOLON_CALL(settle::positions, waters);
    });
    work_.result.residual = std::max(work_.result.residual, outcome.residual);
    if (outcome.failed >= 0) fail(kind, first + index(outcome.failed));
    work_.water += n;
    return true;
}

void SettleSolver::fail(const Kind& kind, std::size_t water)
{
    if (!work_.result.failure.empty()) return;
    std::array<AtomId, 3> ids;
    for (std::size_t k = 0; k < 3; ++k) ids[k] = work_.atoms->id[index(kind.atoms[3 * water + k])];
    work_.result.failure =
        failure_message(kind.molecule_name, kind.molecules[water], ids,
                        "the water has moved or turned too far to be made rigid again", *work_.stage);
}

void SettleSolver::add_virial()
{
    const auto& reference = work_.reference();
    VirialSum virial;
    for (const auto& kind : kinds_)
        for (std::size_t w = 0; w < kind.molecules.size(); ++w)
            for (std::size_t h = 0; h < 2; ++h) {
                const double* const moved = &kind.moved[6 * w + 3 * h];
                const auto o = index(kind.atoms[3 * w]);
                const auto hydrogen = index(kind.atoms[3 * w + 1 + h]);
                virial.add(bond_vector(reference[o], reference[hydrogen]),
                           kind.triangle.m_h * Vec3(moved[0], moved[1], moved[2]), work_.stage->force_factor);
            }
    virial.add_to(work_.result.virial);
}

} // namespace

std::unique_ptr<Solver> make_settle_solver(const SolverSettings& settings)
{
    return std::make_unique<SettleSolver>(settings);
}

} // namespace holon
