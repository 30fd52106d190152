#include <holon/system/springs.hpp>

#include <holon/core/index.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace holon {

namespace {

constexpr auto kind = index(Interaction::constraint_spring);

/// A spring between two atoms of a molecule.
struct Spring {
    std::int32_t i, j;
    double length, constant;
};

std::vector<Spring> springs_of(const Topology& topology, const MoleculeType& molecule)
{
    std::vector<Spring> springs;
    const auto& list = molecule.interactions[kind];
    for (std::size_t t = 0; t < list.size(); ++t) {
        const auto& p = topology.parameters[kind][index(list.parameters[t])];
        springs.push_back({list.atoms[2 * t], list.atoms[2 * t + 1], p[0], p[1]});
    }
    return springs;
}

/// How the springs of a molecule act on each other: the matrix K^1/2 (B M^-1 B') K^1/2 of unit bond vectors B has the
/// squares of their frequencies. Where two share an atom, the cosine of their angle is that of the triangle which a
/// third spring closes, or else at most 1.
class Coupling {
public:
    Coupling(const Topology& topology, const MoleculeType& molecule)
        : springs_(springs_of(topology, molecule)), at_(molecule.atoms.size())
    {
        for (const auto& spring : springs_) {
            const auto k = at_index(spring);
            for (const auto atom : {spring.i, spring.j}) at_[index(atom)].push_back(k);
            inverse_mass_.push_back(
                {molecule.atoms[index(spring.i)].inverse_mass(), molecule.atoms[index(spring.j)].inverse_mass()});
            lengths_[std::minmax(spring.i, spring.j)] = spring.length;
        }
    }

    const std::vector<Spring>& springs() const { return springs_; }

    double single(std::size_t k) const // [1/ps^2]
    {
        return springs_[k].constant * (inverse_mass_[k][0] + inverse_mass_[k][1]);
    }

    /// No eigenvalue is larger [1/ps^2]: whatever positive vector x is, none exceeds the largest (|A| x)_k / x_k (L.
    /// Collatz, Math. Z. 48, 221 (1942)); products with |A| bring it down.
    double largest() const
    {
        constexpr int products = 60;
        std::vector<double> x(springs_.size(), 1.0), y(springs_.size());
        double bound = 0.0;
        for (int n = 0; n < products; ++n) {
            multiply(x, y);
            bound = 0.0;
            for (std::size_t k = 0; k < x.size(); ++k) bound = std::max(bound, y[k] / x[k]);
            if (bound == 0.0) break;
            for (std::size_t k = 0; k < x.size(); ++k) x[k] = 0.5 * (x[k] + y[k] / bound) + 1e-6;
        }
        return bound;
    }

private:
    std::size_t at_index(const Spring& spring) const { return index(&spring - springs_.data()); }

    void multiply(const std::vector<double>& x, std::vector<double>& y) const
    {
        for (std::size_t k = 0; k < x.size(); ++k) {
            const auto& a = springs_[k];
            y[k] = single(k) * x[k];
            for (const bool second : {false, true}) {
                const auto atom = second ? a.j : a.i;
                for (const auto l : at_[index(atom)]) {
                    if (l == k) continue;
                    const auto& b = springs_[l];
                    y[k] += std::sqrt(a.constant * b.constant) * inverse_mass_[k][second ? 1 : 0] * cosine(a, b, atom) *
                            x[l];
                }
            }
        }
    }

    double cosine(const Spring& a, const Spring& b, std::int32_t atom) const
    {
        const auto end = [atom](const Spring& s) { return s.i == atom ? s.j : s.i; };
        const auto third = lengths_.find(std::minmax(end(a), end(b)));
        if (third == lengths_.end()) return 1.0;
        const double c = third->second;
        return std::min(1.0, std::abs(a.length * a.length + b.length * b.length - c * c) / (2.0 * a.length * b.length));
    }

    std::vector<Spring> springs_;
    std::vector<std::array<double, 2>> inverse_mass_; // of both atoms of each spring
    std::vector<std::vector<std::size_t>> at_;        // springs at each atom
    std::map<std::pair<std::int32_t, std::int32_t>, double> lengths_;
};

} // namespace

void replace_constraints_by_springs(Topology& topology, double tolerance, double temperature)
{
    auto& parameters = topology.parameters[kind];
    std::map<double, std::int32_t> of_length; // index of parameters
    for (auto& molecule : topology.molecule_types) {
        auto constraints = std::exchange(molecule.constraints, {});
        for (const auto& implied : std::exchange(molecule.implied, {}))
            constraints.push_back({implied.constraint.i, implied.constraint.j, implied.length});
        auto& list = molecule.interactions[kind];
        for (const auto& c : constraints) {
            const auto [found, added] = of_length.try_emplace(c.length, static_cast<std::int32_t>(parameters.size()));
            if (added) {
                const double spread = tolerance * c.length;
                parameters.push_back({c.length, units::boltzmann * temperature / (spread * spread)});
            }
            list.atoms.insert(list.atoms.end(), {c.i, c.j});
            list.parameters.push_back(found->second);
        }
    }
}

double SpringReport::accurate_step() const
{
    return 0.1 * 2.0 * std::numbers::pi / coupled;
}

SpringReport spring_report(const Topology& topology)
{
    SpringReport report;
    std::vector<std::int64_t> molecules(topology.molecule_types.size());
    for (const auto& block : topology.blocks) molecules[index(block.type)] += block.count;
    double single = 0.0, coupled = 0.0;
    for (std::size_t type = 0; type < molecules.size(); ++type) {
        const Coupling coupling(topology, topology.molecule_types[type]);
        if (molecules[type] == 0 || coupling.springs().empty()) continue;
        report.springs += molecules[type] * std::ssize(coupling.springs());
        for (std::size_t k = 0; k < coupling.springs().size(); ++k) {
            report.largest_constant = std::max(report.largest_constant, coupling.springs()[k].constant);
            single = std::max(single, coupling.single(k));
        }
        coupled = std::max(coupled, coupling.largest());
    }
    report.single = std::sqrt(single);
    report.coupled = std::sqrt(coupled);
    return report;
}

} // namespace holon
