#include <holon/core/error.hpp>
#include <holon/io/index_file.hpp>

#include <gtest/gtest.h>

namespace holon {
namespace {

using Ranges = std::vector<std::pair<AtomId, AtomId>>;

void expect_index_error(const std::string& text, const std::string& message)
{
    try {
        parse_index(text, "index.ndx", 100);
        ADD_FAILURE() << "no error for: " << text;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

TEST(IndexFile, GroupsBecomeSortedDisjointRanges)
{
    const auto groups =
        parse_index("; comment\n[ System ]\n   1 2 3\r\n4\n[Odd]\n9 1 5 3 7 1\n\n[ a b ] ; note\n", "i.ndx", 9);
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].name, "System");
    EXPECT_EQ(groups[0].ranges, (Ranges{{0, 4}}));
    EXPECT_EQ(groups[1].name, "Odd");
    EXPECT_EQ(groups[1].ranges, (Ranges{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}}));
    EXPECT_EQ(groups[2].name, "a b");
    EXPECT_TRUE(groups[2].ranges.empty());
    EXPECT_TRUE(parse_index("", "i.ndx", 9).empty());
}

TEST(IndexFile, NamesAreFoundWhateverTheirCaseFirstOneFirst)
{
    const auto groups = parse_index("[ SOL ]\n1\n[ sol ]\n2\n", "i.ndx", 9);
    EXPECT_EQ(find_group(groups, "Sol"), &groups[0]);
    EXPECT_EQ(find_group(groups, "solv"), nullptr);
}

TEST(IndexFile, ErrorsNameTheLine)
{
    expect_index_error("1 2 3\n", "index.ndx:1: expected a group name");
    expect_index_error("[ A ]\n1 2\n0\n", "index.ndx:3: group A has atom 0");
    expect_index_error("[ A ]\n101\n", "index.ndx:2: group A has atom 101, but the system's atoms are 1 to 100");
    expect_index_error("[ A ]\n99999999999999999999\n", "index.ndx:2: expected an atom number");
    expect_index_error("[ A ]\n1 two\n", "index.ndx:2: expected an atom number in group A, found 'two'");
    expect_index_error("[ A ]\n2-4\n", "found '2-4'");
    expect_index_error("[ A \n1\n", "index.ndx:1: expected a group name as in [ name ]");
    expect_index_error("[ ]\n1\n", "index.ndx:1: expected a group name as in [ name ]");
    expect_index_error("\n\x01\x02\n", "index.ndx:2: expected a group name as in [ name ], found '?");
}

/// A molecule type from {residue name, atom names}.
MoleculeType molecule(const std::string& name,
                      const std::vector<std::pair<std::string, std::vector<std::string>>>& residues)
{
    MoleculeType type;
    type.name = name;
    for (const auto& [residue, atoms] : residues) {
        for (const std::string& atom : atoms)
            type.atoms.push_back({0, 1.0, 0.0, static_cast<int>(type.residues.size()), atom});
        type.residues.push_back({residue, static_cast<int>(type.residues.size()) + 1});
    }
    return type;
}

Topology system_of(std::vector<MoleculeType> types, const std::vector<std::pair<int, std::int64_t>>& blocks)
{
    Topology topology;
    topology.molecule_types = std::move(types);
    AtomId atom = 0;
    std::int64_t first = 0;
    for (const auto& [type, count] : blocks) {
        topology.blocks.push_back({type, count, atom, first});
        atom += static_cast<AtomId>(count) *
                static_cast<AtomId>(topology.molecule_types[static_cast<std::size_t>(type)].atoms.size());
        first += count;
    }
    return topology;
}

Ranges ranges_of(const Topology& topology, const std::string& name)
{
    const auto groups = default_groups(topology);
    const AtomGroup* group = find_group(groups, name);
    return group != nullptr ? group->ranges : Ranges{};
}

const MoleculeType water = molecule("SOL", {{"SOL", {"OW", "HW1", "HW2"}}});
const MoleculeType sodium = molecule("Sodium", {{"NA", {"NA"}}});

// Which atoms are in which group was compared with gmx make_ndx (2022.5).
TEST(DefaultGroups, OfAProteinInWaterWithIons)
{
    const Topology topology =
        system_of({molecule("Protein_chain_A",
                            {{"ALA", {"N", "H1", "CA", "HA", "CB", "1HB", "C", "O"}}, {"NME", {"N", "HN", "CH3"}}}),
                   water, sodium},
                  {{0, 1}, {1, 1000}, {2, 2}});
    EXPECT_EQ(ranges_of(topology, "System"), (Ranges{{0, 3013}}));
    EXPECT_EQ(ranges_of(topology, "Protein"), (Ranges{{0, 11}}));
    EXPECT_EQ(ranges_of(topology, "protein_chain_a"), (Ranges{{0, 11}}));
    EXPECT_EQ(ranges_of(topology, "Protein-H"), (Ranges{{0, 1}, {2, 3}, {4, 5}, {6, 9}, {10, 11}}));
    EXPECT_EQ(ranges_of(topology, "C-alpha"), (Ranges{{2, 3}}));
    EXPECT_EQ(ranges_of(topology, "Backbone"), (Ranges{{0, 1}, {2, 3}, {6, 7}, {8, 9}}));
    EXPECT_EQ(ranges_of(topology, "MainChain"), (Ranges{{0, 1}, {2, 3}, {6, 9}}));
    EXPECT_EQ(ranges_of(topology, "MainChain+Cb"), (Ranges{{0, 1}, {2, 3}, {4, 5}, {6, 9}}));
    EXPECT_EQ(ranges_of(topology, "MainChain+H"), (Ranges{{0, 3}, {6, 10}}));
    EXPECT_EQ(ranges_of(topology, "SideChain"), (Ranges{{3, 6}, {10, 11}}));
    EXPECT_EQ(ranges_of(topology, "SideChain-H"), (Ranges{{4, 5}, {10, 11}}));
    EXPECT_EQ(ranges_of(topology, "non-Protein"), (Ranges{{11, 3013}}));
    EXPECT_EQ(ranges_of(topology, "Water"), (Ranges{{11, 3011}}));
    EXPECT_EQ(ranges_of(topology, "SOL"), (Ranges{{11, 3011}}));
    EXPECT_EQ(ranges_of(topology, "non-water"), (Ranges{{0, 11}, {3011, 3013}}));
    EXPECT_EQ(ranges_of(topology, "Ion"), (Ranges{{3011, 3013}}));
    EXPECT_EQ(ranges_of(topology, "NA"), (Ranges{{3011, 3013}}));
    EXPECT_EQ(ranges_of(topology, "Water_and_ions"), (Ranges{{11, 3013}}));
    EXPECT_TRUE(ranges_of(topology, "Other").empty());
    EXPECT_TRUE(ranges_of(topology, "DNA").empty());
    EXPECT_TRUE(ranges_of(topology, "ALA").empty());
}

TEST(DefaultGroups, OfNucleicAcidsAndLigands)
{
    const Topology topology =
        system_of({molecule("duplex", {{"DA5", {"P", "C1'"}}, {"DT3", {"P"}}}), molecule("strand", {{"RU", {"P"}}}),
                   molecule("drug", {{"LIG", {"C1"}}, {"TAG", {"N1"}}}), molecule("lower", {{"ala", {"CA"}}})},
                  {{0, 2}, {1, 1}, {2, 2}, {3, 1}});
    EXPECT_EQ(ranges_of(topology, "DNA"), (Ranges{{0, 6}}));
    EXPECT_EQ(ranges_of(topology, "RNA"), (Ranges{{6, 7}}));
    EXPECT_EQ(ranges_of(topology, "Other"), (Ranges{{7, 12}}));
    EXPECT_EQ(ranges_of(topology, "LIG"), (Ranges{{7, 8}, {9, 10}}));
    EXPECT_EQ(ranges_of(topology, "TAG"), (Ranges{{8, 9}, {10, 11}}));
    EXPECT_EQ(ranges_of(topology, "drug"), (Ranges{{7, 11}}));
    EXPECT_TRUE(ranges_of(topology, "Protein").empty()) << "residue names are compared with case";
    EXPECT_EQ(default_groups(topology).front().name, "System");
}

TEST(DefaultGroups, AMillionWatersAreOneRange)
{
    const Topology topology = system_of({water}, {{0, 400'000}, {0, 600'000}});
    for (const AtomGroup& group : default_groups(topology))
        EXPECT_EQ(group.ranges, (Ranges{{0, 3'000'000}})) << group.name;
    EXPECT_TRUE(ranges_of(topology, "non-Water").empty());
}

} // namespace
} // namespace holon
