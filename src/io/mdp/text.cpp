#include "text.hpp"

#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>

#include <algorithm>
#include <numeric>

namespace holon {

namespace {

constexpr std::string_view blanks = " \t\r\v\f";

std::string_view trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Damerau's distance: insertions, deletions, replacements and swaps of neighbours, each counting one.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (a[i - 1] != b[j - 1] ? 1 : 0)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last.swap(last);
        last.swap(row);
    }
    return last[b.size()];
}

} // namespace

std::vector<Setting> parse_mdp_text(std::string_view text, const std::string& name)
{
    std::vector<Setting> settings;
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // byte order mark
    for (int line_number = 1; !text.empty(); ++line_number) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        line = trimmed(line.substr(0, line.find(';')));
        if (line.empty()) continue;

        const std::string where = name + ":" + std::to_string(line_number);
        const auto equals = line.find('=');
        if (equals == std::string_view::npos)
            throw InputError(where + ": expected 'key = value', found '" + printable(line) + "'");
        const std::string_view key = trimmed(line.substr(0, equals));
        if (key.empty()) throw InputError(where + ": there is no key before '=' in '" + printable(line) + "'");
        settings.push_back({std::string(key), std::string(trimmed(line.substr(equals + 1))), where});
    }
    return settings;
}

std::string plain(std::string_view text)
{
    std::string result;
    for (char c : text)
        if (c != '-' && c != '_') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return result;
}

std::vector<std::string> words(std::string_view text)
{
    std::vector<std::string> result;
    for (text = trimmed(text); !text.empty();) {
        const std::string_view word = text.substr(0, text.find_first_of(blanks));
        result.emplace_back(word);
        text = trimmed(text.substr(word.size()));
    }
    return result;
}

std::string nearest_name(std::string_view word, const std::vector<std::string>& candidates)
{
    const std::string wanted = plain(word.substr(0, 100));
    if (wanted.size() < 2) return {};
    std::size_t best = (wanted.size() == 2 ? 1 : std::max<std::size_t>(2, wanted.size() / 3)) + 1;
    std::string nearest;
    for (const std::string& candidate : candidates) {
        const std::size_t distance = edit_distance(wanted, plain(candidate));
        if (distance >= best) continue;
        best = distance;
        nearest = candidate;
    }
    return nearest;
}

std::string described(const Setting& setting)
{
    const auto key = setting.where + ": " + printable(setting.key), value = printable(setting.value);
    if (setting.given) return key + " = " + value;
    return key + (value.empty() ? " is not given" : " is not given, and " + value + " by default");
}

void reject(const Setting& setting, const std::string& why)
{
    throw InputError(described(setting) + ": " + why);
}

} // namespace holon
