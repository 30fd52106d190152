#include "lincs_shape.hpp"

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/random.hpp>

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace holon {

namespace {

Eigen::VectorXd product(const std::vector<IdealElement>& matrix, const Eigen::VectorXd& x)
{
    Eigen::VectorXd y = Eigen::VectorXd::Zero(x.size());
    for (const auto& element : matrix) y[element.row] += element.value * x[element.column];
    return y;
}

/// The eigenvalue of the largest modulus and its vector. C. Lanczos, J. Res. Natl. Bur. Stand. 45, 255 (1950); extreme
/// values need no reorthogonalisation.
std::pair<double, Eigen::VectorXd> largest_mode(const std::vector<IdealElement>& matrix, std::int32_t n)
{
    constexpr int most = 120;
    const Philox random(1);
    Eigen::VectorXd q(n);
    for (std::int32_t k = 0; k < n; ++k) q[k] = uniform_pair(random(0, static_cast<std::uint32_t>(k), 0))[0] - 0.5;
    q.normalize();
    std::vector<Eigen::VectorXd> basis{q};
    std::vector<double> diagonal, off;
    for (int step = 0;; ++step) {
        Eigen::VectorXd next = product(matrix, basis.back());
        diagonal.push_back(next.dot(basis.back()));
        next -= diagonal.back() * basis.back();
        if (step > 0) next -= off.back() * basis[basis.size() - 2];
        const double rest = next.norm();
        if (step + 1 == std::min(n, most) || rest < 1e-12) break;
        off.push_back(rest);
        basis.emplace_back(next / rest);
    }
    const auto m = static_cast<Eigen::Index>(diagonal.size());
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver;
    const Eigen::VectorXd off_diagonal = Eigen::Map<const Eigen::VectorXd>(off.data(), m - 1);
    solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), m), off_diagonal);
    const auto& values = solver.eigenvalues(); // ascending
    const Eigen::Index at = std::abs(values[0]) > std::abs(values[m - 1]) ? 0 : m - 1;
    Eigen::VectorXd mode = Eigen::VectorXd::Zero(n);
    for (Eigen::Index k = 0; k < m; ++k) mode += solver.eigenvectors()(k, at) * basis[index(k)];
    return {std::abs(values[at]), mode};
}

} // namespace

KnownAngles::KnownAngles(const Topology* topology, const MoleculeType& molecule)
{
    if (topology == nullptr) return;
    for (const auto kind : {Interaction::harmonic_angle, Interaction::g96_angle, Interaction::urey_bradley,
                            Interaction::quartic_angle, Interaction::restricted_angle}) {
        const auto& list = molecule.interactions[index(kind)];
        const auto& parameters = topology->parameters[index(kind)];
        for (std::size_t t = 0; t < list.size(); ++t)
            cosines_.emplace(key(list.atoms[3 * t], list.atoms[3 * t + 1], list.atoms[3 * t + 2]),
                             portable::cos(parameters[index(list.parameters[t])][0]));
    }
}

double KnownAngles::cosine(std::int32_t end, std::int32_t middle, std::int32_t other) const
{
    const auto found = cosines_.find(key(end, middle, other));
    return found == cosines_.end() ? -std::sqrt(1.0 / 3.0) : found->second;
}

std::vector<IdealElement> ideal_matrix(const KnownAngles& angles, const MoleculeType& molecule,
                                       const ConstraintCluster& cluster, const LincsShape& shape)
{
    std::map<std::array<std::int32_t, 2>, double> distance;
    for (const auto& c : cluster.constraints) distance[{std::min(c.i, c.j), std::max(c.i, c.j)}] = c.length;
    for (const auto& [c, length] : molecule.implied) distance[{std::min(c.i, c.j), std::max(c.i, c.j)}] = length;
    std::vector<IdealElement> elements;
    for (std::int32_t k = 0; k < shape.size(); ++k)
        for (const auto& coupling : shape.couplings_of(k)) {
            const auto l = coupling.constraint;
            const auto other_end = [&](std::int32_t c) {
                const auto a = shape.first[index(c)], b = shape.second[index(c)];
                return cluster.atoms[index(a == coupling.atom ? b : a)];
            };
            const auto [low, high] = std::minmax({other_end(k), other_end(l)});
            const auto middle = cluster.atoms[index(coupling.atom)];
            const auto closed = distance.find({low, high});
            const bool closes = closed != distance.end();
            const double a = shape.length[index(k)], b = shape.length[index(l)];
            const double cosine =
                closes ? std::clamp((a * a + b * b - closed->second * closed->second) / (2.0 * a * b), -1.0, 1.0)
                       : angles.cosine(low, middle, high);
            elements.push_back({k, l, -std::abs(coupling.factor) * cosine, closes || angles.has(low, middle, high)});
        }
    return elements;
}

LincsSpectrum lincs_spectrum(const KnownAngles& angles, const MoleculeType& molecule, const ConstraintCluster& cluster)
{
    const LincsShape shape(molecule, cluster);
    const auto [radius, mode] = largest_mode(ideal_matrix(angles, molecule, cluster, shape), shape.size());
    LincsSpectrum spectrum{radius, {}};
    const double largest = mode.cwiseAbs().maxCoeff();
    for (std::int32_t k = 0; k < shape.size(); ++k)
        if (std::abs(mode[k]) > 0.5 * largest)
            for (const auto place : {shape.first[index(k)], shape.second[index(k)]})
                spectrum.atoms.push_back(cluster.atoms[index(place)]);
    std::ranges::sort(spectrum.atoms);
    spectrum.atoms.erase(std::ranges::unique(spectrum.atoms).begin(), spectrum.atoms.end());
    return spectrum;
}

} // namespace holon
