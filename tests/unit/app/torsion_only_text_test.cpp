// constraints = torsion-only as text: what a checkpoint keeps makes the same constraints again.
#include <support/constraints/peptides.hpp>

#include "torsion_only.hpp"

#include <holon/core/error.hpp>

#include <gtest/gtest.h>

namespace holon::test {
namespace {

std::vector<AtomRecord> records_of(const ConstraintSystem& system)
{
    std::vector<AtomRecord> records;
    for (std::size_t a = 0; a < system.x_ref.size(); ++a) {
        AtomRecord record{};
        record.id = static_cast<AtomId>(a);
        record.x = system.x_ref[a];
        system.box.wrap(record.x);
        records.push_back(record);
    }
    return records;
}

TEST(TorsionOnlyText, MakesTheSameConstraintsAgain)
{
    const auto polymer = peptide(4, 3);
    const auto system = polymer_system(polymer, 2);
    const auto records = records_of(system);
    Parameters parameters;
    Notes notes;
    auto topology = system.topology;
    EXPECT_EQ(make_torsion_only({}, topology, parameters, records, system.box, notes), "");
    EXPECT_EQ(topology.molecule_types[0].planes.size(), 0u);

    parameters.constraints = ConstraintKind::torsion_only;
    const auto text = make_torsion_only({}, topology, parameters, records, system.box, notes);
    ASSERT_EQ(notes.texts().size(), 1u);
    EXPECT_NE(notes.texts()[0].find("16 rigid units"), std::string::npos) << notes.texts()[0];
    const auto expected =
        torsion_only(polymer.type, std::span(system.x_ref).first(polymer.positions.size()), system.box);
    auto again = system.topology;
    set_torsion_only(again, text);
    for (const auto* found : {&topology.molecule_types[0], &again.molecule_types[0]}) {
        ASSERT_EQ(found->constraints.size(), expected.constraints.size());
        for (std::size_t k = 0; k < expected.constraints.size(); ++k) {
            EXPECT_EQ(found->constraints[k].i, expected.constraints[k].i);
            EXPECT_EQ(found->constraints[k].j, expected.constraints[k].j);
            EXPECT_EQ(found->constraints[k].length, expected.constraints[k].length);
            EXPECT_EQ(found->constraints[k].from_angle, expected.constraints[k].from_angle);
        }
        ASSERT_EQ(found->planes.size(), expected.planes.size());
        for (std::size_t k = 0; k < expected.planes.size(); ++k) {
            EXPECT_EQ(found->planes[k].atoms, expected.planes[k].atoms);
            EXPECT_EQ(found->planes[k].area, expected.planes[k].area);
        }
        ASSERT_EQ(found->torsion_units.size(), expected.units.size());
        for (std::size_t k = 0; k < expected.units.size(); ++k)
            EXPECT_EQ(found->torsion_units[k], expected.units[k].atoms);
    }
}

TEST(TorsionOnlyText, IsRefusedIfItIsOfAnotherSystem)
{
    const auto system = polymer_system(peptide(1, 3));
    for (const char* text :
         {"3 d 0 1 0.1 0\n", "0 d 0 9999 0.1 0\n", "0 p 0 1 2 -1 0.1\n", "0 u 2 0 9999\n", "0 q\n"}) {
        auto topology = system.topology;
        EXPECT_THROW(set_torsion_only(topology, text), InputError) << text;
    }
}

} // namespace
} // namespace holon::test
