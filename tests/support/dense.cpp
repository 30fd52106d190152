#include <support/dense.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace holon::test {

Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return a * b;
}

Eigen::MatrixXd congruent(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return product(product(b.transpose(), a), b);
}

Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return a.partialPivLu().solve(b);
}

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return a.ldlt().solve(b);
}

Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return a.colPivHouseholderQr().solve(b);
}

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& a)
{
    return a.inverse();
}

double determinant_of(const Eigen::MatrixXd& a)
{
    return a.determinant();
}

double ln_determinant(const Eigen::MatrixXd& a)
{
    return 2.0 * a.llt().matrixLLT().diagonal().array().log().sum();
}

Eigen::Index rank_of(const Eigen::MatrixXd& a, double threshold)
{
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> columns(a);
    columns.setThreshold(threshold);
    return columns.rank();
}

Eigen::MatrixXd null_space(const Eigen::MatrixXd& a)
{
    const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> columns(a.transpose());
    const Eigen::MatrixXd basis = columns.householderQ() * Eigen::MatrixXd::Identity(a.cols(), a.cols());
    return basis.rightCols(a.cols() - a.rows());
}

double spectral_radius(const Eigen::MatrixXd& a)
{
    return a.eigenvalues().cwiseAbs().maxCoeff();
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a)
{
    return a.selfadjointView<Eigen::Lower>().eigenvalues();
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b)
{
    return Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(a, b, Eigen::EigenvaluesOnly).eigenvalues();
}

} // namespace holon::test
