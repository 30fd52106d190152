#include "topology_case.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace holon::test {
namespace {

std::vector<std::string> texts(const ExpandedTopology& topology)
{
    std::vector<std::string> result;
    for (const TopologyLine& line : topology.lines) result.push_back(line.text);
    return result;
}

using Texts = std::vector<std::string>;

TEST(TopologyExpand, DropsCommentsBlankAndStarLines)
{
    const auto topology = expanded("; comment\n\n  [ atoms ] ; why\r\n\t1 CA ;x\n* left out\n;");
    EXPECT_EQ(texts(topology), (Texts{"[ atoms ]", "1 CA"}));
    EXPECT_EQ(topology.lines[0].number, 3);
    EXPECT_EQ(topology.lines[1].number, 4);
}

TEST(TopologyExpand, JoinsContinuedLinesAndKeepsTheFirstNumber)
{
    const auto topology = expanded("a\\\n b \\  \n c\nd\ne \\");
    EXPECT_EQ(texts(topology), (Texts{"a b  c", "d", "e"}));
    EXPECT_EQ(topology.lines[0].number, 1);
    EXPECT_EQ(topology.lines[1].number, 4);
}

TEST(TopologyExpand, ConditionsNest)
{
    const std::string text =
        "#ifdef A\na\n#ifndef B\na-not-b\n#else\na-b\n#endif\n#else\nnot-a\n#ifdef B\nb\n#endif\n#endif\nend";
    EXPECT_EQ(texts(expanded(text)), (Texts{"not-a", "end"}));
    EXPECT_EQ(texts(expanded(text, {{}, {"A"}})), (Texts{"a", "a-not-b", "end"}));
    EXPECT_EQ(texts(expanded(text, {{}, {"-DA", "-DB=1"}})), (Texts{"a", "a-b", "end"}));
    EXPECT_EQ(texts(expanded(text, {{}, {"B"}})), (Texts{"not-a", "b", "end"}));
}

TEST(TopologyExpand, DirectivesInSkippedPartsDoNothing)
{
    EXPECT_EQ(texts(expanded("#ifdef NO\n#include \"nowhere\"\n#define X 1\n#nonsense\n#error no\n#endif\nX")),
              (Texts{"X"}));
}

TEST(TopologyExpand, ReplacesWholeWordsOnly)
{
    const std::string text = "#define gb_1  0.1 1.5e7 ; bond\n#define FLAG\n1 2 gb_1\n1 2 gb_10 xgb_1 -gb_1\nFLAG\n"
                             "#undef gb_1\ngb_1\n";
    EXPECT_EQ(texts(expanded(text)), (Texts{"1 2 0.1 1.5e7", "1 2 gb_10 xgb_1 -0.1 1.5e7", "FLAG", "gb_1"}));
}

TEST(TopologyExpand, MacrosWithinMacrosButNotWithinThemselves)
{
    EXPECT_EQ(texts(expanded("#define A B 1\n#define B A 2\nA\n")), (Texts{"A 2 1"}));
    EXPECT_EQ(texts(expanded("k K\n", {{}, {"K=4.5"}})), (Texts{"k 4.5"}));
}

TEST(TopologyExpand, LooksForIncludesInOrder)
{
    const TopologyFolder folder;
    const auto top = folder.write("run/topol.top", "#include \"ff/all.itp\"\n#include <other.itp>\nlast\n");
    folder.write("run/ff/all.itp", "first\n#include \"near.itp\"\n");
    folder.write("run/ff/near.itp", "near\n");
    folder.write("lib/other.itp", "from lib\n");
    folder.write("gmxlib/other.itp", "from gmxlib\n");

    ASSERT_EQ(setenv("GMXLIB", (folder.file("nothing") + ":" + folder.file("gmxlib")).c_str(), 1), 0);
    const auto by_environment = expand_topology(top, {});
    const auto by_folder = expand_topology(top, {{"-I" + folder.file("lib")}, {}});
    ASSERT_EQ(unsetenv("GMXLIB"), 0);

    EXPECT_EQ(texts(by_environment), (Texts{"first", "near", "from gmxlib", "last"}));
    EXPECT_EQ(texts(by_folder), (Texts{"first", "near", "from lib", "last"}));
    EXPECT_EQ(by_folder.where(1), folder.file("run/ff/near.itp") + ":1");
    EXPECT_EQ(by_folder.where(3), top + ":3");
}

TEST(TopologyExpand, TheSameFileTwiceIsNoCycle)
{
    const TopologyFolder folder;
    folder.write("a.itp", "a\n");
    const auto topology = expand_topology(folder.write("t.top", "#include \"a.itp\"\n#include \"a.itp\"\n"), {});
    EXPECT_EQ(texts(topology), (Texts{"a", "a"}));
    EXPECT_EQ(topology.files.size(), 2u);
}

TEST(TopologyExpand, NamesDefinesThatNothingAskedFor)
{
    const auto topology = expanded("#ifdef POSRES\n#endif\n1 K\n", {{}, {"POSRES", "POSRE", "K=2"}});
    EXPECT_EQ(topology.unused_defines, (Texts{"POSRE"}));
}

TEST(TopologyExpand, WhatIsNotClosedEndsWithItsFileOrLine)
{
    const TopologyFolder folder;
    folder.write("a.itp", "a\n#ifdef NO\nb\n");
    const auto topology =
        expand_topology(folder.write("t.top", "#include \"a.itp\nc\n#ifndef NO\nd\n#ifdef NO\ne\n"), {});
    EXPECT_EQ(texts(topology), (Texts{"a", "c", "d"}));
    const auto notes = ExpandedTopology::from_text(topology.to_text()).notes;
    ASSERT_EQ(notes.size(), 4u);
    EXPECT_NE(notes[0].find("t.top:1: the closing quote"), std::string::npos) << notes[0];
    EXPECT_NE(notes[1].find("a.itp:2: this condition has no #endif"), std::string::npos) << notes[1];
    EXPECT_NE(notes[2].find("t.top:3: this condition"), std::string::npos) << notes[2];
    EXPECT_NE(notes[3].find("t.top:5: this condition"), std::string::npos) << notes[3];
}

TEST(TopologyExpand, ContentDoesNotDependOnFiles)
{
    const TopologyFolder here, there;
    here.write("a.itp", "1 2\n3 4\n");
    const auto one = expand_topology(here.write("t.top", "; a comment\n#include \"a.itp\"\n5"), {});
    const auto same = expand_topology(there.write("other.top", "1 2 ; likewise\n\n3 4\n#ifdef NO\n6\n#endif\n5\n"), {});
    const auto other = expand_topology(there.write("t.top", "1 2\n3 5\n5\n"), {});
    EXPECT_NE(one.to_text(), same.to_text());
    EXPECT_EQ(one.content(), same.content());
    EXPECT_NE(one.content(), other.content());
    EXPECT_EQ(ExpandedTopology::from_text(one.to_text()).content(), one.content());
}

TEST(TopologyExpand, TextFormKeepsLinesAndOrigins)
{
    const TopologyFolder folder;
    folder.write("a.itp", "\n\n[ x ]\n1 2 3\n");
    const auto topology =
        expand_topology(folder.write("t.top", "one\ntwo\n#include \"a.itp\"\n\nthree\\\nmore\nfour"), {{}, {"UNUSED"}});
    const auto copy = ExpandedTopology::from_text(topology.to_text());
    EXPECT_EQ(copy.files, topology.files);
    EXPECT_EQ(copy.unused_defines, topology.unused_defines);
    ASSERT_EQ(texts(copy), texts(topology));
    for (std::size_t k = 0; k < topology.lines.size(); ++k) EXPECT_EQ(copy.where(k), topology.where(k));
    EXPECT_EQ(copy.to_text(), topology.to_text());
    EXPECT_TRUE(expand_topology(folder.write("stored.top", topology.to_text()), {}).lines.size() ==
                topology.lines.size())
        << "the text form must be a topology itself";
}

TEST(TopologyExpand, RefusesDamagedTextForms)
{
    for (const std::string text : {"1 2 3\n", ";@ 0 1\n1\n", ";@file a\n;@ 1 1\nx\n", ";@file a\n;@ x\nx\n",
                                   ";@file a\n;@ -1 1\nx\n", ";@file a\n;@ 0 99999999999999\nx\n"})
        EXPECT_THROW(ExpandedTopology::from_text(text), InputError) << text;
    EXPECT_TRUE(ExpandedTopology::from_text("").lines.empty());
}

TEST(TopologyExpand, ErrorsNameFileAndLine)
{
    const TopologyFolder folder;
    folder.write("loop.itp", "\n#include \"topol.top\"\n");
    const std::pair<const char*, const char*> cases[] = {
        {"a\n#include \"missing.itp\"\n", "topol.top:2: include file 'missing.itp' not found"},
        {"#include \"loop.itp\"\n", "loop.itp:2: "},
        {"#include missing\n", "topol.top:1: #include needs a file name in quotes"},
        {"#include \"\n", "topol.top:1: #include needs"},
        {"#include\n", "topol.top:1: #include needs"},
        {"\n#ifdef\n#endif\n", "topol.top:2: #ifdef needs a name"},
        {"#define\n", "topol.top:1: #define needs a name"},
        {"x\n#endif\n", "topol.top:2: #endif without"},
        {"#else\n", "topol.top:1: #else without"},
        {"#ifdef A\n#else\n#else\n#endif\n", "topol.top:3: second #else of line 1"},
        {"#if 1\n#endif\n", "topol.top:1: unknown directive #if"},
        {"#error stop here\n", "topol.top:1: #error stop here"},
    };
    for (const auto& [text, message] : cases) {
        const auto path = folder.write("topol.top", text);
        EXPECT_NE(error_of([&] { expand_topology(path, {}); }).find(message), std::string::npos) << text;
    }
    EXPECT_THROW(expand_topology(folder.file("none.top"), {}), InputError);
    EXPECT_THROW(expand_topology(folder.file(""), {}), InputError);
    EXPECT_THROW(expand_topology(folder.write("bin", std::string("\x7f"
                                                                 "ELF\0\1\2",
                                                                 7)),
                                 {}),
                 InputError);
    EXPECT_THROW(expand_topology(folder.write("t.top", "x"), {{}, {"-D"}}), InputError);
}

TEST(TopologyExpand, BombsAreDefused)
{
    std::string macros, nested;
    for (int k = 0; k < 40; ++k) macros += fmt::format("#define m{0} m{1} m{1}\n", k, k + 1);
    EXPECT_NE(error_of([&] { expanded(macros + "m0\n"); }).find("topol.top:41: macros make this line longer"),
              std::string::npos);
    for (int k = 0; k < 100'000; ++k) nested += fmt::format("#define m{} m{}\n", k, k + 1);
    EXPECT_NE(error_of([&] { expanded(nested + "m0\n"); }).find("levels deep"), std::string::npos);

    const TopologyFolder folder;
    for (int k = 0; k < 80; ++k)
        folder.write(fmt::format("f{}", k), fmt::format("#include \"f{0}\"\n#include \"f{0}\"\n", k + 1));
    EXPECT_NE(error_of([&] { expand_topology(folder.file("f0"), {}); }).find("levels deep"), std::string::npos);
    folder.write("f40", "x\n");
    EXPECT_NE(error_of([&] { expand_topology(folder.file("f0"), {}); }).find("files are included"), std::string::npos);
}

} // namespace
} // namespace holon::test
