#pragma once

#include "rare_term.hpp"

namespace holon::bonded {

/// A table at x and its derivative there, times a factor: cubic between two points, with the values and slopes of both.
/// A bond beyond its table is a failure of the run; there its energy rises no further. Parameters of the terms: index
/// of the table, factor.
struct TableValue {
    double energy, slope;

    TableValue(const Differences& r, const InteractionParameters& p, double x)
    {
        const auto& table = r.context().topology.tables[static_cast<std::size_t>(p[0])];
        const auto& [first, h, v, s] = table;
        const double place = (x - first) / h, last = static_cast<double>(v.size() - 1);
        const bool beyond = !(place <= last * (1.0 + 1e-12)); // an angle may be rounded to the end of its table
        if (beyond) {
            r.context().alarms.beyond_table = true;
            energy = p[1] * v.back();
            slope = 0.0;
            return;
        }
        const double inside = place < 0.0 ? 0.0 : place;
        const auto k = inside < last ? static_cast<std::size_t>(inside) : v.size() - 2;
        const double t = inside - static_cast<double>(k), rise = v[k + 1] - v[k];
        const double a = 3.0 * rise - h * (2.0 * s[k] + s[k + 1]), b = h * (s[k] + s[k + 1]) - 2.0 * rise;
        energy = p[1] * (v[k] + t * (h * s[k] + t * (a + t * b)));
        slope = p[1] * (s[k] + t / h * (2.0 * a + t * (3.0 * b)));
    }
};

struct TabulatedBond {
    static TermForces<double, 1> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> d = r(0, 1);
        const double b = length(d);
        const TableValue v(r, p, b);
        return {{v.energy}, {central_force(d, b, v.slope)}, {d}};
    }
};

struct TabulatedAngle {
    static TermForces<double, 2> compute(const Differences& r, const InteractionParameters& p)
    {
        const V3<double> r_ij = r(0, 1), r_kj = r(2, 1);
        const Angle<double> angle(r_ij, r_kj);
        const TableValue v(r, p, angle.theta);
        return {{v.energy},
                {-v.slope * angle.gradient_i, v.slope * (angle.gradient_i + angle.gradient_k)},
                {r_ij - r_kj, -r_kj}};
    }
};

struct TabulatedDihedral {
    static TermForces<double, 3> compute(const Differences& r, const InteractionParameters& p)
    {
        const DihedralSides<double> sides(r);
        const auto dihedral = sides.dihedral();
        const TableValue v(r, p, dihedral.phi());
        return sides.forces(dihedral, v.energy, v.slope);
    }
};

} // namespace holon::bonded
