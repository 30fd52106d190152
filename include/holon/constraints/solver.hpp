#pragma once

#include <holon/comm/communicator.hpp>
#include <holon/core/box.hpp>
#include <holon/core/fixed_sum.hpp>
#include <holon/system/atoms.hpp>
#include <holon/system/clusters.hpp>
#include <holon/system/needs.hpp>
#include <holon/system/partition.hpp>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace holon {

/// One constraint cluster of one molecule.
struct ClusterInstance {
    const MoleculeType* molecule_type = nullptr;
    const ConstraintCluster* cluster = nullptr;
    std::int32_t cluster_index = 0; // in its molecule
    std::int64_t molecule = 0;      // in the system, from 0
    AtomId molecule_start = 0;      // global id of the molecule's first atom
};

/// Where atoms are, at repartition. Used while rebuild() runs and not kept.
struct AtomDirectory {
    std::function<std::int32_t(AtomId)> local_index; // the owned atom if this rank owns it, else any copy; -1: not here
    std::function<int(std::int32_t)> owner_of;       // rank that owns the atom of this copy (local index >= n_owned)
};
/// Of a partition, which must outlive it.
AtomDirectory directory_of(const Partition& partition);

/// What a projection has to do with those before and after it.
enum class StepMotion : std::uint8_t {
    none,     // nothing, as that of noise
    continued // the constraint forces of the step before are a good guess of these, and these of the next step's; with
              // SchemeTraits::half_kicks velocities have just been kicked by half a step of Atoms::f
};

/// Where in the run a projection takes place.
struct ConstraintStage {
    std::int64_t step = 0;
    double dt = 0.0; // [ps]
    /// Constraint force of the step = mass x displacement x force_factor [1/ps^2]: 1/dt^2 for leap-frog, 2/dt^2 for
    /// velocity Verlet; in the velocity stage mass x velocity change x force_factor [1/ps]: 2/dt. 0: no virial wanted.
    double force_factor = 0.0;
    StepMotion motion = StepMotion::none;
};

/// The bits of |x|, which compare as integers in the order of the numbers they stand for, NaN above all: a maximum over
/// ranks is an integer reduction, and no NaN gets lost in it.
inline std::int64_t ordered_bits(double x)
{
    return std::bit_cast<std::int64_t>(std::abs(x));
}
inline double from_ordered_bits(std::int64_t bits)
{
    return std::bit_cast<double>(bits);
}

/// The largest |x| of any rank. Collective.
inline double largest(const Communicator& comm, double x)
{
    return from_ordered_bits(comm.max(ordered_bits(x)));
}

/// What this rank has to tell of one projection.
struct ConstraintResult {
    /// -1/2 sum r (x) f over the constraints counted on this rank (each on exactly one), row-major [kJ/mol].
    std::array<FixedSum, 9> virial{};
    /// ordered_bits() of the largest error left, as the lattice has it: |r^2 - d^2| / (2 d^2), or |r.v| / d^2 [1/ps].
    std::int64_t residual = 0;
    std::int64_t iterations = 0; // most that any cluster took
    std::int64_t messages = 0;   // sent by this rank
    std::int64_t bytes = 0;      // in them
    std::int64_t reductions = 0; // over all ranks
    std::string failure;         // empty: all is well; else what failed here first. To be voted on by all ranks.
    std::int64_t warnings = 0;   // constraints here that are all right, but not by much
    std::string warning;         // of the first of them

    double max_residual() const { return from_ordered_bits(residual); }
    ConstraintResult& operator+=(const ConstraintResult& other);
};

/// One stage of a solver whose clusters are owned whole, piece by piece: others wait for messages meanwhile, and must
/// not have exchanged or changed what atoms other than theirs have. Nothing in it communicates or throws.
class PieceByPiece {
public:
    virtual ~PieceByPiece() = default;

    /// Of positions or of velocities. `atoms` and `stage` are used until end().
    virtual void begin(Atoms& atoms, const ConstraintStage& stage, bool velocities) = 0;
    /// Does a few microseconds' work; false: there was none left.
    virtual bool piece() = 0;
    /// Does the rest. What it returns, and what becomes of the atoms, does not depend on the pieces.
    virtual ConstraintResult end() = 0;
};

/// A constraint algorithm: moves the atoms of the clusters that it was given onto their constraints.
///
/// Reference directions are those of atoms.x_ref; only owned atoms move; copies are stale afterwards. Bond vectors are
/// exact differences of lattice positions, the arithmetic is in double in an order that belongs to the molecule, and
/// each atom's displacement is rounded once to the lattice: the same bits on any number of ranks. A solver never throws
/// for what happens to the atoms: it says so in the result and leaves the cluster where it is.
class Solver {
public:
    virtual ~Solver() = default;

    /// Whether the solver can take the cluster of this molecule type; decided once, from the topology alone.
    virtual bool accepts(const MoleculeType& molecule, const ConstraintCluster& cluster) const = 0;

    /// Whether it keeps the shape of rigid bodies, clusters whose constraints alone would not hold them.
    virtual bool keeps_shapes() const { return false; }

    /// Whether it keeps atoms in planes; see PlaneConstraint.
    virtual bool keeps_planes() const { return false; }

    /// Whether it keeps rigid bodies that constraints link.
    virtual bool keeps_units() const { return false; }

    /// accepts(), for a rigid body, planes, or linked bodies, too.
    bool takes(const MoleculeType& molecule, const ConstraintCluster& cluster) const
    {
        return (cluster.shape.empty() || keeps_shapes()) && (cluster.planes.empty() || keeps_planes()) &&
               (cluster.units.empty() || keeps_units()) && accepts(molecule, cluster);
    }

    /// For the log: why a cluster that somebody may expect here is not accepted. Empty: no need to say.
    virtual std::string refusal(const MoleculeType&, const ConstraintCluster&) const { return {}; }

    /// Adds to needs.beyond which atoms must be here where those of an accepted cluster are owned, if that is more than
    /// those that constraints bind to them.
    virtual void add_needs(const MoleculeType&, const ConstraintCluster&, MoleculeNeeds&) const {}

    /// Takes over the clusters of which this rank owns an atom: all of it, if the cluster is small. Collective.
    /// Pre: every atom bound to an owned one by a constraint is here, as owned atom or copy, and those of add_needs().
    virtual void rebuild(std::span<const ClusterInstance> clusters, const Atoms& atoms,
                         const AtomDirectory& directory) = 0;

    /// Moves atoms.x (trial positions) along the constraint directions of atoms.x_ref onto |r| = d, and adds
    /// displacement/dt to atoms.v if stage.dt > 0. Collective.
    virtual ConstraintResult project_positions(Atoms& atoms, const Box& box, const ConstraintStage& stage) = 0;

    /// Changes atoms.v so that r.v = 0 for the constraints of atoms.x (copies up to date). Needs stage.dt > 0.
    /// Collective.
    virtual ConstraintResult project_velocities(Atoms& atoms, const Box& box, const ConstraintStage& stage) = 0;

    /// Null, if the solver does its stages in one go.
    virtual PieceByPiece* in_pieces() { return nullptr; }
};

struct SolverSettings {
    /// Largest |r^2 - d^2| / (2 d^2), and |r.v| dt / d^2, with which an iterative solver may stop.
    double tolerance = 1e-10;
    int max_iterations = 10000;
    std::string after_guess = "shake"; // the solver that goes on from the first guess of `wiggle`
    int lincs_order = 4;               // terms of the expansion
    int lincs_iterations = 1;          // for the rotation of bonds
    double lincs_warn_angle = 30.0;    // [degrees] by which a bond may turn in a step
    /// Over-relaxation of SHAKE, 1 to less than 2, or one of these: as the topology of each cluster suggests, or as its
    /// sweeps show in each solution.
    static constexpr double suggested = -1.0, found_out = 0.0;
    double shake_relaxation = suggested;
    double feedback_steps = 10.0;       // in which edberg_evans_morriss lets errors die away; 0: it does not
    bool shake_warm_start = false;      // begin with the multipliers of the step before, kept with the atoms
    const Topology* topology = nullptr; // set by Constraints; without it, angle terms are unknown
    Communicator comm{};
};

/// Every constraint solver: src/constraints/<name>.cpp with make_<name>_solver(). To add one, add its line.
#define HOLON_CONSTRAINT_SOLVERS(X)                                                                                    \
    X(settle)            /* rigid three-site water, closed form */                                                     \
    X(star)              /* Newton for X-H groups, eight at a time */                                                  \
    X(m_shake)           /* Newton with a dense matrix, for clusters owned whole */                                    \
    X(lincs)             /* truncated expansion of the inverse matrix, for clusters cut by any number of domains */    \
    X(shake)             /* one constraint after the other, for clusters of any size, cut by any number of domains */  \
    X(newton)            /* Newton with a sparse matrix on a tree of the molecule, for clusters likewise */            \
    X(ciccotti_ryckaert) /* likewise, with the first matrix kept */                                                    \
    X(ilves_f)           /* likewise, with the matrix of the reference kept */                                         \
    X(yoneya)            /* likewise, one solution without iteration: lengths are right to O(dt^3) */                  \
    X(edberg_evans_morriss) /* likewise, accelerations are constrained instead of positions, with feedback */          \
    X(p_shake)              /* preconditioned sweeps, for rigid molecules */                                           \
    X(lambrakos)            /* forces of all constraints corrected at once, cut by any number of domains */            \
    X(ccma)                 /* likewise, times a sparse inverse matrix from ideal angles */                            \
    X(rigid)       /* whole bodies by their rotation, linear and planar ones, too, cut by any number of domains */     \
    X(dlm)         /* likewise, by turns about one principal axis after the other */                                   \
    X(no_squish)   /* likewise, in another order */                                                                    \
    X(qshake)      /* rigid units and what links them, one link after the other */                                     \
    X(unit_newton) /* likewise, all links at once by Newton's method */                                                \
    X(wiggle)      /* first guess from the constrained acceleration, then another solver */

#define HOLON_DECLARE(name) std::unique_ptr<Solver> make_##name##_solver(const SolverSettings& settings);
HOLON_CONSTRAINT_SOLVERS(HOLON_DECLARE)
#undef HOLON_DECLARE

/// A line of the list.
struct SolverEntry {
    const char* name;
    std::unique_ptr<Solver> (*make)(const SolverSettings&);
};
std::span<const SolverEntry> constraint_solvers();

/// The solver of a line, or `wiggle+NAME`: the guess of the one, then the other. Throws InputError for anything else.
std::unique_ptr<Solver> make_solver(const std::string& name, const SolverSettings& settings);

/// All names that make_solver() takes.
std::vector<std::string> solver_names();

} // namespace holon
