// RANKS 1 2 3 8
#include <holon/comm/communicator.hpp>
#include <holon/core/error.hpp>
#include <holon/io/trajectory.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

namespace holon {
namespace {

using namespace test;

TrajectoryInfo sample_info(std::int64_t atoms, std::int64_t frames)
{
    TrajectoryInfo info;
    info.atoms = atoms;
    info.run_id = 5;
    for (const auto q : {Quantity::position, Quantity::velocity, Quantity::force}) info.schedule[q] = {1};
    info.last_step = frames;
    return info;
}

/// On any number of ranks, the file holds the same as that of one rank that owns all atoms.
void expect_same_as_serial(const Communicator& comm, std::int64_t n_atoms)
{
    const TemporaryFolder folder(comm);
    const auto path = folder.file("trajectory.h5md"), serial = folder.file("serial.h5");
    auto writer = TrajectoryWriter::create(comm, path, sample_info(n_atoms, 2)); // it has to grow
    for (int step = 0; step < 4; ++step)
        writer.append(step, step, sample_atoms(n_atoms, step, (comm.rank() + step) % comm.size(), comm.size()),
                      sample_box());
    writer = TrajectoryWriter::resume(comm, path, sample_info(n_atoms, 10), 2);
    EXPECT_EQ(writer.frames(), 3);
    EXPECT_FALSE(writer.wants(2));
    for (int step = 3; step < 6; ++step)
        writer.append(step, step, sample_atoms(n_atoms, step, comm.rank(), comm.size()), sample_box());
    writer.finish();
    if (comm.root()) {
        auto reference = TrajectoryWriter::create({}, serial, sample_info(n_atoms, 6));
        for (int step = 0; step < 6; ++step) reference.append(step, step, sample_atoms(n_atoms, step), sample_box());
        const TrajectoryFile a(path), b(serial);
        ASSERT_EQ(a.frames(), 6);
        for (std::int64_t k = 0; k < 6; ++k) EXPECT_EQ(a.contents(k), b.contents(k)) << "frame " << k;
    }
}

TEST(TrajectoryMpi, is_the_same_on_any_number_of_ranks)
{
    expect_same_as_serial(Communicator::world(), 1000);
}

TEST(TrajectoryMpi, takes_fewer_atoms_than_ranks)
{
    expect_same_as_serial(Communicator::world(), 2);
}

TEST(TrajectoryMpi, errors_are_alike_on_all_ranks)
{
    const auto comm = Communicator::world();
    const TemporaryFolder folder(comm);
    EXPECT_THROW(TrajectoryWriter::create(comm, folder.file("no/such.h5"), sample_info(10, 1)), Failure);
    EXPECT_THROW(TrajectoryWriter::resume(comm, folder.file("missing.h5"), sample_info(10, 1), 0), InputError);
}

} // namespace
} // namespace holon
