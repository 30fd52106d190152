// RANKS 1 2 3 4 8
// SHAKE and RATTLE through many steps: warm start and over-relaxation need fewer sweeps, and every bit, the multipliers
// that are kept included, stays that of one rank while atoms migrate.
#include <support/constraints/constraint_molecules.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

namespace holon::test {
namespace {

constexpr double dt = 0.002;

struct Way {
    bool warm = false;
    double relaxation = 1.0;
    double tolerance = 1e-8;
};

/// The state of all atoms by id.
struct World {
    std::vector<IVec3> x, v;
    std::vector<std::array<double, 4>> kept; // the first few
    bool operator==(const World&) const = default;
};

/// Velocity Verlet of constrained molecules in springs that tie each atom to a place of its own. Atoms may change their
/// owners at any step.
class Motion {
public:
    Motion(ConstraintSystem system, const Communicator& comm, const Way& way)
        : system_(std::move(system)), comm_(comm), constraints_(system_.topology, system_.clusters, {"shake"},
                                                                {.tolerance = way.tolerance,
                                                                 .shake_relaxation = way.relaxation,
                                                                 .shake_warm_start = way.warm,
                                                                 .comm = comm})
    {
        Noise noise(23);
        for (const auto& x : system_.x_ref) springs_.push_back(to_real(x, position_unit) + 0.05 * noise.vector());
        system_.x = system_.x_ref;
        world_.kept.resize(system_.x.size());
    }

    /// Gives the atoms to these owners.
    void distribute(const std::function<int(AtomId)>& owner)
    {
        system_.x_ref = system_.x;
        part_.emplace(system_, comm_.rank(), owner, true, &constraints_);
        auto& atoms = part_->atoms;
        for (std::size_t i = 0; i < owned(); ++i)
            for_each_kept(atoms, i, [&](const KeptNumber& number) {
                atoms.kept[static_cast<std::size_t>(atoms.kept_begin[i] + number.index)] =
                    world_.kept[static_cast<std::size_t>(number.id)][static_cast<std::size_t>(number.index)];
            });
        constraints_.rebuild(atoms, part_->directory());
        atoms.x = atoms.x_ref;
        if (step_ == 0) note(constraints_.project_velocities(atoms, system_.box, {0, dt, 0.0}));
        gather();
    }

    void step()
    {
        auto& atoms = part_->atoms;
        ++step_;
        kick();
        atoms.x_ref = atoms.x;
        for (std::size_t i = 0; i < owned(); ++i)
            atoms.x[i] += to_lattice(dt * to_real(atoms.v[i], velocity_unit), position_unit);
        note(constraints_.project_positions(atoms, system_.box, {step_, dt, 2.0 / (dt * dt), StepMotion::continued}));
        gather();
        kick();
        note(constraints_.project_velocities(atoms, system_.box, {step_, dt, 2.0 / dt, StepMotion::continued}));
        gather();
    }

    /// Back to where it was; solvers have copies of what they keep.
    void restore(const Atoms& before)
    {
        part_->atoms = before;
        constraints_.rebuild(part_->atoms, part_->directory());
        gather();
    }

    const World& world() const { return world_; }
    Atoms& atoms() { return part_->atoms; }
    const ConstraintSystem& system() const { return system_; }
    Constraints& constraints() { return constraints_; }
    std::vector<std::int64_t> iterations; // of every stage
    ConstraintResult last;

private:
    std::size_t owned() const { return static_cast<std::size_t>(part_->atoms.n_owned); }

    void kick()
    {
        constexpr double stiffness = 2000.0;
        auto& atoms = part_->atoms;
        for (std::size_t i = 0; i < owned(); ++i) {
            const auto id = static_cast<std::size_t>(atoms.id[i]);
            const Vec3 force = -stiffness * system_.bond({to_lattice(springs_[id], position_unit), atoms.x[i]}, 0, 1);
            atoms.v[i] += to_lattice(0.5 * dt / system_.mass(id) * force, velocity_unit);
        }
    }

    void note(const ConstraintResult& result)
    {
        EXPECT_EQ(result.failure, "");
        iterations.push_back(comm_.max(result.iterations));
        last = result;
    }

    /// Brings all atoms together; copies follow their owners.
    void gather()
    {
        auto& atoms = part_->atoms;
        const auto n = system_.x.size();
        std::vector<std::int64_t> flat(10 * n);
        for (std::size_t i = 0; i < owned(); ++i) {
            auto* row = &flat[10 * static_cast<std::size_t>(atoms.id[i])];
            for (int k = 0; k < 3; ++k) {
                row[k] = atoms.x[i][k];
                row[3 + k] = atoms.v[i][k];
            }
            for_each_kept(atoms, i, [&](const KeptNumber& number) {
                ASSERT_LT(number.index, 4);
                row[6 + number.index] = std::bit_cast<std::int64_t>(number.value);
            });
        }
        comm_.sum(std::span(flat));
        for (std::size_t id = 0; id < n; ++id) {
            const auto* row = &flat[10 * id];
            system_.x[id] = {row[0], row[1], row[2]};
            system_.v[id] = {row[3], row[4], row[5]};
            for (std::size_t k = 0; k < 4; ++k) world_.kept[id][k] = std::bit_cast<double>(row[6 + k]);
        }
        world_.x = system_.x;
        world_.v = system_.v;
        for (std::size_t a = owned(); a < atoms.x.size(); ++a)
            atoms.x[a] = system_.x[static_cast<std::size_t>(atoms.id[a])];
    }

    ConstraintSystem system_;
    Communicator comm_;
    Constraints constraints_;
    std::vector<Vec3> springs_;
    std::optional<LocalPart> part_;
    World world_;
    std::int64_t step_ = 0;
};

ConstraintSystem moving(ConstraintSystem (*make)())
{
    auto system = make();
    system.disturb(0.0, 3.0, 11);
    return system;
}

std::int64_t total_iterations(ConstraintSystem (*make)(), const Way& way, int steps = 20)
{
    Motion motion(moving(make), {}, way);
    motion.distribute([](AtomId) { return 0; });
    for (int k = 0; k < steps; ++k) motion.step();
    return std::accumulate(motion.iterations.begin(), motion.iterations.end(), std::int64_t{0});
}

/// Owners change at every other step: in blocks, dealt out, scattered, all on one rank, and one cut, so that ranks have
/// many constraints, only some that begin elsewhere, or none, and lose their last one.
TEST(Shake, SameBitsWhileAtomsMigrate)
{
    const auto comm = Communicator::world();
    for (const auto make : {all_atom_c60, fused_rings, torsion_only_c60, ring_through_the_box, medley})
        for (const Way& way :
             {Way{true, 0.0, 1e-5}, Way{true, 1.2, 1e-4}, Way{false, SolverSettings::suggested, 1e-6}}) {
            SCOPED_TRACE("relaxation " + std::to_string(way.relaxation));
            Motion alone(moving(make), {}, way), together(moving(make), comm, way);
            const auto owners = distributions(alone.system(), comm.size());
            for (std::size_t k = 0; k < 2 * owners.size(); ++k) {
                if (k == 0) alone.distribute([](AtomId) { return 0; });
                if (k % 2 == 0) together.distribute(owners[k / 2]);
                alone.step();
                together.step();
                ASSERT_EQ(together.world(), alone.world()) << "step " << k;
                ASSERT_EQ(together.iterations, alone.iterations) << "step " << k;
                auto virial = together.last.virial;
                comm.sum(std::span(virial));
                ASSERT_EQ(virial, alone.last.virial);
            }
        }
}

TEST(Shake, AStepThatIsTakenBackLeavesNoTrace)
{
    const auto comm = Communicator::world();
    Motion motion(moving(all_atom_c60), comm, {true}), other(moving(all_atom_c60), comm, {true});
    const auto owner = distributions(motion.system(), comm.size())[1];
    motion.distribute(owner);
    other.distribute(owner);
    for (int k = 0; k < 3; ++k) {
        motion.step();
        const auto kept = motion.atoms();
        motion.step();
        EXPECT_TRUE(comm.any(motion.atoms().kept != kept.kept));
        motion.restore(kept);
        other.step();
    }
    motion.step();
    other.step();
    EXPECT_EQ(motion.world(), other.world());
}

/// The guess of a cluster that fails is taken back.
TEST(Shake, AFailedClusterStaysWhereItWas)
{
    const auto comm = Communicator::world();
    Motion motion(moving(united_atom_c60), comm, {true});
    motion.distribute(distributions(motion.system(), comm.size())[1]);
    for (int k = 0; k < 3; ++k) motion.step();
    auto& atoms = motion.atoms();
    atoms.x_ref = atoms.x;
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i)
        if (atoms.id[i] == 30) atoms.x[i] += to_lattice({0.0, 0.7, 0.0}, position_unit);
    const auto before = atoms;
    const auto result =
        motion.constraints().project_positions(atoms, motion.system().box, {9, dt, 0.0, StepMotion::continued});
    EXPECT_TRUE(comm.any(!result.failure.empty()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(atoms.n_owned); ++i) {
        EXPECT_EQ(atoms.x[i], before.x[i]);
        EXPECT_EQ(atoms.v[i], before.v[i]);
    }
    EXPECT_EQ(atoms.kept, before.kept);
}

struct Sweeps {
    const char* name;
    ConstraintSystem (*make)();
    double tolerance;
};

constexpr std::array<Sweeps, 8> measured{{{"united-atom C60", united_atom_c60, 1e-4},
                                          {"united-atom C60", united_atom_c60, 1e-10},
                                          {"all-atom C60", all_atom_c60, 1e-4},
                                          {"all-atom C60", all_atom_c60, 1e-10},
                                          {"fused rings", fused_rings, 1e-10},
                                          {"C30 with H-C-H angles", alkane_with_h_angles, 1e-6},
                                          {"torsion-only C60", torsion_only_c60, 1e-6},
                                          {"nearly straight rods", nearly_straight_rods, 1e-6}}};

TEST(Shake, WarmStartAndOverRelaxationLowerTheSweeps)
{
    const auto comm = Communicator::world();
    if (comm.size() > 1) return; // the same, by the tests above
    for (const auto& [name, make, tolerance] : measured) {
        const auto plain = total_iterations(make, {false, 1.0, tolerance});
        const auto suggested = total_iterations(make, {false, SolverSettings::suggested, tolerance});
        const auto relaxed = total_iterations(make, {false, 0.0, tolerance});
        const auto warm = total_iterations(make, {true, 1.0, tolerance});
        const auto both = total_iterations(make, {true, 0.0, tolerance});
        std::printf("%-24s tolerance %.0e: sweeps in 20 steps %6ld, suggested factor %6ld, found out %6ld, warm %6ld, "
                    "found out and warm %6ld\n",
                    name, tolerance, static_cast<long>(plain), static_cast<long>(suggested), static_cast<long>(relaxed),
                    static_cast<long>(warm), static_cast<long>(both));
        EXPECT_LE(suggested, plain * 105 / 100) << name;
        EXPECT_LT(warm, plain) << name;
        EXPECT_LE(relaxed, plain) << name;
        EXPECT_LE(both, warm) << name;
        if (plain > 900) {
            EXPECT_LT(relaxed, plain * 65 / 100) << name;
        }
    }
}

/// One message to a neighbour per sweep, however many colours there are up to four, and one before them; a reduction
/// in each sweep of the first stage, and afterwards from where the stage before ended, or about where it could have
/// ended.
TEST(Shake, CountsItsMessages)
{
    const auto comm = Communicator::world();
    Motion motion(moving(united_atom_c60), comm, {true});
    const auto& cluster = motion.system().clusters[0].clusters[0];
    EXPECT_EQ(cluster.colour_begin.size(), 3u);
    motion.distribute(distributions(motion.system(), comm.size()).front()); // in blocks: each cut has two ends
    motion.step();
    motion.step();
    const auto& result = motion.last;
    // Those of velocities: at the start, and at the end of both steps.
    const auto& iterations = motion.iterations;
    ASSERT_EQ(iterations.size(), 5u);
    std::int64_t sweeps = 1, first_vote = 1;
    for (std::size_t stage = 0; stage < iterations.size(); stage += 2) {
        sweeps = std::max(iterations[stage], first_vote);
        if (stage + 2 == iterations.size()) break;
        const auto too_many = sweeps - iterations[stage]; // at least half of them are left out next time
        first_vote = sweeps - (too_many == 0 ? 0 : std::int64_t{1} << (std::bit_width(std::uint64_t(too_many)) - 1));
    }
    const auto partners = (comm.rank() > 0) + (comm.rank() + 1 < comm.size());
    EXPECT_EQ(result.messages, partners * (1 + sweeps));
    // 24 bytes for an atom. A bond of the first colour next to a cut one of the second is computed on both sides: a
    // further atom before the sweeps. During them a neighbour has to be told of one atom.
    EXPECT_GE(result.bytes, 24 * partners * (1 + sweeps));
    EXPECT_LE(result.bytes, 24 * partners * (2 + sweeps));
    EXPECT_EQ(result.reductions, comm.size() > 1 ? sweeps - first_vote + 1 : 0);
}

} // namespace
} // namespace holon::test
