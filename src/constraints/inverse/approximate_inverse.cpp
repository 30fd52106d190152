#include "approximate_inverse.hpp"

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <cmath>
#include <limits>

namespace holon {

namespace {

using Matrix = Eigen::SparseMatrix<double>;

/// Elements of the inverse below this are left out.
constexpr double least_element = 0.02;

/// 1 - A of the LINCS matrix A, which is K but for scales: K_kl = (S_k / d_k) (1 - A)_kl (d_l / S_l).
Matrix symmetric_matrix(const std::vector<IdealElement>& ideal, std::int32_t n, bool known_only)
{
    std::vector<Eigen::Triplet<double>> elements;
    for (std::int32_t k = 0; k < n; ++k) elements.emplace_back(k, k, 1.0);
    for (const auto& element : ideal)
        if (element.known || !known_only) elements.emplace_back(element.row, element.column, -element.value);
    Matrix matrix(n, n);
    matrix.setFromTriplets(elements.begin(), elements.end());
    return matrix;
}

Eigen::VectorXd random_vector(std::int32_t n)
{
    const Philox random(1);
    Eigen::VectorXd q(n);
    for (std::int32_t k = 0; k < n; ++k) q[k] = uniform_pair(random(0, static_cast<std::uint32_t>(k), 0))[0] - 0.5;
    return q.normalized();
}

/// Growth of a vector with each multiplication by 1 - W A, and what it becomes.
std::pair<double, Eigen::VectorXd> growth(const Matrix& w, const Matrix& a)
{
    constexpr int settling = 60, counted = 60;
    auto q = random_vector(static_cast<std::int32_t>(a.rows()));
    double sum = 0.0;
    for (int step = 0; step < settling + counted; ++step) {
        const Eigen::VectorXd next = q - w * (a * q);
        const double norm = next.norm();
        if (norm < 1e-12) return {0.0, q};
        if (step >= settling) sum += portable::log(norm);
        q = next / norm;
    }
    return {portable::exp(sum / counted), q};
}

/// Couplings between two constraints of a row at most.
int largest_distance(const LincsShape& shape, std::int32_t from, std::vector<std::int32_t> wanted)
{
    std::vector<bool> seen(index(shape.size()), false);
    std::vector<std::int32_t> shell{from};
    seen[index(from)] = true;
    std::erase(wanted, from);
    for (int distance = 0; !shell.empty(); ++distance) {
        if (wanted.empty()) return distance;
        std::vector<std::int32_t> next;
        for (const auto k : shell)
            for (const auto& coupling : shape.couplings_of(k)) {
                if (seen[index(coupling.constraint)]) continue;
                seen[index(coupling.constraint)] = true;
                next.push_back(coupling.constraint);
                std::erase(wanted, coupling.constraint);
            }
        shell = std::move(next);
    }
    return 0;
}

} // namespace

ApproximateInverse::ApproximateInverse(InverseKind kind, const KnownAngles& angles, const MoleculeType& molecule,
                                       const ConstraintCluster& cluster)
{
    const LincsShape shape(molecule, cluster);
    const auto n = shape.size();
    const auto ideal = ideal_matrix(angles, molecule, cluster, shape);
    const auto scale = [&](std::int32_t k) { return shape.scale[index(k)] / shape.length[index(k)]; };
    Eigen::SimplicialLDLT<Matrix> factors;
    if (kind == InverseKind::equilibrium) factors.compute(symmetric_matrix(ideal, n, true));
    std::vector<Eigen::Triplet<double>> kept;
    std::vector<std::vector<Element>> rows(index(n));
    for (std::int32_t l = 0; l < n; ++l) { // column by column
        Eigen::VectorXd column = Eigen::VectorXd::Unit(n, l);
        if (kind == InverseKind::equilibrium) column = Eigen::VectorXd(factors.solve(column));
        for (std::int32_t k = 0; k < n; ++k) {
            const double factor = column[k] * scale(k) / scale(l);
            if (k != l && !(std::abs(factor) >= least_element)) continue;
            rows[index(k)].push_back({l, factor});
            kept.emplace_back(k, l, column[k]);
        }
    }
    begin_.push_back(0);
    for (std::int32_t k = 0; k < n; ++k) {
        std::vector<std::int32_t> others;
        for (const auto& element : rows[index(k)]) others.push_back(element.constraint);
        reach_ = std::max(reach_, largest_distance(shape, k, others));
        elements_.insert(elements_.end(), rows[index(k)].begin(), rows[index(k)].end());
        begin_.push_back(elements_.size());
    }

    Matrix w(n, n);
    w.setFromTriplets(kept.begin(), kept.end());
    const auto [rate, mode] = growth(w, symmetric_matrix(ideal, n, false));
    rate_ = std::isfinite(rate) ? rate : std::numeric_limits<double>::infinity();
    const double largest = mode.cwiseAbs().maxCoeff();
    for (std::int32_t k = 0; k < n; ++k)
        if (!(std::abs(mode[k]) <= 0.5 * largest))
            for (const auto place : {shape.first[index(k)], shape.second[index(k)]})
                slowest_.push_back(cluster.atoms[index(place)]);
    std::ranges::sort(slowest_);
    slowest_.erase(std::ranges::unique(slowest_).begin(), slowest_.end());
}

std::span<const ApproximateInverse::Element> ApproximateInverse::row(std::int32_t constraint) const
{
    const auto k = index(constraint);
    return std::span(elements_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
}

} // namespace holon
