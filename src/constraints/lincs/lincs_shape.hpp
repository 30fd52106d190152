#pragma once

#include <holon/system/clusters.hpp>
#include <holon/system/needs.hpp>
#include <holon/system/topology.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// What LINCS knows of a cluster, the same for all molecules of a type. Atoms are numbered by their place in
/// ConstraintCluster::atoms, constraints as there; each points from its first to its second atom.
struct LincsShape {
    LincsShape(const MoleculeType& molecule, const ConstraintCluster& cluster);

    /// Two constraints that share an atom. Element of the LINCS matrix A = I - S B M^-1 B^T S: factor x cosine of the
    /// angle between their directions.
    struct Coupling {
        std::int32_t constraint = 0; // the other
        std::int32_t atom = 0;       // that they share
        bool triangle = false;       // a third constraint binds their other ends
        double factor = 0.0;
    };

    std::int32_t size() const { return static_cast<std::int32_t>(length.size()); }
    std::span<const Coupling> couplings_of(std::int32_t constraint) const;
    std::span<const std::int32_t> constraints_at(std::int32_t atom) const; // ascending

    std::string molecule_name;
    std::vector<std::int32_t> first, second; // atoms of each constraint
    std::vector<double> length;              // [nm]
    std::vector<double> scale;               // S: 1 / sqrt(1/m_first + 1/m_second) [u^1/2]
    std::vector<double> inverse_mass;        // per atom [1/u]
    bool has_triangles = false;

private:
    void find_couplings();

    std::vector<Coupling> couplings_; // by constraint, then by the other
    std::vector<std::int32_t> coupling_begin_;
    std::vector<std::int32_t> at_, at_begin_;
};

/// Finds the constraints that a rank must know of.
class LincsReach {
public:
    /// `order`: of the expansion.
    LincsReach(const LincsShape& shape, int order) : shape_(shape), order_(order), known_(shape.length.size()) {}

    /// A constraint, and how many couplings it is from the nearest one that counts: terms of the expansion up to
    /// order - shell are needed of it.
    struct Found {
        std::int32_t constraint = 0, shell = 0;
    };

    /// All constraints that the displacements of these atoms, and of those bound to them, depend on, by shell. Those at
    /// `order` couplings, after `order` couplings within triangles; where there are triangles, all are in shell 0.
    std::vector<Found> operator()(std::span<const std::int32_t> atoms);

private:
    void grow(std::vector<std::int32_t>& found, int couplings, bool triangles_only);

    const LincsShape& shape_;
    int order_;
    std::vector<std::uint8_t> known_;
};

/// Each atom of the cluster needs those of all constraints that its displacement depends on; `order`: as LincsReach.
void need_within_reach(const LincsShape& shape, int order, const ConstraintCluster& cluster, MoleculeNeeds& needs);

/// The largest modulus of an eigenvalue of the LINCS matrix: the expansion converges if it is below 1.
struct LincsSpectrum {
    double radius = 0.0;
    std::vector<std::int32_t> atoms; // molecule-local: those of the constraints that the mode moves most
};

/// Equilibrium angles of a molecule's terms, as cosines; of none without a topology. Those of one molecule serve all
/// its clusters.
class KnownAngles {
public:
    KnownAngles(const Topology* topology, const MoleculeType& molecule);

    /// Atoms are molecule-local. That of a free joint, if there is no such term.
    double cosine(std::int32_t end, std::int32_t middle, std::int32_t other) const;
    bool has(std::int32_t end, std::int32_t middle, std::int32_t other) const
    {
        return cosines_.contains(key(end, middle, other));
    }

private:
    using Key = std::array<std::int32_t, 3>; // end, middle, other end; ends ascending
    static Key key(std::int32_t end, std::int32_t middle, std::int32_t other)
    {
        return {std::min(end, other), middle, std::max(end, other)};
    }
    std::map<Key, double> cosines_;
};

/// An element of the LINCS matrix of a molecule at its ideal angles.
struct IdealElement {
    std::int32_t row = 0, column = 0; // constraints
    double value = 0.0;
    bool known = false; // the angle is; else `value` is that of a free joint
};

/// All that are not zero, by row, in each by column. See lincs_spectrum().
std::vector<IdealElement> ideal_matrix(const KnownAngles& angles, const MoleculeType& molecule,
                                       const ConstraintCluster& cluster, const LincsShape& shape);

/// Angles between constraints come from third ones that close triangles (those that were left out, too), else from the
/// angle terms of the molecule, else they count as those of a free joint, whose mean squared cosine is 1/3. That is an
/// estimate where angles between constraints change with torsions: 1.36 for a long united-atom chain with rigid angles,
/// which has 1.82 if all are trans, 1.4 to 1.7 if some are gauche.
LincsSpectrum lincs_spectrum(const KnownAngles& angles, const MoleculeType& molecule, const ConstraintCluster& cluster);

} // namespace holon
