#include <support/constraints/peptides.hpp>

#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace holon::test {
namespace {

constexpr double degrees = M_PI / 180.0;

/// Builds residues one after the other.
class PeptideBuilder {
public:
    explicit PeptideBuilder(unsigned seed) : noise_(seed) { polymer_.type.name = "Peptide"; }

    /// One more residue: alanine, or with a ring (`aromatic`) phenylalanine.
    void add_residue(bool aromatic)
    {
        const double omega = M_PI + 0.1 * noise_(), phi = M_PI * noise_();
        std::int32_t n = -1;
        Vec3 before(20.0, 19.9, 20.0); // where the C of the residue before is, or would be
        if (last_c_ < 0) {
            n = add("N", 14.01, -1, Vec3(20.0, 20.0, 20.0));
            ca_ = add("CA", 12.01, n, Vec3(20.145, 20.0, 20.0));
        } else {
            before = at(last_c_);
            n = place("N", 14.01, {n_, ca_, last_c_}, 0.1335, 116.6, psi_);
            const auto last_ca = ca_;
            place("H", 1.008, {last_ca, last_c_, n}, 0.101, 119.8, omega + M_PI);
            ca_ = place("CA", 12.01, {last_ca, last_c_, n}, 0.1449, 121.9, omega);
        }
        n_ = n;
        const auto around_ca = [&](const char* name, double mass, double length, double angle, double torsion) {
            return add(name, mass, ca_, next_point(before, at(n_), at(ca_), length, angle * degrees, torsion));
        };
        around_ca("HA", 1.008, 0.109, 109.5, phi + 2.1);
        const auto cb = around_ca("CB", 12.01, 0.1526, 109.7, phi - 2.1);
        if (aromatic)
            add_ring(cb);
        else
            for (int k = 0; k < 3; ++k) place("HB", 1.008, {n_, ca_, cb}, 0.109, 109.5, 2.0 * M_PI * k / 3 + phi);
        last_c_ = around_ca("C", 12.01, 0.1522, 110.1, phi);
        psi_ = M_PI * noise_();
        place("O", 16.0, {n_, ca_, last_c_}, 0.1229, 120.4, psi_ + M_PI);
    }

    Polymer finished() &&
    {
        place("O2", 16.0, {n_, ca_, last_c_}, 0.1229, 120.4, psi_);
        make_angles_rigid(polymer_);
        return std::move(polymer_);
    }

private:
    Vec3 at(std::int32_t atom) const { return polymer_.positions[static_cast<std::size_t>(atom)]; }

    std::int32_t add(const char* name, double mass, std::int32_t bound_to, const Vec3& r)
    {
        const auto atom = polymer_.add_atom(name, mass, r);
        if (bound_to >= 0) polymer_.bind(bound_to, atom);
        return atom;
    }
    /// Bound to the last of the three. Angle in degrees, torsion in radians.
    std::int32_t place(const char* name, double mass, const std::array<std::int32_t, 3>& from, double length,
                       double angle, double torsion)
    {
        return add(name, mass, from[2],
                   next_point(at(from[0]), at(from[1]), at(from[2]), length, angle * degrees, torsion));
    }

    void add_ring(std::int32_t cb)
    {
        const double chi = M_PI * noise_(), turn = M_PI * noise_();
        for (const double side : {2.1, -2.1}) place("HB", 1.008, {n_, ca_, cb}, 0.109, 109.0, chi + side);
        std::int32_t before = ca_, last = cb, ring = place("CG", 12.01, {n_, ca_, cb}, 0.151, 114.0, chi);
        const auto first = ring;
        for (int k = 0; k < 5; ++k) {
            const double torsion = k == 0 ? turn : k == 1 ? M_PI : 0.0;
            const auto next = place("CR", 12.01, {before, last, ring}, 0.14, 120.0, torsion);
            place("HR", 1.008, {last, ring, next}, 0.108, 120.0, k == 0 ? 0.0 : M_PI);
            before = last;
            last = ring;
            ring = next;
        }
        polymer_.bind(first, ring);
    }

    Noise noise_;
    Polymer polymer_;
    std::int32_t n_ = -1, ca_ = -1, last_c_ = -1;
    double psi_ = 0.0;
};

} // namespace

void make_angles_rigid(Polymer& polymer)
{
    const auto bonds = polymer.type.constraints;
    std::set<std::pair<std::int32_t, std::int32_t>> known;
    for (const auto& c : bonds) known.insert({c.i, c.j});
    std::vector<std::vector<std::int32_t>> bound(polymer.positions.size());
    for (const auto& c : bonds) {
        bound[static_cast<std::size_t>(c.i)].push_back(c.j);
        bound[static_cast<std::size_t>(c.j)].push_back(c.i);
    }
    for (const auto& ends : bound)
        for (const auto a : ends)
            for (const auto b : ends)
                if (a < b && known.insert({a, b}).second) {
                    polymer.bind(a, b);
                    polymer.type.constraints.back().from_angle = true;
                }
}

Polymer peptide(int residues, unsigned seed)
{
    PeptideBuilder builder(seed);
    for (int k = 0; k < residues; ++k) builder.add_residue(k % 5 == 2);
    return std::move(builder).finished();
}

MoleculeType constrained(MoleculeType type, const TorsionOnly& found)
{
    type.constraints = found.constraints;
    type.planes = found.planes;
    for (const auto& unit : found.units) type.torsion_units.push_back(unit.atoms);
    return type;
}

ConstraintSystem torsion_only_system(const Polymer& polymer, int count)
{
    auto system = polymer_system(polymer, count);
    auto& molecule = system.topology.molecule_types[0];
    molecule =
        constrained(molecule, torsion_only(molecule, std::span(system.x_ref).first(molecule.atoms.size()), system.box));
    system.clusters[0] = find_clusters(molecule);
    return system;
}

} // namespace holon::test
