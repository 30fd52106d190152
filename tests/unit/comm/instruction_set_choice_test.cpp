#include <holon/comm/instruction_set_choice.hpp>
#include <holon/core/error.hpp>

#include <gtest/gtest.h>

namespace holon {
namespace {

using enum InstructionSet;

TEST(InstructionSetChoice, IsTheBestUnlessToldOtherwise)
{
    for (const auto best : {baseline, v3, v4}) EXPECT_EQ(choose_instruction_set(std::nullopt, best), best);
    EXPECT_EQ(choose_instruction_set("baseline", v4), baseline);
    EXPECT_EQ(choose_instruction_set("v3", v4), v3);
    EXPECT_EQ(choose_instruction_set("v4", v4), v4);
    EXPECT_EQ(choose_instruction_set("v3", v3), v3);
}

TEST(InstructionSetChoice, IsRefusedWhereAProcessorCanNotExecuteIt)
{
    try {
        choose_instruction_set("v4", v3);
        FAIL();
    } catch (const InputError& error) {
        const std::string text = error.what();
        EXPECT_TRUE(text.starts_with("HOLON_INSTRUCTION_SET=v4: ")) << text;
        EXPECT_NE(text.find("Choose v3"), std::string::npos) << text;
    }
    EXPECT_THROW(choose_instruction_set("v3", baseline), InputError);
}

TEST(InstructionSetChoice, HasToBeOneOfTheNames)
{
    for (const char* text : {"", "V3", "v5", "avx2", "v3 ", "x86-64-v3"})
        EXPECT_THROW(choose_instruction_set(text, v4), InputError) << text;
}

TEST(InstructionSet, IsWhatKernelsAreCalledFor)
{
    const auto before = instruction_set();
    for (const auto set : {baseline, v3, v4}) {
        if (set > best_instruction_set()) break;
        use_instruction_set(set);
        EXPECT_EQ(instruction_set(), set);
    }
    use_instruction_set(before);
}

} // namespace
} // namespace holon
