#pragma once

#include <holon/core/box.hpp>
#include <holon/system/topology.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// What can be said of constraints before the first step.
namespace holon {

/// Finds constraints of a molecule type that follow from its others, in which the matrix of the constraints is
/// singular: one distance of ten in a tetrahedral group, say. Leaving them out changes nothing, but makes the rest
/// independent. Constraints from angles are left out before others, those of light atoms first.
///
/// `positions`: canonical, one per atom, of any molecule of this type, near its constraints.
/// Throws InputError, naming atoms and the way out, for constraints that depend on each other without one following
/// from the rest (all distances of a planar ring, or of atoms in a line: only all of them together keep the atoms
/// there, where the matrix is singular), and for those that contradict each other.
///
/// Method: constraints that can not depend on others go first, those of atoms of which all constraints point in
/// independent directions, again and again. The ranks of what is left are found at the positions nearest to those given
/// that meet all constraints; whether one follows from the rest, by a move that keeps the rest.
std::vector<ImpliedConstraint> implied_constraints(const MoleculeType& molecule, std::span<const IVec3> positions,
                                                   const Box& box);

/// Takes constraints out of molecule.constraints and notes them in molecule.implied. Throws InputError if one is not
/// there.
void leave_out(MoleculeType& molecule, const std::vector<ImpliedConstraint>& implied);

/// The constraints of one molecule type.
struct ConstraintDiagnosis {
    std::string molecule_type;
    std::int64_t molecules = 0;
    std::int64_t constraints = 0, rank = 0;       // of one molecule, as asked for; the number of independent ones
    std::int64_t rigid_waters = 0;                // in one molecule, three constraints each
    std::int64_t bodies = 0, atoms_in_bodies = 0; // in one molecule, rigid waters apart
    std::int64_t clusters = 0;                    // in one molecule, rigid waters and bodies apart
    std::int64_t smallest_cluster = 0, largest_cluster = 0; // constraints
    double lincs_radius = 0.0; // the largest spectral radius of a LINCS matrix: see lincs_spectrum()
};

/// One for each molecule type in the system that has constraints.
std::vector<ConstraintDiagnosis> diagnose(const Topology& topology);

/// For the log: a line for each molecule type, another for each constraint that was left out.
std::string diagnosis_text(const std::vector<ConstraintDiagnosis>& diagnoses, const Topology& topology);

} // namespace holon
