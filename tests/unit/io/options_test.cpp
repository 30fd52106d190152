#include <holon/core/error.hpp>
#include <holon/io/index_file.hpp>
#include <holon/io/options.hpp>
#include <holon/io/text_file.hpp>

#include <gtest/gtest.h>

#include <filesystem>

namespace holon {
namespace {

using Arguments = std::vector<std::string>;
using Ranges = std::vector<std::pair<AtomId, AtomId>>;

/// The arguments of a start with more behind them.
Arguments start(const Arguments& more = {})
{
    Arguments all = {"-f", "md.mdp", "-c", "conf.gro", "-p", "topol.top", "-o", "run"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

void expect_error(const Arguments& arguments, const std::string& message)
{
    try {
        parse_command_line(arguments);
        ADD_FAILURE() << "no error; expected: " << message;
    } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find("command line: "), 0u) << error.what();
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

TEST(CommandLine, FilesInShortAndLongForm)
{
    const RunOptions shorts = parse_command_line(start({"-n", "index.ndx", "-r", "ref.gro"}));
    EXPECT_EQ(shorts.parameters, "md.mdp");
    EXPECT_EQ(shorts.coordinates, "conf.gro");
    EXPECT_EQ(shorts.topology, "topol.top");
    EXPECT_EQ(shorts.output, "run");
    EXPECT_EQ(shorts.index, "index.ndx");
    EXPECT_EQ(shorts.restraint_coordinates, "ref.gro");
    EXPECT_TRUE(shorts.settings.empty());
    EXPECT_FALSE(shorts.resume || shorts.overwrite || shorts.reverse_velocities);

    const RunOptions longs = parse_command_line({"--Parameters", "md.mdp", "--coordinates=conf.gro", "--topology",
                                                 "topol.top", "--output", "run", "--restraint_coordinates", "ref.gro",
                                                 "--index", "i.ndx", "--OVERWRITE", "--reverse_velocities"});
    EXPECT_EQ(longs.parameters, "md.mdp");
    EXPECT_EQ(longs.coordinates, "conf.gro");
    EXPECT_EQ(longs.restraint_coordinates, "ref.gro");
    EXPECT_TRUE(longs.overwrite);
    EXPECT_TRUE(longs.reverse_velocities);
}

TEST(CommandLine, EveryMdpKeyIsAnOption)
{
    const RunOptions o =
        parse_command_line(start({"--dt", "0.001", "--nsteps=0", "--Epsilon_RF", "78", "--maxh", "-1", "--gen-seed",
                                  "-1", "--tc-grps", "Protein Water", "--domains", "2x2x1", "--define", "POSRES",
                                  "--define=-DFC=1000", "--unconstrained-start", "yes"}));
    EXPECT_EQ(o.defines, (Arguments{"POSRES", "FC=1000"}));
    Notes notes;
    const RunSettings s =
        read_settings("dt = 5\nmaxh = 3\ntau-t = 1 1\nref-t = 300 300\ntcoupl = v-rescale\n", "md.mdp", o, notes);
    EXPECT_EQ(s.parameters.dt, 0.001);
    EXPECT_EQ(s.parameters.nsteps, 0);
    EXPECT_EQ(s.parameters.maxh, -1.0);
    EXPECT_TRUE(s.derive_gen_seed);
    EXPECT_EQ(s.parameters.tc_groups.size(), 2u);
    EXPECT_EQ(s.parameters.domains, (std::vector<int>{2, 2, 1}));
    EXPECT_TRUE(s.parameters.continuation);
    EXPECT_EQ(s.defines, (Arguments{"POSRES", "FC=1000"}));
}

TEST(CommandLine, HelpAndVersionNeedNothingElse)
{
    EXPECT_TRUE(parse_command_line({"--help"}).help);
    EXPECT_TRUE(parse_command_line({"-h"}).help);
    EXPECT_TRUE(parse_command_line({"--version"}).version);
    const std::string help = help_text();
    for (const char* word : {"--parameters", "--restart", "--checkpoint-interval", "--maxh", "--define", ".mdp"})
        EXPECT_NE(help.find(word), std::string::npos) << word;
}

TEST(CommandLine, RestartTakesNoInputFiles)
{
    const RunOptions o = parse_command_line({"--restart", "run/checkpoint.h5", "-o", "branch", "--nsteps", "100"});
    EXPECT_EQ(o.restart, "run/checkpoint.h5");
    EXPECT_EQ(o.output, "branch");
    ASSERT_EQ(o.settings.size(), 1u);
    EXPECT_EQ(o.settings[0].key, "nsteps");
    EXPECT_EQ(o.settings[0].where, "command line");
    expect_error({"--restart", "c.h5", "-f", "md.mdp"}, "--restart takes the input from the checkpoint");
    expect_error({"--restart", "c.h5", "--define", "A"}, "--restart takes the input from the checkpoint");
    expect_error({"--restart", "c.h5", "--resume"}, "exclude each other");
    expect_error(start({"--resume", "--overwrite"}), "exclude each other");
}

TEST(CommandLine, ErrorsSayWhatToDo)
{
    expect_error({}, "the run parameters are missing: -f FILE.mdp");
    expect_error({"-f", "a", "-c", "b", "-p", "c"}, "the output folder is missing: -o FOLDER");
    expect_error(start({"--nstep", "5"}), "unknown option --nstep; did you mean --nsteps?");
    expect_error(start({"--qqqqqqq", "5"}), "unknown option --qqqqqqq; see --help");
    expect_error(start({"-maxh", "1"}), "unknown option -maxh; did you mean --maxh?");
    expect_error(start({"-x"}), "unknown option -x");
    expect_error(start({"--dt"}), "'--dt' is missing");
    expect_error(start({"--nsteps", "--dt", "1"}), "--nsteps needs a value, found --dt");
    expect_error(start({"--dt", "1", "--DT", "2"}), "'--dt' cannot be specified more than once");
    expect_error(start({"-f", "other.mdp"}), "cannot be specified more than once");
    expect_error(start({"--tc-grps", "Protein", "Water"}), "unexpected argument 'Water'");
    expect_error(start({"--resume=yes"}), "does not take any arguments");
    expect_error(start({"--define", "1A"}), "expected NAME or NAME=VALUE");
    expect_error(start({"--define", "A=b c"}), "without blanks");
    expect_error(start({"--title", "a;b"}), "must not contain ';'");
}

/// 2 peptides of two atoms, 10 waters, 2 ions: 36 atoms.
Topology small_system()
{
    Topology topology;
    MoleculeType peptide, water, ion;
    peptide.name = "Peptide";
    peptide.residues = {{"GLY", 1}};
    peptide.atoms = {{0, 12.0, 0.0, 0, "CA"}, {0, 1.0, 0.0, 0, "HA1"}};
    water.name = "SOL";
    water.residues = {{"SOL", 1}};
    water.atoms = {{0, 16.0, 0.0, 0, "OW"}, {0, 1.0, 0.0, 0, "HW1"}, {0, 1.0, 0.0, 0, "HW2"}};
    ion.name = "CL";
    ion.residues = {{"CL", 1}};
    ion.atoms = {{0, 35.0, -1.0, 0, "CL"}};
    topology.molecule_types = {peptide, water, ion};
    topology.blocks = {{0, 2, 0, 0}, {1, 10, 4, 2}, {2, 2, 34, 12}};
    return topology;
}

RunSettings coupled(const std::string& groups, const std::string& more = "")
{
    Notes notes;
    std::string text = "tcoupl = v-rescale\ntc-grps = " + groups + "\ntau-t = ";
    std::string numbers;
    for (std::size_t n = static_cast<std::size_t>(std::count(groups.begin(), groups.end(), ' ')) + 1; n > 0; --n)
        numbers += "1 ";
    return read_settings(text + numbers + "\nref-t = " + numbers + "\n" + more, "md.mdp", {}, notes);
}

void expect_group_error(RunSettings settings, const std::vector<AtomGroup>& index, const std::string& message)
{
    try {
        resolve_groups(settings, small_system(), index);
        ADD_FAILURE() << "no error; expected: " << message;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
}

TEST(ResolveGroups, FromTheDefaultsAndTheIndexFile)
{
    RunSettings s = coupled("protein Water ions", "comm-grps = PROTEIN non-protein");
    resolve_groups(s, small_system(), parse_index("[ Ions ]\n35 36\n", "i.ndx", 36));
    ASSERT_EQ(s.parameters.tc_groups.size(), 3u);
    EXPECT_EQ(s.parameters.tc_groups[0].atoms.ranges, (Ranges{{0, 4}}));
    EXPECT_EQ(s.parameters.tc_groups[1].atoms.ranges, (Ranges{{4, 34}}));
    EXPECT_EQ(s.parameters.tc_groups[2].atoms.ranges, (Ranges{{34, 36}}));
    EXPECT_EQ(s.parameters.comm_groups[1].ranges, (Ranges{{4, 36}}));
}

TEST(ResolveGroups, TheIndexFileComesFirst)
{
    RunSettings s = coupled("Water rest");
    resolve_groups(s, small_system(),
                   parse_index("[ water ]\n1\n[ rest ]\n36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 "
                               "17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2\n",
                               "i.ndx", 36));
    EXPECT_EQ(s.parameters.tc_groups[0].atoms.ranges, (Ranges{{0, 1}}));
    EXPECT_EQ(s.parameters.tc_groups[1].atoms.ranges, (Ranges{{1, 36}}));
    EXPECT_EQ(s.parameters.comm_groups[0].ranges, (Ranges{{0, 36}}));
}

TEST(ResolveGroups, EveryAtomMustBeInOneCouplingGroup)
{
    expect_group_error(coupled("Protein Water"), {},
                       "md.mdp:2: tc-grps = Protein Water: 2 atoms are in none of these groups, the first is atom 35");
    expect_group_error(coupled("System Water"), {}, "atom 5 is in the groups System and Water");
    expect_group_error(coupled("Protein-H non-Protein"), {},
                       "2 atoms are in none of these groups, the first is atom 2");
    expect_group_error(coupled("System Ligand"), {}, "there is no group 'Ligand'; there are: System, Protein");
    expect_group_error(coupled("System", "comm-grps = Water SOL"), {},
                       "comm-grps = Water SOL: atom 5 is in the groups Water and SOL");
    expect_group_error(coupled("Empty System"), {{"Empty", {}}}, "the group Empty has no atoms");
}

TEST(TextFile, RefusesWhatIsNoTextFile)
{
    EXPECT_THROW(read_text_file("/no/such/file.mdp", "run parameters"), InputError);
    EXPECT_THROW(read_text_file(std::filesystem::temp_directory_path().string(), "run parameters"), InputError);
    EXPECT_THROW(read_text_file("/proc/self/exe", "run parameters"), InputError);
    EXPECT_EQ(printable(std::string("a\0b\x7f\n", 5)), "a?b??");
    EXPECT_EQ(printable("abcdef", 3), "abc...");
}

} // namespace
} // namespace holon
