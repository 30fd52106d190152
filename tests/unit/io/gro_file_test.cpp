#include <holon/core/error.hpp>
#include <holon/core/lattice.hpp>
#include <holon/io/gro_file.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

namespace holon {
namespace {

namespace fs = std::filesystem;

/// A folder of the test's own.
class GroFile : public ::testing::Test {
protected:
    std::string path() const { return folder_.file("conf.gro"); }

    std::string write(const std::string& text) const
    {
        std::ofstream(path(), std::ios::binary) << text;
        return path();
    }

    /// Reads the whole file.
    std::vector<GroAtom> read(const std::string& text) const
    {
        GroReader reader(write(text));
        return reader.next(reader.n_atoms());
    }

    /// Expects an InputError that names the line and contains `what`.
    void expect_error(const std::string& text, int line, const std::string& what) const
    {
        try {
            read(text);
            ADD_FAILURE() << "no error for: " << text.substr(0, 200);
        } catch (const InputError& error) {
            const std::string message = error.what();
            const std::string place = path() + (line > 0 ? ":" + std::to_string(line) + ": " : ": ");
            EXPECT_EQ(message.substr(0, place.size()), place) << message;
            EXPECT_NE(message.find(what), std::string::npos) << message;
        }
    }

    test::TemporaryFolder folder_;
};

const std::string water = "water, t= 0.0\n"
                          "3\n"
                          "    1SOL     OW    1   0.126   1.624   1.679  0.1227 -0.0580  0.0434\n"
                          "    1SOL    HW1    2   0.190   1.661   1.747  0.8085  0.3191 -0.7791\n"
                          "    1SOL    HW2    3   0.177   1.568   1.613 -0.9045 -2.6469  1.3180\n"
                          "   1.86206   1.86206   1.86206\n";

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    text.replace(text.find(from), from.size(), to);
    return text;
}

TEST_F(GroFile, ReadsTitleAtomsVelocitiesAndBox)
{
    GroReader reader(write(water));
    EXPECT_EQ(reader.title(), "water, t= 0.0");
    EXPECT_EQ(reader.n_atoms(), 3);
    EXPECT_TRUE(reader.has_velocities());
    EXPECT_EQ(reader.box(), Mat3(Vec3(1.86206, 1.86206, 1.86206).asDiagonal()));
    const auto atoms = reader.next(10);
    ASSERT_EQ(atoms.size(), 3u);
    EXPECT_EQ(atoms[1].id, 1);
    EXPECT_EQ(atoms[1].residue_number, 1);
    EXPECT_EQ(atoms[1].residue_name, "SOL");
    EXPECT_EQ(atoms[1].atom_name, "HW1");
    EXPECT_EQ(atoms[1].position, Vec3(0.190, 1.661, 1.747));
    EXPECT_EQ(atoms[2].velocity, Vec3(-0.9045, -2.6469, 1.3180));
    EXPECT_TRUE(reader.next(10).empty());
}

TEST_F(GroFile, ComesInPieces)
{
    GroReader reader(write(water));
    EXPECT_EQ(reader.next(2).size(), 2u);
    const auto last = reader.next(2);
    ASSERT_EQ(last.size(), 1u);
    EXPECT_EQ(last[0].id, 2);
    EXPECT_EQ(last[0].atom_name, "HW2");
}

TEST_F(GroFile, AcceptsMissingVelocitiesWindowsLinesAndAMissingLastLineEnd)
{
    const auto atoms = read("t\r\n1\r\n    1AR      AR    1   0.100   0.200   0.300\r\n 2 2 2");
    ASSERT_EQ(atoms.size(), 1u);
    EXPECT_EQ(atoms[0].position, Vec3(0.1, 0.2, 0.3));
    EXPECT_EQ(atoms[0].velocity, Vec3(0, 0, 0));
}

TEST_F(GroFile, AtomsWithoutAVelocityStandStill)
{
    const std::string one = "    1AR      AR    1   0.100   0.200   0.300", moving = one + "  0.1000  0.2000 -0.3000";
    for (const auto& lines :
         {one + "\n" + moving + "\n" + one + "  # no 3\n", moving + "\n" + one + "\n" + one + " \n"}) {
        GroReader reader(write("t\n3\n" + lines + "2 2 2\n"));
        EXPECT_TRUE(reader.has_velocities());
        EXPECT_EQ(reader.n_without_velocity(), 2);
        Vec3 sum = Vec3::Zero();
        for (const auto& atom : reader.next(3)) sum += atom.velocity;
        EXPECT_EQ(sum, Vec3(0.1, 0.2, -0.3));
    }
    GroReader without(write("t\n1\n" + one + "   #C of the ring\n2 2 2\n"));
    EXPECT_FALSE(without.has_velocities());
    EXPECT_EQ(without.n_without_velocity(), 0);
}

TEST_F(GroFile, DeducesThePrecisionFromTheDecimalPoints)
{
    const auto fine = read("t\n1\n    1AR      AR    1   0.123456789-100.987654321   2.000000001\n2 2 2\n");
    EXPECT_EQ(fine[0].position, Vec3(0.123456789, -100.987654321, 2.000000001));
    const auto coarse = read("t\n1\n    1AR      AR    1   0.1 -10.9   2.0  0.12 -9.99  1.00\n2 2 2\n");
    EXPECT_EQ(coarse[0].position, Vec3(0.1, -10.9, 2.0));
    EXPECT_EQ(coarse[0].velocity, Vec3(0.12, -9.99, 1.0));
}

TEST_F(GroFile, ReadsATriclinicBox)
{
    GroReader reader(write(replaced(water, "   1.86206   1.86206   1.86206", "5 6 7 0 0 -1 0 2 3")));
    Mat3 expected;
    expected << 5, 0, 0, -1, 6, 0, 2, 3, 7;
    EXPECT_EQ(reader.box(), expected);
}

TEST_F(GroFile, ReadsTheFirstFrameOnly)
{
    GroReader reader(write(water + "second frame\n1\nnonsense\n"));
    EXPECT_EQ(reader.next(100).size(), 3u);
}

TEST_F(GroFile, RejectsWhatIsNoReadableFile)
{
    EXPECT_THROW(GroReader(folder_.file("missing.gro")), InputError);
    EXPECT_THROW(GroReader(folder_.path().string()), InputError);
    expect_error("", 0, "empty");
    expect_error("title", 1, "ends after its title");
    expect_error(std::string("\x7f"
                             "ELF\0\1\2",
                             7) +
                     "\n\1\2\3\n",
                 2, "number of atoms");
    expect_error("t\n1\n" + std::string(3 << 20, 'x'), 3, "expected an atom");
    expect_error("t\n1\n" + std::string(5000, '\0') + "\n1 1 1\n", 3, "expected an atom");
}

TEST_F(GroFile, RejectsCountsThatDoNotFit)
{
    expect_error(replaced(water, "\n3\n", "\nthree\n"), 2, "number of atoms");
    expect_error(replaced(water, "\n3\n", "\n3 4\n"), 2, "number of atoms");
    expect_error(replaced(water, "\n3\n", "\n0\n"), 2, "between 1 and");
    expect_error(replaced(water, "\n3\n", "\n-3\n"), 2, "between 1 and");
    expect_error(replaced(water, "\n3\n", "\n3000000000\n"), 2, "between 1 and");
    expect_error(replaced(water, "\n3\n", "\n99999999999999999999999\n"), 2, "number of atoms");
    expect_error(replaced(water, "\n3\n", "\n2\n"), 5, "expected the box");
    expect_error(replaced(water, "\n3\n", "\n4\n"), 6, "ends before the box");
    expect_error(replaced(water, "\n3\n", "\n2000000000\n"), 6, "ends after 4 of the 2000000000 atoms");
}

TEST_F(GroFile, RejectsBoxesThatAreNone)
{
    const std::string box = "   1.86206   1.86206   1.86206";
    expect_error(replaced(water, box + "\n", ""), 5, "ends before the box");
    expect_error(replaced(water, box, ""), 6, "expected the box");
    expect_error(replaced(water, box, "1 2"), 6, "expected the box");
    expect_error(replaced(water, box, "1 2 3 4"), 6, "expected the box");
    expect_error(replaced(water, box, "1 2 3 0 0 0 0 0 0 0"), 6, "expected the box");
    expect_error(replaced(water, box, "1 2 x"), 6, "expected the box");
    expect_error(replaced(water, box, "1 2 nan"), 6, "expected the box");
    expect_error(replaced(water, box, "1 2 inf"), 6, "expected the box");
    expect_error(replaced(water, box, "0 0 0"), 6, "no volume");
    expect_error(replaced(water, box, "1 -2 3"), 6, "no volume");
    expect_error(replaced(water, box, "1 2 1e9"), 6, "larger");
    expect_error(replaced(water, box, "1 2 3 0.1 0 0 0 0 0"), 6, "triangular");
}

TEST_F(GroFile, RejectsAtomsThatCannotBeRead)
{
    expect_error(replaced(water, "   0.126", "   0x126"), 3, "from column 21 on");
    expect_error(replaced(water, "   0.190", "     abc"), 4,
                 "expected a number for x in columns 21 to 28, found '     abc'");
    expect_error(replaced(water, "   0.190", "     nan"), 4, "a number for x");
    expect_error(replaced(water, "   0.190", "     inf"), 4, "a number for x");
    expect_error(replaced(water, "   0.190", "   1e999"), 4, "a number for x");
    expect_error(replaced(water, "   1.661", "  1. 661"), 4, "a number for y");
    expect_error(replaced(water, "   1.747", "  1.7 47"), 4, "a number for z");
    expect_error(replaced(water, "   0.190", " 99999.9"), 4, "10000 nm");
    expect_error(replaced(water, "  0.8085", "  0.8o85"), 4, "the velocity's x");
    expect_error(replaced(water, "  0.8085", " 9999999"), 4, "faster");
    expect_error(replaced(water, "  0.8085  0.3191 -0.7791", "  0.8085  0.3191"), 4, "the velocity's z");
    expect_error(replaced(water, "    1SOL    HW1", "    xSOL    HW1"), 4, "residue number");
    expect_error(replaced(water, "    1SOL    HW1    2   0.190   1.661   1.747  0.8085  0.3191 -0.7791", ""), 4,
                 "expected an atom");
}

TEST_F(GroFile, WritesLatticeValuesThatReadBackBitForBit)
{
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> position(0, std::int64_t{20} << position_bits); // up to 20 nm
    std::uniform_int_distribution<std::int64_t> velocity(-(std::int64_t{9} << velocity_bits),
                                                         std::int64_t{9} << velocity_bits);
    std::vector<GroAtom> atoms(100'003);
    for (std::size_t i = 0; i < atoms.size(); ++i) {
        atoms[i] = {static_cast<AtomId>(i), static_cast<int>(i / 3 + 1), "SOLVENT", "ATOM", {}, {}};
        for (int k = 0; k < 3; ++k) {
            atoms[i].position[k] = static_cast<double>(position(random)) * position_unit;
            atoms[i].velocity[k] = static_cast<double>(velocity(random)) * velocity_unit;
        }
    }
    Mat3 box;
    box << 20, 0, 0, 1.0 / 3.0, 20.5, 0, -0.1, 2e-7, 21;

    GroWriter writer(path(), "title", static_cast<std::int64_t>(atoms.size()), true);
    writer.write(std::span(atoms).first(50'000));
    EXPECT_FALSE(fs::exists(path()));
    writer.write(std::span(atoms).subspan(50'000));
    writer.finish(box);

    GroReader reader(path());
    EXPECT_EQ(reader.title(), "title");
    EXPECT_EQ(reader.box(), box);
    EXPECT_TRUE(reader.has_velocities());
    std::size_t i = 0;
    for (auto piece = reader.next(4096); !piece.empty(); piece = reader.next(4096))
        for (const GroAtom& atom : piece) {
            ASSERT_EQ(atom.id, atoms[i].id);
            ASSERT_EQ(atom.residue_number, atoms[i].residue_number % 100000);
            ASSERT_EQ(atom.residue_name, "SOLVE");
            ASSERT_EQ(to_lattice(atom.position, position_unit), to_lattice(atoms[i].position, position_unit));
            ASSERT_EQ(to_lattice(atom.velocity, velocity_unit), to_lattice(atoms[i].velocity, velocity_unit));
            ++i;
        }
    EXPECT_EQ(i, atoms.size());
}

TEST_F(GroFile, WritesLargeNumbersWithinTheirColumns)
{
    const std::vector<GroAtom> atoms = {{0, 1, "AR", "AR", Vec3(9876.5, -999.5, 0.25), Vec3::Zero()},
                                        {1, 2, "AR", "AR", Vec3(-9876.5, 0.5, -1234.25), Vec3::Zero()}};
    GroWriter writer(path(), "t", 2, false);
    writer.write(atoms);
    writer.finish(Mat3::Identity());
    GroReader reader(path());
    EXPECT_FALSE(reader.has_velocities());
    EXPECT_EQ(reader.next(1).at(0).position, atoms[0].position);
    EXPECT_EQ(reader.next(1).at(0).position, atoms[1].position);
}

TEST_F(GroFile, LeavesNothingBehindWhenWritingIsGivenUp)
{
    {
        GroWriter writer(path(), "t", 2, false);
    }
    EXPECT_TRUE(fs::is_empty(folder_.path()));
    EXPECT_THROW(GroWriter(folder_.file("missing/conf.gro"), "t", 1, false), Failure);
}

} // namespace
} // namespace holon
