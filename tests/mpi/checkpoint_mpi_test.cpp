// RANKS 1 2 3 8
#include <holon/comm/communicator.hpp>
#include <holon/core/error.hpp>
#include <holon/core/state_hash.hpp>
#include <holon/io/checkpoint.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <fstream>

namespace holon {
namespace {

using namespace test;

constexpr std::int64_t n_atoms = 1000;
const CheckpointInput input{n_atoms, 12, {{"mdp", "dt = 0.002\n"}, {"topology", std::string(70000, 't')}}};
const CheckpointOptions options{.slots = 4, .sync_seconds = 1e-9};

/// Atoms change owners every five steps.
Atoms owned_atoms(const Communicator& comm, std::int64_t step)
{
    const auto shift = static_cast<int>(step / 5);
    return sample_atoms(n_atoms, step, (comm.rank() + shift) % comm.size(), comm.size());
}

void write_steps(const Communicator& comm, CheckpointWriter& writer, std::int64_t begin, std::int64_t end)
{
    for (auto step = begin; step < end; ++step) {
        const auto atoms = owned_atoms(comm, step);
        writer.repartition(atoms);
        auto votes = writer.votes();
        comm.bitwise_or(std::span(&votes, 1));
        writer.agree(votes);
        writer.submit(sample_state(step), atoms, sample_box());
    }
    writer.finish();
    EXPECT_EQ(writer.error(), "");
    comm.barrier();
}

void expect_state(const Communicator& comm, const CheckpointContents& contents, std::int64_t step)
{
    EXPECT_EQ(contents.input, input);
    EXPECT_EQ(contents.state, sample_state(step));
    EXPECT_NEAR(static_cast<double>(contents.atoms.size()), static_cast<double>(n_atoms) / comm.size(), 1.0);
    const auto common = state_hash(contents.state, {}); // to all ranks
    const auto here = state_hash(contents.state, contents.atoms, contents.kept) - common;
    EXPECT_EQ(static_cast<std::uint64_t>(comm.sum(static_cast<std::int64_t>(here))) + common,
              sample_hash(n_atoms, step));
}

TEST(CheckpointMpi, is_written_and_read_by_all_ranks)
{
    const auto comm = Communicator::world();
    const TemporaryFolder folder(comm);
    const auto path = folder.file("checkpoint.h5");
    for (const auto mapping : {CheckpointMapping::no, CheckpointMapping::yes}) {
        const CheckpointOptions how{.mapping = mapping, .sync_seconds = 1e-9};
        auto writer =
            CheckpointWriter::create(comm, path, {input, how}, sample_state(0), owned_atoms(comm, 0), sample_box());
        write_steps(comm, writer, 1, 23);
        expect_state(comm, read_checkpoint(comm, path), 22);
        comm.barrier();
    }
}

TEST(CheckpointMpi, goes_on_with_another_number_of_ranks)
{
    const auto comm = Communicator::world();
    const TemporaryFolder folder(comm);
    const auto path = folder.file("checkpoint.h5");
    if (comm.root())
        CheckpointWriter::create({}, path, {input, options}, sample_state(7), sample_atoms(n_atoms, 7), sample_box());
    comm.barrier();
    for (std::int64_t step = 7; step < 30; step += 6) {
        const auto contents = read_checkpoint(comm, path);
        expect_state(comm, contents, step);
        auto writer = CheckpointWriter::resume(comm, path, contents, options, owned_atoms(comm, step), sample_box());
        write_steps(comm, writer, step + 1, step + 7);
    }
    if (comm.root()) {
        EXPECT_EQ(CheckpointFile(path).newest().ranks, comm.size());
    }
}

TEST(CheckpointMpi, bad_files_are_refused_alike_on_all_ranks)
{
    const auto comm = Communicator::world();
    const TemporaryFolder folder(comm);
    const auto path = folder.file("checkpoint.h5");
    if (comm.root()) std::ofstream(path) << std::string(20000, 'x');
    comm.barrier();
    EXPECT_THROW(read_checkpoint(comm, path), InputError);
    EXPECT_THROW(read_checkpoint(comm, folder.file("missing.h5")), InputError);
    EXPECT_THROW(CheckpointWriter::create(comm, folder.file("no/such/folder.h5"), {input, options}, sample_state(0),
                                          owned_atoms(comm, 0), sample_box()),
                 Failure);
}

} // namespace
} // namespace holon
