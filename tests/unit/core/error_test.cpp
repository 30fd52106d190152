#include <holon/core/error.hpp>
#include <holon/core/log.hpp>

#include <gtest/gtest.h>

using namespace holon;

TEST(InputError, shows_no_control_characters)
{
    const std::string name = "H\x1b[2J\x07\t\x7f";
    EXPECT_STREQ(InputError("atom " + name + "\nis \xc3\xa9 odd").what(), "atom H?[2J???\nis \xc3\xa9 odd");
}

TEST(Notes, show_no_control_characters)
{
    Notes notes;
    notes.add("group A\x01\nB");
    EXPECT_EQ(notes.texts(), std::vector<std::string>{"group A?\nB"});
}
