#include <support/constraints/molecule_constraints.hpp>

#include <holon/core/vec3.hpp>

#include <array>
#include <cmath>
#include <vector>

namespace holon::test {
namespace {

Vec3 at(const Eigen::VectorXd& x, std::int32_t atom)
{
    return x.segment<3>(3 * atom);
}

std::array<Vec3, 3> edges(const Eigen::VectorXd& x, const PlaneConstraint& p)
{
    return {at(x, p.atoms[1]) - at(x, p.atoms[0]), at(x, p.atoms[2]) - at(x, p.atoms[0]),
            at(x, p.atoms[3]) - at(x, p.atoms[0])};
}

} // namespace

Eigen::VectorXd MoleculeConstraints::values(const Eigen::VectorXd& x) const
{
    Eigen::VectorXd g(size());
    Eigen::Index k = 0;
    for (const auto& c : type_.constraints)
        g[k++] = 0.5 * ((at(x, c.j) - at(x, c.i)).squaredNorm() - c.length * c.length);
    for (const auto& p : type_.planes) {
        const auto e = edges(x, p);
        g[k++] = e[0].dot(e[1].cross(e[2])) / std::sqrt(p.area);
    }
    return g;
}

Eigen::SparseMatrix<double> MoleculeConstraints::gradients(const Eigen::VectorXd& x) const
{
    std::vector<Eigen::Triplet<double>> elements;
    Eigen::Index k = 0;
    const auto add = [&](std::int32_t atom, const Vec3& v) {
        for (int n = 0; n < 3; ++n) elements.emplace_back(k, 3 * atom + n, v[n]);
    };
    for (const auto& c : type_.constraints) {
        const Vec3 r = at(x, c.j) - at(x, c.i);
        add(c.j, r);
        add(c.i, -r);
        ++k;
    }
    for (const auto& p : type_.planes) {
        const auto e = edges(x, p);
        const double unit = 1.0 / std::sqrt(p.area);
        const Vec3 of[] = {unit * e[1].cross(e[2]), unit * e[2].cross(e[0]), unit * e[0].cross(e[1])};
        for (std::size_t n = 0; n < 3; ++n) {
            add(p.atoms[n + 1], of[n]);
            add(p.atoms[0], -of[n]);
        }
        ++k;
    }
    Eigen::SparseMatrix<double> rows(size(), x.size());
    rows.setFromTriplets(elements.begin(), elements.end());
    return rows;
}

Eigen::VectorXd MoleculeConstraints::bending(const Eigen::VectorXd& x, const Eigen::VectorXd& v) const
{
    Eigen::VectorXd result(size());
    Eigen::Index k = 0;
    for (const auto& c : type_.constraints) result[k++] = (at(v, c.j) - at(v, c.i)).squaredNorm();
    for (const auto& p : type_.planes) {
        const auto e = edges(x, p), w = edges(v, p);
        result[k++] = 2.0 * (w[0].dot(w[1].cross(e[2])) + w[0].dot(e[1].cross(w[2])) + e[0].dot(w[1].cross(w[2]))) /
                      std::sqrt(p.area);
    }
    return result;
}

Eigen::VectorXd MoleculeConstraints::inverse_masses() const
{
    Eigen::VectorXd result(3 * std::ssize(type_.atoms));
    for (std::size_t a = 0; a < type_.atoms.size(); ++a)
        result.segment<3>(3 * static_cast<Eigen::Index>(a)).setConstant(1.0 / type_.atoms[a].mass);
    return result;
}

} // namespace holon::test
