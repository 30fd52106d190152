#pragma once

#include <holon/core/units.hpp>
#include <holon/forces/bonded.hpp>

#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace holon {

/// One term of one kind on atoms 0, 1, ... of a small system, and its evaluation.
struct BondedFixture {
    Interaction kind;
    Topology topology;
    Box box;
    std::vector<AtomId> id;
    std::vector<IVec3> x;
    std::vector<double> charge;
    std::shared_ptr<const MeshSettings> mesh; // null: reaction field
    LocalTerms terms;

    BondedFixture(Interaction kind_, const InteractionParameters& parameters, const std::vector<Vec3>& positions)
        : kind(kind_), box(Mat3{{3.0, 0.0, 0.0}, {0.9, 2.8, 0.0}, {-1.1, 1.2, 2.6}}, 44)
    {
        topology.fudge_qq = 0.8;
        topology.parameters[static_cast<std::size_t>(kind)] = {parameters};
        const auto n = static_cast<std::size_t>(interaction_info[static_cast<std::size_t>(kind)].atoms);
        terms.atoms.resize(n);
        std::iota(terms.atoms.begin(), terms.atoms.end(), 0);
        terms.parameters = {0};
        for (std::size_t i = 0; i < n; ++i) {
            id.push_back(static_cast<AtomId>(10 + i));
            x.push_back(to_lattice(positions[i], position_unit));
            charge.push_back(i % 2 == 0 ? 0.5 : -0.3);
            topology.restraint_references.emplace_back(id.back(), Vec3(0.1, 0.2, -0.1));
        }
    }

    struct Result {
        std::string message;
        std::vector<IVec3> f;
        ForceSums sums;

        double energy() const
        {
            double total = 0.0;
            for (const FixedSum& term : sums.energy) total += term.value();
            return total;
        }
        double energy(EnergyTerm term) const { return sums.energy[static_cast<std::size_t>(term)].value(); }
        Vec3 force(std::size_t i) const { return to_real(f[i], force_unit); }
        Mat3 virial() const
        {
            Mat3 w;
            for (int i = 0; i < 3; ++i)
                for (int j = 0; j < 3; ++j) w(i, j) = sums.virial[static_cast<std::size_t>(3 * i + j)].value();
            return w;
        }
    };

    NonbondedConstants constants() const
    {
        NonbondedConstants c{Parameters{}};
        c.k_rf = 0.5;
        c.c_rf = 1.5;
        c.mesh = mesh;
        return c;
    }

    Atoms atoms() const
    {
        Atoms a;
        a.n_owned = a.n_total = static_cast<std::int32_t>(x.size());
        a.id = id;
        a.x = x;
        a.charge = charge;
        a.f.assign(x.size(), IVec3::Zero());
        return a;
    }

    LocalTermLists lists() const
    {
        LocalTermLists all;
        all[static_cast<std::size_t>(kind)] = terms;
        return all;
    }

    Result evaluate(bool want_energy = true) const
    {
        Result result;
        BondedForces forces(topology, constants(), box);
        Atoms a = atoms();
        forces.set_up(lists(), a);
        result.message = forces.add_forces(a, want_energy ? &result.sums : nullptr);
        result.f = a.f;
        return result;
    }
};

/// A chain of five atoms like those of a molecule: bonds near 0.15 nm, no three atoms near a line. It starts close to a
/// corner of the box of BondedFixture.
inline std::vector<Vec3> random_chain(std::mt19937_64& random)
{
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const auto direction = [&] {
        Vec3 v;
        do v = Vec3(uniform(random), uniform(random), uniform(random));
        while (v.norm() > 1.0 || v.norm() < 0.1);
        return v.normalized();
    };
    std::vector<Vec3> chain{Vec3(0.05, 0.05, 0.05)};
    Vec3 last = direction();
    while (chain.size() < 5) {
        Vec3 next;
        do next = direction();
        while (next.cross(last).norm() < 0.5);
        chain.push_back(chain.back() + (0.15 + 0.02 * uniform(random)) * next);
        last = next;
    }
    return chain;
}

} // namespace holon
