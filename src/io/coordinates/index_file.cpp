#include <holon/io/index_file.hpp>

#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>

#include <algorithm>
#include <charconv>

namespace holon {

namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool same_name(std::string_view a, std::string_view b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

/// Sorted, disjoint ranges that cover the atoms of a list in any order.
std::vector<std::pair<AtomId, AtomId>> ranges_of(std::vector<AtomId>& atoms)
{
    std::sort(atoms.begin(), atoms.end());
    std::vector<std::pair<AtomId, AtomId>> ranges;
    for (AtomId atom : atoms) {
        if (!ranges.empty() && atom <= ranges.back().second)
            ranges.back().second = std::max(ranges.back().second, atom + 1);
        else
            ranges.emplace_back(atom, atom + 1);
    }
    return ranges;
}

class IndexParser {
public:
    IndexParser(const std::string& name, std::int64_t n_atoms) : name_(name), n_atoms_(n_atoms) {}

    std::vector<AtomGroup> parse(std::string_view text)
    {
        while (!text.empty()) {
            ++line_;
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            parse_line(trimmed(line.substr(0, line.find(';'))));
        }
        close_group();
        return std::move(groups_);
    }

private:
    void parse_line(std::string_view line)
    {
        if (line.starts_with('[')) {
            close_group();
            const std::string_view title = trimmed(line.substr(1, line.find(']') - 1));
            if (!line.ends_with(']') || title.empty())
                fail("expected a group name as in [ name ], found '" + printable(line) + "'");
            if (printable(title, title.size()) != title)
                fail("the group name '" + printable(title) + "' has control characters; take them out");
            groups_.push_back({std::string(title), {}});
            return;
        }
        while (!line.empty()) {
            const std::string_view word = line.substr(0, line.find_first_of(" \t"));
            add_atom(word);
            line = trimmed(line.substr(word.size()));
        }
    }

    void add_atom(std::string_view word)
    {
        if (groups_.empty()) fail("expected a group name as in [ name ], found '" + printable(word) + "'");
        std::int64_t number = 0;
        const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
        if (result.ec != std::errc() || result.ptr != word.data() + word.size())
            fail("expected an atom number in group " + groups_.back().name + ", found '" + printable(word) + "'");
        if (number < 1 || number > n_atoms_)
            fail("group " + groups_.back().name + " has atom " + std::to_string(number) +
                 ", but the system's atoms are 1 to " + std::to_string(n_atoms_));
        atoms_.push_back(static_cast<AtomId>(number - 1));
    }

    void close_group()
    {
        if (!groups_.empty()) groups_.back().ranges = ranges_of(atoms_);
        atoms_.clear();
    }

    [[noreturn]] void fail(const std::string& why) const
    {
        throw InputError(name_ + ":" + std::to_string(line_) + ": " + why);
    }

    const std::string& name_;
    std::int64_t n_atoms_;
    std::int64_t line_ = 0;
    std::vector<AtomGroup> groups_;
    std::vector<AtomId> atoms_; // of the last group
};

} // namespace

std::vector<AtomGroup> parse_index(std::string_view text, const std::string& name, std::int64_t n_atoms)
{
    return IndexParser(name, n_atoms).parse(text);
}

const AtomGroup* find_group(std::span<const AtomGroup> groups, std::string_view name)
{
    const auto found =
        std::find_if(groups.begin(), groups.end(), [&](const AtomGroup& group) { return same_name(group.name, name); });
    return found != groups.end() ? &*found : nullptr;
}

} // namespace holon
