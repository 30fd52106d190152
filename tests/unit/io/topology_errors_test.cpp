#include "topology_case.hpp"

#include <algorithm>
#include <random>

/// Every mistake in a topology must give one message with file, line and what is wrong; nothing may crash or hang.
namespace holon::test {
namespace {

/// A correct topology with one place per section where a case can put a line. Line numbers as commented.
struct Parts {
    std::string defaults = "1 2 yes 0.5 0.8";                    // 2
    std::string atom_types = "A 12.0 0.0 A 0.3 0.5";             // 4
    std::string bond_types = "A A 1 0.15 1000";                  // 8
    std::string types = "";                                      // 9
    std::string molecule = "[ moleculetype ]\nmol 3\n[ atoms ]"; // 10 - 12
    std::string atom = "1 A 1 RES CA 1 0.1 12";                  // 13
    std::string lines = "";                                      // 17
    std::string system = "[ system ]\ntest\n[ molecules ]";      // 18 - 20
    std::string molecules = "mol 2";                             // 21

    std::string text() const
    {
        return "[ defaults ]\n" + defaults + "\n[ atomtypes ]\n" + atom_types +
               "\nB 1.0 0.0 A 0.1 0.1\nV 0 0 V 0 0\n[ bondtypes ]\n" + bond_types + "\n" + types + "\n" + molecule +
               "\n" + atom + "\n2 A 1 RES CB 1\n3 A 1 RES CG 1\n4 B 1 RES H 1\n" + lines + "\n" + system + "\n" +
               molecules + "\n";
    }
};

struct Case {
    std::string Parts::*part;
    const char* text;
    const char* message; // from the line number on
};

TEST(TopologyErrors, TheUnchangedTopologyIsCorrect)
{
    EXPECT_EQ(topology_of(Parts{}.text()).n_atoms(), 8);
}

TEST(TopologyErrors, RemarksBehindTheNumbersAreNotRead)
{
    Parts parts;
    parts.bond_types = "A A 1 0.15 1000 # of the force field";
    parts.types = "[ nonbond_params ]\nA A 1 0.3 0.4 # strong, 5 of 9\nA B 1 0.3 0.5 level II 3";
    parts.lines = "[ bonds ]\n1 2 1 // from the types\n2 3 1 0.2 500 2 3 of the ring\n1 3 1 0.2 500 taken 12 Feb";
    const auto topology = topology_of(parts.text());
    const auto& bonds = topology.molecule_types.front().interactions[index(Interaction::harmonic_bond)];
    std::vector<double> lengths;
    for (const auto set : bonds.parameters)
        lengths.push_back(topology.parameters[index(Interaction::harmonic_bond)][static_cast<std::size_t>(set)][0]);
    EXPECT_EQ(lengths, (std::vector{0.15, 0.2, 0.2}));
}

const Case force_field_cases[] = {
    {&Parts::defaults, "1", "2: [ defaults ]: the combination rule is missing"},
    {&Parts::defaults, "2 1", "2: [ defaults ]: nbfunc must be 1"},
    {&Parts::defaults, "1 4", "2: [ defaults ]: the combination rule must be 1, 2 or 3, not 4"},
    {&Parts::defaults, "one 2", "2: [ defaults ]: nbfunc must be an integer, not 'one'"},
    {&Parts::defaults, "1 2 yes nan 1", "2: [ defaults ]: fudgeLJ must be a number, not 'nan'"},
    {&Parts::defaults, "1 2 no 1 1 9", "2: [ defaults ]: the power of the repulsion must be 12"},
    {&Parts::defaults, "1 2\n1 2", "3: [ defaults ]: a second [ defaults ]"},
    {&Parts::defaults, "1 2\n[ bondtypes ]", "3: [ bondtypes ] is out of order: [ atomtypes ] must come before it"},
    {&Parts::atom_types, "A 12.0 0.0 A 0.3",
     "4: [ atomtypes ]: the particle type or a Lennard-Jones parameter is missing"},
    {&Parts::atom_types, "A 12.0 0.0 0.0 0.3 0.5", "4: [ atomtypes ]: no particle type"},
    {&Parts::atom_types, "A 12.0 0.0 Q 0.3 0.5", "4: [ atomtypes ]: the particle type must be A, S, V or D, not 'Q'"},
    {&Parts::atom_types, "A heavy 0.0 A 0.3 0.5", "4: [ atomtypes ]: the mass must be a number, not 'heavy'"},
    {&Parts::atom_types, "A 12.0 1e999 A 0.3 0.5", "4: [ atomtypes ]: the charge must be a number"},
    {&Parts::defaults, "1 1\n[ atomtypes ]\nQ 12.0 0.0 A 0.3 -0.5",
     "4: [ atomtypes ]: a negative Lennard-Jones parameter"},
    {&Parts::bond_types, "A A 1 0.15",
     "8: [ bondtypes ]: wrong number of parameters for a harmonic bond: 1 instead of 2"},
    {&Parts::bond_types, "A A 1 0.15 1000 1", "8: [ bondtypes ]: wrong number of parameters"},
    {&Parts::bond_types, "A A 1 0.15 stiff", "8: [ bondtypes ]: a parameter must be a number, not 'stiff'"},
    {&Parts::bond_types, "A Q 1 0.15 1000", "8: [ bondtypes ]: unknown atom type 'Q'"},
    {&Parts::bond_types, "A A 77 0.15 1000", "8: [ bondtypes ]: there is no function type '77'"},
    {&Parts::bond_types, "A A", "8: [ bondtypes ]: an atom type or the function type is missing"},
    {&Parts::types, "[ pairtypes ]\nA Q 1 1 1", "10: [ pairtypes ]: unknown atom type 'Q'"},
    {&Parts::types, "[ nonbond_params ]\nA A 2 1 1 1", "10: [ nonbond_params ]: function type '2' is not supported"},
    {&Parts::types, "[ nonbond_params ]\nA A 1 1",
     "10: [ nonbond_params ]: wrong number of parameters: 1 instead of 2"},
    {&Parts::types, "[ nonbond_params ]\nA", "10: [ nonbond_params ]: an atom type is missing"},
    {&Parts::types, "[ dihedraltypes ]\nX A A X 9 0 1 1\nA A A A 9 0 1 1\nX A A X 9 0 2 2",
     "12: [ dihedraltypes ]: a second block of parameters"},
    {&Parts::types, "[ cmaptypes ]\nA A A A A 1 24 24 1 2",
     "10: [ cmaptypes ]: the correction map has 2 values instead of 576"},
    {&Parts::types, "[ cmaptypes ]\nA A A A A 1 24 23 1 2", "10: [ cmaptypes ]: a correction map needs a square grid"},
    {&Parts::types, "[ cmaptypes ]\nA A A", "10: [ cmaptypes ]: an atom type is missing"},
    {&Parts::types, "[ colours ]", "9: unknown section [ colours ]"},
    {&Parts::types, "[ bonds ]", "9: [ bonds ] is out of order: it must follow a [ moleculetype ]"},
    {&Parts::types, "[ system ]", "9: [ system ] is out of order: there is no [ moleculetype ] yet"},
    {&Parts::types, "[ moleculetype", "9: '[ moleculetype' has no closing bracket"},
};

const Case molecule_cases[] = {
    {&Parts::molecule, "[ moleculetype ]\nmol\n[ atoms ]", "11: [ moleculetype ]: nrexcl is missing"},
    {&Parts::molecule, "[ moleculetype ]\nmol -1\n[ atoms ]", "11: [ moleculetype ]: nrexcl, the number of bonds"},
    {&Parts::molecule, "[ moleculetype ]\n[ atoms ]",
     "11: [ atoms ] is out of order: it must follow a [ moleculetype ]"},
    {&Parts::molecule, "[ moleculetype ]\nmol 3\n[ bonds ]",
     "12: [ bonds ] is out of order: [ atoms ] must come before it"},
    {&Parts::atom, "2 A 1 RES CA 1 0.1 12",
     "13: [ atoms ]: atoms must be numbered consecutively from 1: found 2 instead of 1"},
    {&Parts::atom, "1 Q 1 RES CA 1 0.1 12", "13: [ atoms ]: unknown atom type 'Q'"},
    {&Parts::atom, "1 A one RES CA 1 0.1 12", "13: [ atoms ]: the residue number must be an integer, not 'one'"},
    {&Parts::atom, "1 A 1 RES CA", "13: [ atoms ]: the charge group is missing"},
    {&Parts::atom, "1 A 1 RES CA 1 + 12", "13: [ atoms ]: the charge must be a number, not '+'"},
    {&Parts::atom, "1 A 1 RES CA 1 0.1 12,0", "13: [ atoms ]: the mass must be a number, not '12,0'"},
    {&Parts::atom, "1 A 1 RES CA 1 0.1 0", "13: [ atoms ]: atom CA of residue RES has mass 0; it must be above zero"},
    {&Parts::atom, "1 A 1 RES CA 1 0.1 -12", "13: [ atoms ]: atom CA of residue RES has mass -12"},
    {&Parts::atom, "1 V 1 RES CA 1 0.1 12",
     "13: [ atoms ]: type V stands for virtual sites, which have no mass, but atom CA has 12"},
    {&Parts::lines, "[ bonds ]\n1 5 1", "18: [ bonds ]: atom 5 is out of bounds: molecule type 'mol' has 4 atoms"},
    {&Parts::lines, "[ bonds ]\n0 1 1", "18: [ bonds ]: atom 0 is out of bounds"},
    {&Parts::lines, "[ bonds ]\n1 1 1", "18: [ bonds ]: atom 1 stands here twice"},
    {&Parts::lines, "[ bonds ]\n1", "18: [ bonds ]: an atom number is missing"},
    {&Parts::lines, "[ bonds ]\n1 2 12", "18: [ bonds ]: there is no function type 12"},
    {&Parts::lines, "[ bonds ]\n1 2 8 0 1", "18: [ bonds ]: there is no table_b0.xvg: put it beside"},
    {&Parts::lines, "[ bonds ]\n1 2 7 0 1", "18: [ bonds ]: the parameters of a FENE bond need a largest length"},
    {&Parts::lines, "[ bonds ]\n1 2 10 0.1 0.3 0.2 1", "18: [ bonds ]: the parameters of a restraint potential need"},
    {&Parts::lines, "[ dihedrals ]\n1 2 3 4 11 1 2 3 4",
     "18: [ dihedrals ]: wrong number of parameters for a combined"},
    {&Parts::lines, "[ dihedral_restraints ]\n1 2 3 4 1 0 -1 1", "18: [ dihedral_restraints ]: the parameters of a"},
    {&Parts::lines, "[ angle_restraints ]\n1 2 3 4 1 0 1 1.5", "18: [ angle_restraints ]: the multiplicity"},
    {&Parts::lines, "[ pairs_nb ]\n1 2 1", "18: [ pairs_nb ]: no parameters for a pair with charges"},
    {&Parts::lines, "[ bonds ]\n1 2 1 0.1", "18: [ bonds ]: wrong number of parameters for a harmonic bond: 1 after"},
    {&Parts::lines, "[ bonds ]\n1 2 1 gb_2", "18: [ bonds ]: wrong number of parameters"},
    {&Parts::lines, "[ bonds ]\n1 2 1 0.1 gb_2",
     "18: [ bonds ]: a parameter must be a number, not 'gb_2' (if it is a macro"},
    {&Parts::lines, "[ bonds ]\n1 4 1",
     "18: [ bonds ]: no parameters for a harmonic bond between types A - B; give them on this line or in [ bondtypes "
     "]"},
    {&Parts::lines, "[ angles ]\n1 2 3 1",
     "18: [ angles ]: no parameters for a harmonic angle between types A - A - A"},
    {&Parts::lines, "[ angles ]\n1 2 3 8 1 1", "18: [ angles ]: there is no table_a1.xvg: put it beside"},
    {&Parts::lines, "[ dihedrals ]\n1 2 3 4 9",
     "18: [ dihedrals ]: no parameters for a proper dihedral between types A - A - A - B"},
    {&Parts::lines, "[ dihedrals ]\n1 2 3 4 1 0 1 2.5",
     "18: [ dihedrals ]: the multiplicity of a dihedral must be an integer, not 2.5"},
    {&Parts::lines, "[ dihedrals ]\n1 2 3 4 1 0 1 2000000000",
     "18: [ dihedrals ]: the multiplicity of a dihedral must be at most 100, not 2000000000"},
    {&Parts::lines, "[ pairs ]\n1 2 2 1e200 1e200 1 0.3 0.3", "18: [ pairs ]: the parameters are so large"},
    {&Parts::lines, "[ dihedrals ]\n1 2 3 2 1 0 1 2", "18: [ dihedrals ]: atom 2 stands here twice"},
    {&Parts::lines, "[ pairs ]\n1 2 2", "18: [ pairs ]: no parameters for a 1-4 pair with charges"},
    {&Parts::lines, "[ pairs ]\n1 2 3 4", "18: [ pairs ]: there is no function type 3"},
    {&Parts::lines, "[ cmap ]\n1 2 3 4 4 1", "18: [ cmap ]: atom 4 stands here twice"},
    {&Parts::lines, "[ constraints ]\n1 2 1 0", "18: [ constraints ]: the length of a constraint must be above zero"},
    {&Parts::lines, "[ constraints ]\n1 2 1",
     "18: [ constraints ]: no parameters for a constraint between types A - A"},
    {&Parts::lines, "[ constraints ]\n1 2 1 0.1\n2 1 1 0.2",
     "19: [ constraints ]: atoms 1 and 2 are constrained to 0.1 nm already"},
    {&Parts::lines, "[ settles ]\n3 1 0.1 0.16",
     "18: [ settles ]: a settle takes an oxygen and the two atoms that follow it"},
    {&Parts::lines, "[ settles ]\n1 1 0.1 0.26", "18: [ settles ]: no triangle has sides of 0.1, 0.1 and 0.26 nm"},
    {&Parts::lines, "[ settles ]\n2 1 0.1 0.16",
     "18: [ settles ]: the two atoms after the oxygen must have the same mass"},
    {&Parts::lines, "[ settles ]\n1 2 0.1 0.16", "18: [ settles ]: the function type of a settle must be 1"},
    {&Parts::lines, "[ settles ]\n1 1 0.1", "18: [ settles ]: the H-H distance is missing"},
    {&Parts::lines, "[ settles ]\n1 1 0.1 0.16\n1 1 0.1 0.16", "19: [ settles ]: atom 1 is in another settle already"},
    {&Parts::lines, "[ settles ]\n1 1 0.1 0.16\n[ constraints ]\n3 4 2 0.1",
     "20: [ constraints ]: atoms 3 and 4: an atom of a settle"},
    {&Parts::lines, "[ exclusions ]\n1 2 5", "18: [ exclusions ]: atom 5 is out of bounds"},
    {&Parts::lines, "[ position_restraints ]\n1 1 1000 1000",
     "18: [ position_restraints ]: wrong number of parameters"},
    {&Parts::lines, "[ position_restraints ]\n1 1",
     "18: [ position_restraints ]: no parameters for a position restraint between types A; give them on this line"},
    {&Parts::lines, "[ position_restraints ]\n9 1 1 1 1", "18: [ position_restraints ]: atom 9 is out of bounds"},
    {&Parts::lines, "[ position_restraints ]\n1 2 9 1 1",
     "18: [ position_restraints ]: the parameters of a flat-bottomed position restraint need a shape from 1 to 8"},
    {&Parts::lines, "[ virtual_sites3 ]\n1 2 3 4 1 0.1 0.1",
     "13: [ atoms ]: atom CA of residue RES is a virtual site and must have no mass, not 12"},
    {&Parts::lines, "[ virtual_sites3 ]\n1 2 3 3 1 0.1 0.1", "18: [ virtual_sites3 ]: atom 3 stands here twice"},
    {&Parts::lines, "[ virtual_sites2 ]\n1 2 1 1 0.1",
     "18: [ virtual_sites2 ]: atom 1 can not be constructed from itself"},
    {&Parts::lines, "[ virtual_sites2 ]\n1 2 3 7 0.1", "18: [ virtual_sites2 ]: there is no function type 7"},
    {&Parts::lines, "[ virtual_sites3 ]\n1 2 3 4 -1 0.1 0.1",
     "18: [ virtual_sites3 ]: only function types 3 and 4 of three constructing atoms have a mirror image"},
    {&Parts::lines, "[ dummies3 ]\n1 2 3 4 1 0.1",
     "18: [ dummies3 ]: wrong number of parameters: 1 after the function type instead of 2"},
    {&Parts::lines, "[ virtual_sites1 ]\n1 5 1", "18: [ virtual_sites1 ]: atom 5 is out of bounds"},
    {&Parts::lines, "[ virtual_sitesn ]\n1 1", "18: [ virtual_sitesn ]: the constructing atoms are missing"},
    {&Parts::lines, "[ virtual_sitesn ]\n1 4 2", "18: [ virtual_sitesn ]: there is no function type 4"},
    {&Parts::lines, "[ virtual_sitesn ]\n1 3 2 0.0 3 0.0",
     "18: [ virtual_sitesn ]: the weights of the constructing atoms must have a sum above zero"},
    {&Parts::lines, "[ virtual_sitesn ]\n1 3 2 0.5 3 -0.1",
     "18: [ virtual_sitesn ]: the weights of constructing atoms must not be negative"},
    {&Parts::lines, "[ virtual_sitesn ]\n1 3 2",
     "18: [ virtual_sitesn ]: the weight of a constructing atom is missing"},
    {&Parts::lines, "[ bondtypes ]",
     "17: [ bondtypes ] is out of order: parameters must come before the first [ moleculetype ]"},
    {&Parts::lines, "[ moleculetype ]\nmol 3", "18: [ moleculetype ]: molecule type 'mol' is defined a second time"},
};

const Case system_cases[] = {
    {&Parts::system, "[ molecules ]", "18: [ molecules ] is out of order: [ system ] must come before it"},
    {&Parts::system, "[ system ]\nx\n[ bonds ]", "20: [ bonds ] is out of order: it must follow a [ moleculetype ]"},
    {&Parts::molecules, "", "topol.top: no molecules"},
    {&Parts::molecules, "mol 0", "topol.top: no molecules"},
    {&Parts::molecules, "mol", "21: [ molecules ]: the number of molecules is missing"},
    {&Parts::molecules, "mol -3", "21: [ molecules ]: the number of molecules must not be negative"},
    {&Parts::molecules, "mol 1.5", "21: [ molecules ]: the number of molecules must be an integer, not '1.5'"},
    {&Parts::molecules, "mol 99999999999999999999", "21: [ molecules ]: the number of molecules must be an integer"},
    {&Parts::molecules, "mol 9223372036854775807", "21: 9223372036854775807 molecules are too many"},
    {&Parts::molecules, "mol 500000000\nmol 500000000", "22: 500000000 molecules are too many"},
    {&Parts::molecules, "other 3", "21: [ molecules ]: there is no molecule type 'other'"},
    {&Parts::molecules, "mol 2\n[ intermolecular_interactions ]\n1 5 6 0.1 1",
     "23: [ intermolecular_interactions ]: expected the section of an interaction"},
    {&Parts::molecules, "mol 2\n[ intermolecular_interactions ]\n[ bonds ]\n1 9 6 0.1 1",
     "24: [ bonds ]: atom 9 is out of bounds: the system has 8 atoms, numbered from 1"},
    {&Parts::molecules, "mol 2\n[ intermolecular_interactions ]\n[ bonds ]\n1 5 1 0.1 1",
     "24: [ bonds ]: a harmonic bond cannot bind one molecule to another"},
    {&Parts::molecules, "mol 2\n[ intermolecular_interactions ]\n[ constraints ]\n1 5 2 0.1",
     "24: [ constraints ]: a constraint cannot bind one molecule to another"},
    {&Parts::molecules, "mol 2\n[ intermolecular_interactions ]\n[ position_restraints ]\n1 1 1 1 1",
     "24: [ position_restraints ]: between molecules there are bonded interactions"},
    {&Parts::molecules, "mol 2\n[ intermolecular_interactions ]\n[ exclusions ]\n1 5",
     "24: [ exclusions ]: between molecules there are bonded interactions"},
};

class EachMistake : public ::testing::TestWithParam<Case> {};

TEST_P(EachMistake, NamesLineAndReason)
{
    const Case& mistake = GetParam();
    Parts parts;
    parts.*mistake.part = mistake.text;
    const std::string message = error_of([&] { topology_of(parts.text()); });
    const std::string place = std::isdigit(static_cast<unsigned char>(mistake.message[0])) != 0 ? "topol.top:" : "";
    EXPECT_NE(message.find(place + mistake.message), std::string::npos) << mistake.text << "\n gave: " << message;
}

INSTANTIATE_TEST_SUITE_P(ForceField, EachMistake, ::testing::ValuesIn(force_field_cases));
INSTANTIATE_TEST_SUITE_P(Molecule, EachMistake, ::testing::ValuesIn(molecule_cases));
INSTANTIATE_TEST_SUITE_P(System, EachMistake, ::testing::ValuesIn(system_cases));

TEST(TopologyErrors, NothingAtAll)
{
    EXPECT_NE(error_of([] { topology_of(""); }).find("no molecules"), std::string::npos);
    EXPECT_NE(error_of([] { topology_of("1 2 3\n"); }).find("topol.top:1: '1 2 3' stands before the first section"),
              std::string::npos);
    EXPECT_NE(error_of([] { topology_of("[ moleculetype ]\n"); }).find("include a force field"), std::string::npos);
    EXPECT_NE(error_of([] { topology_of("[ atomtypes ]\n"); }).find("[ defaults ] must come first"), std::string::npos);
}

TEST(TopologyErrors, ImpossibleLennardJones)
{
    Parts parts;
    parts.atom_types = "A 12.0 0.0 A 1e200 0.5";
    EXPECT_NE(error_of([&] { topology_of(parts.text()); }).find("impossible Lennard-Jones"), std::string::npos);
}

TEST(TopologyErrors, AmbiguousMoleculeName)
{
    Parts parts;
    parts.lines = "[ moleculetype ]\nMol 1\n[ atoms ]\n1 A 1 R a 1\n";
    parts.molecules = "MOL 1";
    EXPECT_NE(error_of([&] { topology_of(parts.text()); }).find("several molecule types are called 'MOL'"),
              std::string::npos);
    parts.molecules = "Mol 1";
    EXPECT_EQ(topology_of(parts.text()).n_atoms(), 1);
}

/// Random damage: cut, doubled, replaced and deleted bytes must give a topology or an InputError, nothing else.
TEST(TopologyErrors, SurvivesRandomDamage)
{
    Parts parts;
    parts.types = "[ dihedraltypes ]\nX A A X 9 0 1 1\nX A A X 9 0 1 2\n[ pairtypes ]\nA A 1 1 1\n#define P 0.1 2\n";
    parts.lines = "[ bonds ]\n1 2\n1 3 1 P\n[ pairs ]\n1 2 1\n[ dihedrals ]\n1 2 3 4 1 0 1 2\n[ exclusions ]\n1 2 3\n[ "
                  "constraints ]\n3 4 1 0.1\n"
                  "[ settles ]\n1 1 0.1 0.16\n#ifdef A\n#else\n[ position_restraints ]\n1 1 1 1 1\n#endif\n";
    const std::string original = parts.text();
    std::mt19937 random(1);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % std::max<std::size_t>(n, 1); };
    int refused = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        std::string text = original;
        for (std::size_t change = 0; change <= below(3) && !text.empty(); ++change) {
            const std::size_t at = below(text.size()), length = std::min(1 + below(12), text.size() - at);
            switch (below(4)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, text.substr(below(text.size() - length), length));
                break;
            case 2:
                text[at] = static_cast<char>(random());
                break;
            default:
                text.resize(at + 1);
            }
        }
        try {
            topology_of(text);
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 1000);
}

} // namespace
} // namespace holon::test
