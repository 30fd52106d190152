// RANKS 1 2 3 8
// Who owns which atom, and who has copies of it.
#include <support/distributed.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

TEST(Partition, OwnsEveryAtomOnceAndKeepsGroupsWhole)
{
    const auto comm = Communicator::world();
    for (const auto& system : all_systems())
        for (const auto& grid : grids_of(comm.size())) {
            SCOPED_TRACE(text(grid));
            Distributed d(system, comm, grid);
            d.distribute(0.8);
            expect_sound(d);
            const auto state = d.state();
            for (std::size_t i = 0; i < system.size(); ++i) EXPECT_TRUE(same_state(state[i], system.atoms[i])) << i;
        }
}

TEST(Partition, DomainsOfAUniformSystemAreAlike)
{
    const auto comm = Communicator::world();
    for (const auto& vectors : {cubic(2.4), dodecahedron(2.7), octahedron(2.8)}) {
        const auto system = argon(vectors, 8, 0.02);
        for (const auto& grid : grids_of(comm.size())) {
            Distributed d(system, comm, grid);
            d.distribute(0.8);
            const auto mean = static_cast<double>(system.size()) / comm.size();
            EXPECT_NEAR(d.atoms.n_owned, mean, comm.size() == 1 ? 0.0 : 0.4 * mean) << text(grid);
        }
    }
}

TEST(Partition, RepartitionKeepsEveryBitOfTheState)
{
    const auto comm = Communicator::world();
    for (const auto& system : {water(cubic(2.0), 4), water(octahedron(2.3), 4), chain(dodecahedron(2.2), 5)})
        for (const auto& grid : grids_of(comm.size())) {
            SCOPED_TRACE(text(grid));
            Distributed d(system, comm, grid);
            d.distribute(0.8);
            unsigned seed = 17;
            for (const double distance : {0.05, 0.3, 7.0}) { // the last one: through several boxes
                d.displace(distance, seed++);
                const auto before = d.state();
                d.partition.repartition(d.atoms, {0.8, 0.8});
                expect_sound(d);
                const auto after = d.state();
                for (std::size_t i = 0; i < before.size(); ++i) ASSERT_TRUE(same_state(before[i], after[i])) << i;
            }
        }
}

TEST(Partition, CopiesFewerAtomsWhereMostNeedANarrowerHalo)
{
    const auto comm = Communicator::world();
    const auto system = water(cubic(2.4), 5);
    const auto copies_of = [&](const std::vector<std::uint8_t>& lists) {
        Distributed d(system, comm, {}, lists);
        d.partition.distribute(system.share(comm), {}, d.atoms, {0.5, 0.9});
        return comm.sum(std::int64_t{d.atoms.n_total - d.atoms.n_owned});
    };
    const auto of_all = copies_of({}), of_oxygens = copies_of({3, 1, 1}), of_neither = copies_of({2, 0, 0});
    EXPECT_LT(static_cast<double>(of_oxygens), 0.8 * static_cast<double>(of_all));
    EXPECT_NEAR(static_cast<double>(of_neither), static_cast<double>(of_all) / 3.0, 0.05 * static_cast<double>(of_all));
}

/// Each term of the system once, with its own atoms in the right image.
void expect_each_term_once(const Distributed& d)
{
    const auto& bonds =
        d.system.topology->molecule_types[0].interactions[static_cast<std::size_t>(Interaction::harmonic_bond)];
    const auto local = d.terms.localise(d.atoms, d.partition)[static_cast<std::size_t>(Interaction::harmonic_bond)];
    std::map<std::pair<AtomId, AtomId>, std::size_t> number;
    for (std::size_t t = 0; t < bonds.size(); ++t) number[{bonds.atoms[2 * t], bonds.atoms[2 * t + 1]}] = t;
    std::vector<std::int64_t> count(bonds.size());
    for (std::size_t t = 0; t < local.size(); ++t) {
        const auto i = static_cast<std::size_t>(local.atoms[2 * t]),
                   j = static_cast<std::size_t>(local.atoms[2 * t + 1]);
        const auto found = number.find({d.atoms.id[i], d.atoms.id[j]});
        ASSERT_NE(found, number.end());
        EXPECT_EQ(local.parameters[t], bonds.parameters[found->second]);
        ++count[found->second];
        const auto& state = d.system.atoms;
        EXPECT_EQ(d.system.box.minimum_image(d.atoms.x[i] - d.atoms.x[j]),
                  d.system.box.minimum_image(state[static_cast<std::size_t>(d.atoms.id[i])].x -
                                             state[static_cast<std::size_t>(d.atoms.id[j])].x));
    }
    d.comm.sum(std::span(count));
    for (const auto n : count) EXPECT_EQ(n, 1);
}

TEST(Partition, FetchesAtomsThatLongBondsNeedFromAnywhere)
{
    const auto comm = Communicator::world();
    for (const auto& system : {chain(cubic(3.0), 6, true), chain(octahedron(3.4), 6, true)})
        for (const auto& grid : grids_of(comm.size())) {
            SCOPED_TRACE(text(grid));
            Distributed d(system, comm, grid);
            d.distribute(0.2); // the bonds are up to half the box long
            expect_sound(d);
            expect_each_term_once(d);
            std::int64_t named = 0;
            for (const auto zone : d.partition.zone()) named += zone == Partition::named;
            named = comm.sum(named);
            EXPECT_EQ(named > 0, comm.size() > 1);
        }
}

} // namespace
} // namespace holon::test
