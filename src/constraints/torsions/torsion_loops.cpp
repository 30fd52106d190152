/// Rings of units that turn: the tree is cut at one bond of each, and multipliers keep the gap closed.
#include <holon/constraints/torsion_tree.hpp>
#include <holon/core/index.hpp>

#include <Eigen/QR>

namespace holon {

namespace {

/// What is shorter than this part of the largest is taken for dependent: one row of each loop always is, since its bond
/// has its length on both sides.
constexpr double dependent = 1e-9;

constexpr double closed_to = 1e-13; // nm
constexpr int most_iterations = 30;

using LoopSolver = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>;

/// The least x with matrix x = right, or nearest it.
Eigen::VectorXd solved(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right)
{
    LoopSolver solver;
    solver.setThreshold(dependent);
    return solver.compute(matrix).solve(right);
}

} // namespace

Eigen::VectorXd TorsionTree::gaps(const std::vector<Frame>& frames) const
{
    Eigen::VectorXd result(6 * std::ssize(cuts_));
    Eigen::Index row = 0;
    for (const auto& cut : cuts_)
        for (const auto a : cut.bond) {
            const auto& x = x_[index(a)];
            result.segment<3>(row) = moved(cut.bodies[1], frames, x) - moved(cut.bodies[0], frames, x);
            row += 3;
        }
    return result;
}

Eigen::MatrixXd TorsionTree::gap_rates(const std::vector<Frame>& frames) const
{
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(6 * std::ssize(cuts_), static_cast<Eigen::Index>(n_torsions()));
    Eigen::Index row = 0;
    for (const auto& cut : cuts_)
        for (const auto a : cut.bond) {
            for (std::size_t side = 0; side < 2; ++side) {
                const Vec3 x = moved(cut.bodies[side], frames, x_[index(a)]);
                for (auto b = cut.bodies[side]; b > 0; b = index(bodies_[b].parent))
                    result.block<3, 1>(row, static_cast<Eigen::Index>(b) - 1) +=
                        (side == 0 ? -1.0 : 1.0) * (frames[b].rotation * joints_[b].axis).cross(x - frames[b].place);
            }
            row += 3;
        }
    return result;
}

Eigen::MatrixXd TorsionTree::gap_rates() const
{
    return gap_rates(frames(std::vector<double>(n_torsions(), 0.0)));
}

bool TorsionTree::close(std::vector<double>& angles) const
{
    if (cuts_.empty()) return true;
    for (int n = 0; n < most_iterations; ++n) {
        const auto after = frames(angles);
        const auto gap = gaps(after);
        if (gap.cwiseAbs().maxCoeff() < closed_to) return true;
        const auto change = solved(gap_rates(after), gap);
        for (std::size_t k = 0; k < angles.size(); ++k) angles[k] -= change[static_cast<Eigen::Index>(k)];
    }
    return false;
}

Eigen::VectorXd TorsionTree::tensions(std::span<const Vec3> forces) const
{
    if (cuts_.empty()) return {};
    const auto sums = torques(forces);
    return solved(gap_rates().transpose(), Eigen::VectorXd::Map(sums.data(), std::ssize(sums)));
}

/// How gaps open with velocities, or accelerations if `velocities` are given, too.
Eigen::VectorXd TorsionTree::opening(const Motion& motion, const Motion* velocities) const
{
    Eigen::VectorXd result(6 * std::ssize(cuts_));
    Eigen::Index row = 0;
    for (const auto& cut : cuts_)
        for (const auto a : cut.bond) {
            const auto of = [&](std::size_t body) {
                Vec3 v = at(body, motion.body[body], x_[index(a)]);
                if (velocities != nullptr) v += centripetal(body, *velocities, x_[index(a)]);
                return v;
            };
            result.segment<3>(row) = of(cut.bodies[1]) - of(cut.bodies[0]);
            row += 3;
        }
    return result;
}

/// Motion of the open tree with what multipliers add so that gaps stay closed. O(n) for each row.
JointRates TorsionTree::closed(Motion open, const Motion* velocities) const
{
    if (cuts_.empty()) return std::move(open.joints);
    const Eigen::Index rows = 6 * std::ssize(cuts_);
    Eigen::MatrixXd mobility(rows, rows);
    std::vector<JointRates> answers;
    for (Eigen::Index row = 0; row < rows; ++row) {
        const auto& cut = cuts_[index(row / 6)];
        const Vec3 pull = Vec3::Unit(row % 3), x = x_[index(cut.bond[index(row / 3 % 2)])];
        std::vector<Spatial> loads(bodies_.size(), Spatial::Zero());
        for (std::size_t side = 0; side < 2; ++side) {
            const double sign = side == 0 ? -1.0 : 1.0;
            loads[cut.bodies[side]] << sign * (x - joints_[cut.bodies[side]].place).cross(pull), sign * pull;
        }
        auto answer = solve(std::move(loads), nullptr, {});
        mobility.col(row) = opening(answer, nullptr);
        answers.push_back(std::move(answer.joints));
    }
    const auto multipliers = solved(mobility, opening(open, velocities));
    auto& joints = open.joints;
    for (std::size_t row = 0; row < answers.size(); ++row) {
        const double l = multipliers[static_cast<Eigen::Index>(row)];
        joints.rotation -= l * answers[row].rotation;
        joints.translation -= l * answers[row].translation;
        for (std::size_t k = 0; k < n_torsions(); ++k) joints.torsions[k] -= l * answers[row].torsions[k];
    }
    return std::move(joints);
}

} // namespace holon
