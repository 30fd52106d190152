#include <holon/core/memory.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <vector>

using namespace holon;

TEST(Room, keeps_what_was_written_when_it_grows)
{
    Room<int> room;
    EXPECT_EQ(room.size(), 0U);
    room.grow(3);
    ASSERT_GE(room.size(), 3U);
    for (int i = 0; i < 3; ++i) room.data()[i] = i;
    room.grow(1 << 20); // too large to stay where it is
    ASSERT_GE(room.size(), std::size_t{1} << 20);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(room.data()[i], i);
    room.data()[(1 << 20) - 1] = 7;
}

TEST(Room, does_not_shrink)
{
    Room<int> room;
    room.grow(1000);
    const auto* const before = room.data();
    const auto size = room.size();
    room.grow(10);
    EXPECT_EQ(room.data(), before);
    EXPECT_EQ(room.size(), size);
}

TEST(Room, is_empty_when_it_has_been_moved_away)
{
    Room<int> room, other;
    room.grow(10);
    room.data()[0] = 5;
    other = std::move(room);
    EXPECT_EQ(other.data()[0], 5);
    EXPECT_EQ(room.size(), 0U); // NOLINT: that is the point
    room.grow(1);
    room.data()[0] = 6;
    Room<int> third(std::move(other));
    EXPECT_EQ(third.data()[0], 5);
    EXPECT_EQ(other.size(), 0U);
    third = {};
    EXPECT_EQ(third.size(), 0U);
}

#if defined(HOLON_LARGE_PAGES)
TEST(Memory, of_large_arrays_begins_at_a_large_page)
{
    const std::vector<double> large(large_page / sizeof(double) + 1, 1.0);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(large.data()) % large_page, 0U);
    struct alignas(64) Line {
        double values[8];
    };
    const std::vector<Line> lines(large_page / sizeof(Line)), few(3);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(lines.data()) % large_page, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(few.data()) % alignof(Line), 0U);
}

TEST(Memory, that_there_is_not_is_reported)
{
    volatile std::size_t too_many = std::size_t{1} << 62;
    EXPECT_THROW(static_cast<void>(::operator new(too_many)), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(::operator new (too_many, std::align_val_t{64})), std::bad_alloc);
}
#endif
