#pragma once

#include <Eigen/Core>

/// Dense linear algebra of any size, compiled once: what tests compare with. Vectors are matrices of one column.
namespace holon::test {

/// a b.
Eigen::MatrixXd product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// b' a b.
Eigen::MatrixXd congruent(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// x of a x = b.
Eigen::MatrixXd solve(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// x of a x = b, where a is symmetric and has no negative eigenvalues.
Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

/// x of the least |a x - b|.
Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

Eigen::MatrixXd inverse_of(const Eigen::MatrixXd& a);

double determinant_of(const Eigen::MatrixXd& a);

/// Of the determinant of a symmetric matrix with positive eigenvalues.
double ln_determinant(const Eigen::MatrixXd& a);

/// Pivots that are smaller than the largest one by this factor count as zero.
Eigen::Index rank_of(const Eigen::MatrixXd& a, double threshold);

/// Orthonormal columns that span what all rows of a are orthogonal to. Pre: rows are independent.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& a);

/// Largest absolute value of an eigenvalue.
double spectral_radius(const Eigen::MatrixXd& a);

/// In increasing order, of a symmetric matrix.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a);

/// l of a v = l b v in increasing order; both are symmetric, and the eigenvalues of b positive.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b);

} // namespace holon::test
