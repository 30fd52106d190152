#include <holon/core/error.hpp>

#include <gtest/gtest.h>

using namespace holon;

TEST(InputError, shows_no_control_characters)
{
    const std::string name = "H\x1b[2J\x07\t\x7f";
    EXPECT_STREQ(InputError("atom " + name + "\nis \xc3\xa9 odd").what(), "atom H?[2J???\nis \xc3\xa9 odd");
}
