#include <holon/constraints/torsion_modes.hpp>

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace holon {

namespace {

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

} // namespace holon
