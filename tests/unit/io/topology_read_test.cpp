#include "topology_case.hpp"

#include <holon/core/units.hpp>

#include <chrono>
#include <cmath>

namespace holon::test {
namespace {

using Atoms = std::vector<std::int32_t>;
constexpr double degree = units::degree;

/// A chain of five atoms of types A, A, B, A, C named CA H1 h2 1H X, with four bonds.
std::string chain(const std::string& force_field, const std::string& molecule, int nrexcl = 3)
{
    return "[ defaults ]\n1 2 yes 0.5 0.8\n[ atomtypes ]\n"
           "A  12.0  0.1  A 0.3 0.5\nB 7 14.0 0.2 A 0.2 0.7\nC CB 6 12.5 0.0 A 0.4 0.0\nUNUSED 1 0 A 0.1 0.1\n"
           "[ bondtypes ]\nA A 1 0.15 1000\nB A 1 0.16 2000\nA CB 1 0.17 3000\n" +
           force_field + "[ moleculetype ]\nchain " + std::to_string(nrexcl) +
           "\n[ atoms ]\n1 A 1 R1 CA 1\n2 A 1 R1 H1 1 0.5\n3 B 2 R2 h2 1 -0.5 1.5\n4 A 2 R2 1H 1\n5 C 2B R2 X 1\n"
           "[ bonds ]\n1 2 1\n2 3\n3 4 1\n4 5 1\n" +
           molecule + "[ system ]\nname of it\n[ molecules ]\nchain 1\n";
}

TEST(TopologyRead, AtomsTypesAndResidues)
{
    const auto topology = topology_of(chain("", ""));
    const MoleculeType& type = topology.molecule_types.at(0);
    EXPECT_EQ(topology.name, "name of it");
    EXPECT_EQ(type.name, "chain");
    ASSERT_EQ(type.atoms.size(), 5u);
    EXPECT_EQ(type.atoms[0].charge, 0.1); // from its type
    EXPECT_EQ(type.atoms[1].charge, 0.5);
    EXPECT_EQ(type.atoms[1].mass, 12.0);
    EXPECT_EQ(type.atoms[2].mass, 1.5);
    EXPECT_EQ(type.atoms[3].name, "1H");
    ASSERT_EQ(type.residues.size(), 3u); // 2 and 2B are two residues
    EXPECT_EQ(type.residues[2].number, 2);
    EXPECT_EQ(type.residues[2].name, "R2");
    EXPECT_EQ(type.atoms[4].residue, 2);
    ASSERT_EQ(topology.atom_types.size(), 3u); // UNUSED is not kept
    EXPECT_EQ(topology.atom_types[1].name, "B");
    EXPECT_EQ(topology.atom_types[0].atomic_number, -1);
    EXPECT_EQ(topology.atom_types[1].atomic_number, 7);
    EXPECT_EQ(topology.atom_types[2].atomic_number, 6);
    EXPECT_EQ(topology.c6.size(), 9u);
}

TEST(TopologyRead, ABondedTypeMayBeginWithADigit)
{
    // As in AMBER; what is all digits is an atomic number.
    const auto topology = topology_of("[ defaults ]\n1 2 yes 0.5 0.8\n[ atomtypes ]\n"
                                      "C1 2C 12.0 0.0 A 0.3 0.5\n_ _b 6 12.0 0.0 A 0.3 0.5\n4_ 7 14.0 0.0 A 0.3 0.5\n"
                                      "[ bondtypes ]\n2C _b 1 0.11 900\n"
                                      "[ moleculetype ]\nmol 3\n[ atoms ]\n1 C1 1 R A 1\n2 _ 1 R B 1\n3 4_ 1 R C 1\n"
                                      "[ bonds ]\n1 2 1\n[ system ]\ntest\n[ molecules ]\nmol 1\n");
    EXPECT_EQ(parameters(topology, Interaction::harmonic_bond, 0), (InteractionParameters{0.11, 900}));
    ASSERT_EQ(topology.atom_types.size(), 3u);
    EXPECT_EQ(topology.atom_types[0].atomic_number, -1);
    EXPECT_EQ(topology.atom_types[1].atomic_number, 6);
    EXPECT_EQ(topology.atom_types[2].atomic_number, 7);
}

TEST(TopologyRead, BondsTakeParametersByTypeInEitherDirection)
{
    const auto topology = topology_of(chain("", "5 1 1 0.3 70\n5 2 6 0.3 70\n5 3 3 0.2 400 20\n4 1 2 0.15 1e6\n"));
    EXPECT_EQ(terms(topology, Interaction::harmonic_bond).atoms, (Atoms{0, 1, 1, 2, 2, 3, 3, 4, 4, 0, 4, 1}));
    EXPECT_EQ(parameters(topology, Interaction::harmonic_bond, 1), (InteractionParameters{0.16, 2000}));
    EXPECT_EQ(parameters(topology, Interaction::harmonic_bond, 2), (InteractionParameters{0.16, 2000}));
    EXPECT_EQ(parameters(topology, Interaction::harmonic_bond, 3),
              (InteractionParameters{0.17, 3000})); // bonded type CB
    EXPECT_EQ(parameters(topology, Interaction::harmonic_bond, 5), (InteractionParameters{0.3, 70}));
    EXPECT_EQ(parameters(topology, Interaction::morse_bond, 0), (InteractionParameters{0.2, 400, 20}));
    EXPECT_EQ(parameters(topology, Interaction::g96_bond, 0), (InteractionParameters{0.15, 1e6}));
    const auto& sets = topology.parameters[static_cast<std::size_t>(Interaction::harmonic_bond)];
    EXPECT_EQ(sets.size(), 4u); // shared
}

TEST(TopologyRead, ExclusionsFollowChemicalBonds)
{
    // 5-1 by function 6 is no chemical bond; 1-5 excluded by hand.
    for (int nrexcl = 0; nrexcl <= 3; ++nrexcl) {
        const auto topology = topology_of(chain("", "5 1 6 0.3 70\n[ exclusions ]\n5 1 1\n", nrexcl));
        const auto& exclusions = topology.molecule_types[0].exclusions;
        std::size_t pairs = 0;
        for (std::int32_t i = 0; i < 5; ++i) {
            Atoms expected;
            for (std::int32_t j = 0; j < 5; ++j)
                if (i != j && (std::abs(i - j) <= nrexcl || std::abs(i - j) == 4)) expected.push_back(j);
            EXPECT_EQ(exclusions[static_cast<std::size_t>(i)], expected) << "nrexcl " << nrexcl << " atom " << i;
            for (const auto j : expected) pairs += j > i;
        }
        EXPECT_EQ(terms(topology, Interaction::excluded_pair).size(), pairs);
    }
    const auto connected = topology_of(chain("", "5 1 5 words after it\n", 1)); // function 5 is one
    EXPECT_EQ(connected.molecule_types[0].exclusions[0], (Atoms{1, 4}));
    EXPECT_EQ(terms(connected, Interaction::harmonic_bond).size(), 4u);
    const auto with_constraints = topology_of(chain("", "[ constraints ]\n1 3 1 0.2\n1 5 2 0.3\n", 1));
    EXPECT_EQ(with_constraints.molecule_types[0].exclusions[0], (Atoms{1, 2})); // function 1 counts, 2 does not
    EXPECT_EQ(with_constraints.molecule_types[0].constraints.size(), 2u);

    using Bonds = std::vector<std::pair<std::int32_t, std::int32_t>>;
    EXPECT_EQ(topology_of(chain("", "5 1 6 0.3 70\n2 1\n")).molecule_types[0].distinct_bonds(),
              (Bonds{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
    EXPECT_EQ(connected.molecule_types[0].distinct_bonds(), (Bonds{{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 4}}));
    EXPECT_EQ(with_constraints.molecule_types[0].distinct_bonds(), (Bonds{{0, 1}, {0, 2}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST(TopologyRead, AnglesInRadians)
{
    const auto topology =
        topology_of(chain("[ angletypes ]\nA A B 5 110 200 0.25 3000\n",
                          "[ angles ]\n3 2 1 5\n1 2 3 1 120 50\n1 2 4 2 90 40 95 45\n1 2 5 1 120 0\n"));
    EXPECT_EQ(parameters(topology, Interaction::urey_bradley, 0),
              (InteractionParameters{110 * degree, 200, 0.25, 3000}));
    EXPECT_EQ(terms(topology, Interaction::urey_bradley).atoms, (Atoms{2, 1, 0}));
    EXPECT_EQ(parameters(topology, Interaction::harmonic_angle, 0), (InteractionParameters{120 * degree, 50}));
    EXPECT_EQ(terms(topology, Interaction::harmonic_angle).size(), 1u); // the one without a force constant is left out
    EXPECT_EQ(parameters(topology, Interaction::g96_angle, 0), (InteractionParameters{90 * degree, 40})); // A state
}

TEST(TopologyRead, DihedralsPreferTheMostExactTypeAndTakeItsConsecutiveLines)
{
    const std::string types =
        "[ dihedraltypes ]\nX A B X 9 0 1 1\nX A B A 9 10 2 1\nX A B A 9 20 3 2\nX A B A 9 30 4 3\n"
        "A X X CB 9 0 5 1\n";
    const auto topology = topology_of(chain(types, "[ dihedrals ]\n1 2 3 4 9\n4 3 2 1 1\n2 1 3 5 9\n1 2 4 5 9\n"));
    ASSERT_EQ(terms(topology, Interaction::proper_dihedral).size(), 8u);
    for (std::size_t k = 0; k < 3; ++k) { // X A B A, three lines, for both directions and for function 1 as well
        const InteractionParameters expected{10.0 * static_cast<double>(k + 1) * degree, 2.0 + static_cast<double>(k),
                                             1.0 + static_cast<double>(k)};
        EXPECT_EQ(parameters(topology, Interaction::proper_dihedral, k), expected);
        EXPECT_EQ(parameters(topology, Interaction::proper_dihedral, 3 + k), expected);
    }
    EXPECT_EQ(parameters(topology, Interaction::proper_dihedral, 6)[1],
              1.0); // A A B CB: two match equally, the first wins
    EXPECT_EQ(parameters(topology, Interaction::proper_dihedral, 7)[1], 5.0); // A A A CB
}

TEST(TopologyRead, OtherDihedrals)
{
    const std::string types =
        "[ dihedraltypes ]\nA B 2 0 44\nA B 1 180 5 2\nA A B A 3 1 2 3 4 5 6\nA X X A 4 180 7 2\n";
    const auto topology = topology_of(chain(types, "[ dihedrals ]\n1 2 4 3 2\n1 2 3 4 1\n1 2 3 4 3\n1 2 3 4 4\n"
                                                   "1 2 3 5 5 1 2 3 4\n1 2 3 5 3 0 0 0 0 0 0\n1 2 3 5 4 0 0 2\n"));
    EXPECT_EQ(parameters(topology, Interaction::harmonic_improper, 0), (InteractionParameters{0, 44})); // outer types
    EXPECT_EQ(parameters(topology, Interaction::proper_dihedral, 0),
              (InteractionParameters{180 * degree, 5, 2})); // inner
    EXPECT_EQ(parameters(topology, Interaction::periodic_improper, 0), (InteractionParameters{180 * degree, 7, 2}));
    EXPECT_EQ(terms(topology, Interaction::periodic_improper).size(), 1u); // the zero one is left out
    ASSERT_EQ(terms(topology, Interaction::ryckaert_bellemans).size(), 2u);
    EXPECT_EQ(parameters(topology, Interaction::ryckaert_bellemans, 0), (InteractionParameters{1, 2, 3, 4, 5, 6}));
}

TEST(TopologyRead, FourierDihedralIsTheSameFunctionAsRyckaertBellemans)
{
    const double f[4] = {1.3, -2.1, 3.7, 0.9};
    const auto topology = topology_of(chain("", "[ dihedrals ]\n1 2 3 4 5 1.3 -2.1 3.7 0.9\n"));
    const auto& c = parameters(topology, Interaction::ryckaert_bellemans, 0);
    for (double phi = -3.0; phi <= 3.1; phi += 0.5) {
        const double fourier = 0.5 * (f[0] * (1 + std::cos(phi)) + f[1] * (1 - std::cos(2 * phi)) +
                                      f[2] * (1 + std::cos(3 * phi)) + f[3] * (1 - std::cos(4 * phi)));
        double polynomial = 0.0;
        for (std::size_t n = 0; n < 6; ++n)
            polynomial += c[n] * std::pow(std::cos(phi - units::pi), static_cast<double>(n));
        EXPECT_NEAR(polynomial, fourier, 1e-13);
    }
}

/// Two atoms of types A and B under a combination rule, with a 1-4 pair between them.
Topology two_types(int rule, const std::string& extra = "", const std::string& pair = "1 2 1",
                   const std::string& generate = "yes")
{
    return topology_of("[ defaults ]\n1 " + std::to_string(rule) + " " + generate +
                       " 0.25 0.75\n[ atomtypes ]\nA 1 0 A 0.3 0.5\nB 1 0 A 0.2 0.7\n" + extra +
                       "[ moleculetype ]\nm 0\n[ atoms ]\n1 A 1 R a 1\n2 B 1 R b 1\n[ pairs ]\n" + pair +
                       "\n[ system ]\ns\n[ molecules ]\nm 1\n");
}

void expect_c6_c12(double c6, double c12, double expected_c6, double expected_c12)
{
    EXPECT_NEAR(c6, expected_c6, 1e-14 * std::abs(expected_c6));
    EXPECT_NEAR(c12, expected_c12, 1e-14 * std::abs(expected_c12));
}

TEST(TopologyRead, CombinationRulesAndGeneratedPairs)
{
    const auto lj = [](double sigma, double epsilon) {
        return std::array{4 * epsilon * std::pow(sigma, 6), 4 * epsilon * std::pow(sigma, 12)};
    };
    const std::array<double, 2> expected[] = {
        {std::sqrt(0.3 * 0.2), std::sqrt(0.5 * 0.7)}, lj(0.25, std::sqrt(0.35)), lj(std::sqrt(0.06), std::sqrt(0.35))};
    for (int rule = 1; rule <= 3; ++rule) {
        const auto topology = two_types(rule);
        const auto [c6, c12] = expected[rule - 1];
        expect_c6_c12(topology.c6[1], topology.c12[1], c6, c12);
        EXPECT_EQ(topology.c6[1], topology.c6[2]);
        const auto own = rule == 1 ? std::array{0.3, 0.5} : lj(0.3, 0.5);
        expect_c6_c12(topology.c6[0], topology.c12[0], own[0], own[1]);
        const auto& pair = parameters(topology, Interaction::pair_14, 0);
        expect_c6_c12(pair[0], pair[1], 0.25 * c6, 0.25 * c12);
        EXPECT_EQ(topology.fudge_qq, 0.75);
    }
}

TEST(TopologyRead, ExplicitPairParametersReplaceTheRules)
{
    // [ nonbond_params ] also count for generated pairs.
    auto topology = two_types(1, "[ nonbond_params ]\nB A 1 2 8\n");
    EXPECT_EQ(topology.c6[1], 2.0);
    EXPECT_EQ(topology.c12[2], 8.0);
    EXPECT_EQ(parameters(topology, Interaction::pair_14, 0), (InteractionParameters{0.5, 2}));

    topology = two_types(1, "[ nonbond_params ]\nB A 1 2 8\n[ pairtypes ]\nB A 1 5 6\n", "1 2 1", "no");
    EXPECT_EQ(parameters(topology, Interaction::pair_14, 0), (InteractionParameters{5, 6}));

    topology = two_types(1, "", "1 2 1 7 9\n1 2 2 0.5 0.4 -0.3 10 11", "no");
    EXPECT_EQ(parameters(topology, Interaction::pair_14, 0), (InteractionParameters{7, 9}));
    EXPECT_EQ(parameters(topology, Interaction::pair_14_explicit, 0),
              (InteractionParameters{10, 11, 0.5 * 0.4 * -0.3}));

    topology = two_types(2, "", "1 2 1 0.1 3", "no"); // given pairs are not scaled
    const auto& pair = parameters(topology, Interaction::pair_14, 0);
    expect_c6_c12(pair[0], pair[1], 12e-6, 12e-12);
}

TEST(TopologyRead, NegativeSigmaMeansNoDispersion)
{
    const auto topology = two_types(2, "B 1 0 A -0.2 0.7\n");
    EXPECT_EQ(topology.c6[1], 0.0);
    EXPECT_NEAR(topology.c12[1], 4 * std::sqrt(0.35) * std::pow(0.25, 12), 1e-20);
    EXPECT_EQ(topology.c6[3], 0.0);
    EXPECT_NEAR(topology.c12[3], 4 * 0.7 * std::pow(0.2, 12), 1e-20);
}

TEST(TopologyRead, BondsBecomeConstraints)
{
    const std::string more = "5 1 6 0.3 70\n1 3 2 0.2 5\n[ constraints ]\n5 2 2 0.4\n2 1 1 0.15\n";
    const auto text = chain("[ constrainttypes ]\nA A 1 0.99\n", more);
    const auto list = [](const Topology& topology) {
        std::vector<std::array<double, 3>> result;
        for (const auto& c : topology.molecule_types[0].constraints)
            result.push_back({double(c.i), double(c.j), c.length});
        return result;
    };
    using List = std::vector<std::array<double, 3>>;

    EXPECT_EQ(list(topology_of(text)), (List{{0, 1, 0.15}, {1, 4, 0.4}}));
    const auto h_bonds = topology_of(text, ConstraintKind::h_bonds); // H1 and h2 are hydrogens, 1H is not
    EXPECT_EQ(list(h_bonds), (List{{0, 1, 0.15}, {0, 2, 0.2}, {1, 2, 0.16}, {1, 4, 0.4}, {2, 3, 0.16}}));
    EXPECT_EQ(terms(h_bonds, Interaction::harmonic_bond).atoms, (Atoms{3, 4, 4, 0}));
    EXPECT_EQ(terms(h_bonds, Interaction::g96_bond).size(), 0u);
    const auto all_bonds = topology_of(text, ConstraintKind::all_bonds);
    EXPECT_EQ(list(all_bonds),
              (List{{0, 1, 0.15}, {0, 2, 0.2}, {1, 2, 0.16}, {1, 4, 0.4}, {2, 3, 0.16}, {3, 4, 0.17}}));
    EXPECT_EQ(terms(all_bonds, Interaction::harmonic_bond).atoms, (Atoms{4, 0})); // function 6 stays a bond
    EXPECT_EQ(all_bonds.molecule_types[0].exclusions, topology_of(text).molecule_types[0].exclusions);
}

const std::string water =
    "[ moleculetype ]\nSOL 2\n[ atoms ]\n1 OW 1 SOL OW 1 -0.8 16\n2 HW 1 SOL HW1 1 0.4 1\n3 HW 1 SOL HW2 1 0.4 1\n";
const std::string water_types = "[ defaults ]\n1 2\n[ atomtypes ]\nOW 16 0 A 0.3 0.6\nHW 1 0 A 0 0\n";

TEST(TopologyRead, SettleKeepsItsAtomsFromOtherConstraints)
{
    const std::string bonds =
        "[ bonds ]\n1 2 1 0.1 1000\n1 3 1 0.1 1000\n[ settles ]\n1 1 0.1 0.16\n[ exclusions ]\n1 2 3\n2 3\n";
    const std::string end = "[ system ]\ns\n[ molecules ]\nSOL 2\n";
    const auto topology = topology_of(water_types + water + bonds + end, ConstraintKind::h_bonds);
    const MoleculeType& type = topology.molecule_types[0];
    ASSERT_EQ(type.settles.size(), 1u);
    EXPECT_EQ(type.settles[0].d_hh, 0.16);
    EXPECT_TRUE(type.constraints.empty());
    EXPECT_EQ(terms(topology, Interaction::harmonic_bond).size(), 0u);
    EXPECT_EQ(terms(topology, Interaction::excluded_pair).size(), 3u);
    EXPECT_EQ(topology.n_constraints(), 6);
    EXPECT_EQ(type.distinct_bonds(), (std::vector<std::pair<std::int32_t, std::int32_t>>{{0, 1}, {0, 2}}));
    EXPECT_EQ(topology.c6[1], 0.0);
    EXPECT_EQ(terms(topology_of(water_types + water + bonds + end), Interaction::harmonic_bond).size(), 2u);
}

TEST(TopologyRead, MoleculesInOrderAndOnlyThoseInUse)
{
    const std::string others = "[ moleculetype ]\nodd 1\n[ atoms ]\n1 NOTYPE x\n[ virtual_sites3 ]\n1\n[ moleculetype "
                               "]\nAr 1\n[ atoms ]\n1 OW 1 AR Ar 1 0 40\n";
    const auto topology =
        topology_of(water_types + others + water + "[ system ]\ns\n[ molecules ]\nSOL 2 ; two\nodd 0\nar 3\nSOL 1\n");
    ASSERT_EQ(topology.molecule_types.size(), 2u);
    ASSERT_EQ(topology.blocks.size(), 3u);
    EXPECT_EQ(topology.molecule_types[static_cast<std::size_t>(topology.blocks[1].type)].name,
              "Ar"); // case does not matter
    EXPECT_EQ(topology.blocks[2].type, topology.blocks[0].type);
    EXPECT_EQ(topology.blocks[2].first_atom, 9);
    EXPECT_EQ(topology.blocks[2].first_molecule, 5);
    EXPECT_EQ(topology.n_atoms(), 12);
    EXPECT_EQ(topology.n_molecules(), 6);
    EXPECT_NEAR(topology.total_charge(), 0.0, 1e-15);
}

TEST(TopologyRead, CorrectionMaps)
{
    std::string grid = "[ cmaptypes ]\nA A B A CB 1 4 4\\\n";
    for (int k = 0; k < 16; ++k) grid += std::to_string(k) + (k % 4 == 3 && k < 15 ? "\\\n" : " ");
    const auto topology = topology_of(chain(grid + "\n", "[ cmap ]\n1 2 3 4 5 1\n"));
    EXPECT_EQ(terms(topology, Interaction::cmap).atoms, (Atoms{0, 1, 2, 3, 4}));
    EXPECT_EQ(parameters(topology, Interaction::cmap, 0)[0], 0.0);
    ASSERT_EQ(topology.cmap_grids.size(), 1u);
    EXPECT_EQ(topology.cmap_grids[0].size, 4);
    EXPECT_EQ(topology.cmap_grids[0].energy[7], 7.0);
    EXPECT_THROW(topology_of(chain(grid + "\n", "[ cmap ]\n5 4 3 2 1 1\n")), InputError); // the direction matters
}

TEST(TopologyRead, PositionRestraints)
{
    const auto topology = topology_of(chain("", "[ position_restraints ]\n2 1 10 20 30\n5 1 1 1 1\n"));
    EXPECT_EQ(terms(topology, Interaction::position_restraint).atoms, (Atoms{1, 4}));
    EXPECT_EQ(parameters(topology, Interaction::position_restraint, 0), (InteractionParameters{10, 20, 30}));
}

TEST(TopologyRead, NotesOnWhatTheUserShouldSee)
{
    Notes notes;
    read_topology(expanded(chain("[ bondtypes ]\nA A 1 0.15 1000\nA B 1 0.2 1\n", ""), {{}, {"POSRE"}}), {}, notes);
    ASSERT_EQ(notes.texts().size(), 3u);
    EXPECT_NE(notes.texts()[0].find("topol.top:14: [ bondtypes ]"), std::string::npos);
    EXPECT_NE(notes.texts()[1].find("POSRE"), std::string::npos);
    EXPECT_NE(notes.texts()[2].find("net charge of 0.2000 e"), std::string::npos);
}

TEST(TopologyRead, AMillionAtomsOfWaterAreAsSmallAsOne)
{
    const auto start = std::chrono::steady_clock::now();
    const auto topology =
        topology_of(water_types + water + "[ settles ]\n1 1 0.1 0.16\n[ system ]\ns\n[ molecules ]\nSOL 333334\n");
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(1));
    EXPECT_EQ(topology.n_atoms(), 1'000'002);
    EXPECT_EQ(topology.atom(1'000'001).name, "HW2");
    EXPECT_EQ(topology.molecule_types[0].atoms.size(), 3u);
}

/// Counts that gmx grompp and gmx dump (2022.5) give for the protein of this system.
TEST(TopologyRead, LysozymeAsGromacsReadsIt)
{
    const std::string path = std::string(HOLON_SOURCE_DIR) + "/../shared/systems/lysozyme/topol.top";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
    Notes notes;
    const auto topology = read_topology(expand_topology(path, {}), {ConstraintKind::h_bonds}, notes);
    EXPECT_EQ(topology.n_atoms(), 33876);
    EXPECT_EQ(topology.n_constraints(), 32867);
    EXPECT_EQ(topology.molecule_types[0].constraints.size(), 959u);
    const std::pair<Interaction, std::size_t> counts[] = {
        {Interaction::harmonic_bond, 1025},   {Interaction::harmonic_angle, 3547},
        {Interaction::proper_dihedral, 5574}, {Interaction::periodic_improper, 426},
        {Interaction::pair_14, 5106},         {Interaction::excluded_pair, 10637}};
    for (const auto& [kind, count] : counts) EXPECT_EQ(terms(topology, kind).size(), count);
    EXPECT_NEAR(topology.total_charge(), 0.0, 1e-6);

    const auto h_angles = read_topology(expand_topology(path, {}), {ConstraintKind::h_angles}, notes);
    EXPECT_EQ(h_angles.molecule_types[0].constraints.size(), 2402u);
    EXPECT_EQ(terms(h_angles, Interaction::harmonic_angle).size(), 3129u);
    EXPECT_EQ(terms(h_angles, Interaction::harmonic_bond).size(), 0u);
}

} // namespace
} // namespace holon::test
