#include "distance_fit.hpp"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace holon {

namespace {

/// Errors of the lengths, and how they change with the points.
class Errors {
public:
    Errors(const std::vector<Vec3>& x, std::span<const Distance> distances)
        : distances_(distances), n_points_(static_cast<Eigen::Index>(x.size())),
          value_(static_cast<Eigen::Index>(distances.size())), directions_(distances.size())
    {
        for (std::size_t k = 0; k < distances.size(); ++k) {
            const Vec3 r = distances[k].vector(x);
            const double length = r.norm();
            directions_[k] = r / length;
            value_[static_cast<Eigen::Index>(k)] = length - distances[k].length;
        }
    }

    const Eigen::VectorXd& value() const { return value_; }

    /// Change of the errors with moves of the points.
    Eigen::VectorXd change(const Eigen::VectorXd& moves) const
    {
        Eigen::VectorXd result(value_.size());
        for (std::size_t k = 0; k < distances_.size(); ++k)
            result[static_cast<Eigen::Index>(k)] =
                directions_[k].dot(moves.segment<3>(3 * distances_[k].j) - moves.segment<3>(3 * distances_[k].i));
        return result;
    }
    /// The transposed matrix.
    Eigen::VectorXd pull(const Eigen::VectorXd& tension) const
    {
        Eigen::VectorXd result = Eigen::VectorXd::Zero(3 * n_points_);
        for (std::size_t k = 0; k < distances_.size(); ++k) {
            const Vec3 force = tension[static_cast<Eigen::Index>(k)] * directions_[k];
            result.segment<3>(3 * distances_[k].j) += force;
            result.segment<3>(3 * distances_[k].i) -= force;
        }
        return result;
    }

    double largest() const
    {
        double result = 0.0;
        for (std::size_t k = 0; k < distances_.size(); ++k) {
            const double error = std::abs(value_[static_cast<Eigen::Index>(k)]) / distances_[k].length;
            if (!(error <= result)) result = error; // not a number, too
        }
        return result;
    }

private:
    std::span<const Distance> distances_;
    Eigen::Index n_points_;
    Eigen::VectorXd value_; // [nm]
    std::vector<Vec3> directions_;
};

/// The moves p that minimise |e + J p|^2 + damping |p|^2.
Eigen::VectorXd damped_step(const Errors& errors, double damping)
{
    Eigen::VectorXd step = Eigen::VectorXd::Zero(errors.pull(errors.value()).size());
    Eigen::VectorXd rest = -errors.value();
    Eigen::VectorXd gradient = errors.pull(rest), direction = gradient;
    double norm = gradient.squaredNorm();
    const double enough = 1e-24 * norm;
    const auto most = 4 * errors.value().size() + 20;
    for (Eigen::Index n = 0; n < most && norm > enough; ++n) {
        const Eigen::VectorXd image = errors.change(direction);
        const double length = norm / (image.squaredNorm() + damping * direction.squaredNorm());
        step += length * direction;
        rest -= length * image;
        gradient = errors.pull(rest) - damping * step;
        const double next = gradient.squaredNorm();
        direction = gradient + (next / norm) * direction;
        norm = next;
    }
    return step;
}

} // namespace

double fit_distances(std::vector<Vec3>& x, std::span<const Distance> distances)
{
    constexpr int max_steps = 200;
    constexpr double exact = 1e-13; // relative error
    Errors errors(x, distances);
    double damping = 1e-2;
    for (int n = 0; n < max_steps && errors.largest() > exact; ++n) {
        if (!errors.value().allFinite()) break;
        const double squares = errors.value().squaredNorm();
        const Eigen::VectorXd step = damped_step(errors, damping);
        auto moved = x;
        for (std::size_t a = 0; a < x.size(); ++a) moved[a] += step.segment<3>(3 * static_cast<Eigen::Index>(a));
        Errors next(moved, distances);
        if (next.value().squaredNorm() < squares) {
            const bool stuck = next.value().squaredNorm() > (1.0 - 1e-12) * squares;
            x = std::move(moved);
            errors = std::move(next);
            damping *= 0.1;
            if (stuck) break;
        } else {
            damping = std::max(10.0 * damping, 1e-12);
            if (damping > 1e6) break;
        }
    }
    return errors.largest();
}

std::vector<Vec3> on_principal_axes(std::vector<Vec3> x)
{
    Vec3 mean = Vec3::Zero();
    for (const auto& r : x) mean += r / static_cast<double>(x.size());
    Mat3 second = Mat3::Zero();
    for (auto& r : x) {
        r -= mean;
        second += r * r.transpose();
    }
    const Mat3 axes = Eigen::SelfAdjointEigenSolver<Mat3>(second).eigenvectors().rowwise().reverse();
    for (auto& r : x) r = axes.transpose() * r;
    return x;
}

} // namespace holon
