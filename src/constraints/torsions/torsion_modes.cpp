#include <holon/constraints/torsion_modes.hpp>
#include <holon/core/error.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace holon {

namespace {

constexpr double turn = 1e-4, move = 1e-5; // of differences [rad, nm]

/// M of the torsions, the whole molecule moving along such that it has no momentum: what is left of the masses of all
/// joints when the six of the whole are eliminated.
Eigen::MatrixXd internal_masses(const TorsionTree& tree)
{
    const Eigen::MatrixXd motions = tree.motions();
    Eigen::VectorXd masses(motions.rows());
    for (Eigen::Index k = 0; k < masses.size(); ++k) masses[k] = tree.mass(static_cast<std::size_t>(k / 3));
    const Eigen::MatrixXd all = motions.transpose() * masses.asDiagonal() * motions;
    const auto n = all.rows() - 6;
    return all.bottomRightCorner(n, n) -
           all.bottomLeftCorner(n, 6) * all.topLeftCorner<6, 6>().ldlt().solve(all.topRightCorner(6, n));
}

/// A basis of the turns that leave all loops closed.
Eigen::MatrixXd free_turns(const TorsionTree& tree)
{
    const auto n = static_cast<Eigen::Index>(tree.n_torsions());
    if (tree.n_loops() == 0) return Eigen::MatrixXd::Identity(n, n);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> columns;
    columns.setThreshold(1e-9);
    columns.compute(tree.gap_rates().transpose());
    const Eigen::MatrixXd basis = columns.householderQ() * Eigen::MatrixXd::Identity(n, n);
    return basis.rightCols(n - columns.rank());
}

} // namespace

TorsionModes torsion_modes(const TorsionTree& tree, const Eigen::MatrixXd& second_derivatives)
{
    const Eigen::MatrixXd turns = free_turns(tree);
    if (turns.cols() == 0) return {Eigen::VectorXd(0), Eigen::MatrixXd(turns.rows(), 0)};
    const Eigen::MatrixXd stiffness = turns.transpose() * second_derivatives * turns;
    const Eigen::MatrixXd masses = turns.transpose() * internal_masses(tree) * turns;
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solver(stiffness, masses);
    return {solver.eigenvalues(), turns * solver.eigenvectors()};
}

/// Slopes of an open tree, at places where it is closed: their change along a turn t is K t.
Eigen::MatrixXd stiffness_by_torsions(const TorsionTree& tree, const MoleculeEnergy& energy)
{
    const Eigen::MatrixXd turns = free_turns(tree);
    auto there = tree;
    const auto slope = [&](const Eigen::VectorXd& along) {
        std::vector<double> angles(along.begin(), along.end());
        if (!tree.close(angles)) throw Failure("a loop of torsions can not be closed beside the minimum");
        const auto x = tree.turned(angles);
        there.set_positions(x);
        const auto torques = there.torques(energy(x).forces);
        return Eigen::VectorXd(-Eigen::VectorXd::Map(torques.data(), std::ssize(torques)));
    };
    Eigen::MatrixXd changes(turns.rows(), turns.cols());
    for (Eigen::Index k = 0; k < turns.cols(); ++k)
        changes.col(k) = (slope(turn * turns.col(k)) - slope(-turn * turns.col(k))) / (2.0 * turn);
    const auto forces = energy(tree.positions()).forces;
    const Eigen::MatrixXd of_loops =
        tree.curvature(std::vector<Vec3>(tree.n_atoms(), Vec3::Zero()), tree.tensions(forces));
    const Eigen::MatrixXd on_turns = turns.transpose() * (changes + of_loops * turns);
    return turns * (0.5 * (on_turns + on_turns.transpose())) * turns.transpose();
}

Eigen::MatrixXd stiffness_by_atoms(const TorsionTree& tree, const MoleculeEnergy& energy)
{
    const Eigen::MatrixXd motions = tree.motions().rightCols(static_cast<Eigen::Index>(tree.n_torsions()));
    std::vector<Vec3> x(tree.positions().begin(), tree.positions().end());
    const auto forces = energy(x).forces;
    Eigen::MatrixXd hessian(motions.rows(), motions.rows());
    for (Eigen::Index k = 0; k < motions.rows(); ++k) {
        auto& coordinate = x[static_cast<std::size_t>(k / 3)][k % 3];
        const double here = coordinate;
        coordinate = here + move;
        const auto ahead = energy(x).forces;
        coordinate = here - move;
        const auto behind = energy(x).forces;
        coordinate = here;
        for (std::size_t a = 0; a < x.size(); ++a)
            hessian.block<3, 1>(3 * static_cast<Eigen::Index>(a), k) = (behind[a] - ahead[a]) / (2.0 * move);
    }
    const Eigen::MatrixXd symmetric = 0.5 * (hessian + hessian.transpose());
    return motions.transpose() * symmetric * motions + tree.curvature(forces, tree.tensions(forces));
}

} // namespace holon
