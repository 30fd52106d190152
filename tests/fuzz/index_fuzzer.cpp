/// Index groups: text of an .ndx file for a system of 100 atoms; and the groups as temperature-coupling groups.
#include "fuzzer.hpp"

#include <holon/io/index_file.hpp>

using namespace holon;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::int64_t n_atoms = 100;
    fuzz::takes([&] {
        const auto groups = parse_index(fuzz::text_of(data, size), "index.ndx", n_atoms);
        for (const auto& group : groups) {
            AtomId end = -1; // of the range before: ranges ascend and do not touch
            for (const auto& [first, last] : group.ranges) {
                fuzz::require(first > end && last > first && last <= n_atoms, "ranges are disjoint and in the system",
                              group.name);
                end = last;
            }
            fuzz::require(find_group(groups, group.name) != nullptr, "groups are found by their names", group.name);
        }
    });
    return 0;
}
