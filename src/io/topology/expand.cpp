#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>
#include <holon/io/topology_file.hpp>

#include "extras.hpp"
#include "fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace holon {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_include_depth = 64;
constexpr std::size_t max_files_included = 10'000; // files included by files that are included twice, and so on
constexpr std::size_t max_line_length = 1'000'000; // macros made of macros made of macros
constexpr std::size_t max_macro_depth = 64;

bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Takes the first blank-separated word off `text`.
std::string take_word(std::string_view& text)
{
    text = trimmed(text);
    const std::size_t length = std::min(text.find_first_of(" \t"), text.size());
    std::string word(text.substr(0, length));
    text = trimmed(text.substr(length));
    return word;
}

/// For comparisons: an absolute path without links, as far as the file system knows.
fs::path identity(const fs::path& path)
{
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path : canonical;
}

class Preprocessor {
public:
    explicit Preprocessor(const TopologySearch& search) : search_(search)
    {
        for (std::string_view dir : search.include_dirs) add_dir(dir.starts_with("-I") ? dir.substr(2) : dir);
        if (const char* dirs = std::getenv("GMXLIB")) {
            std::istringstream list(dirs);
            for (std::string dir; std::getline(list, dir, ':');) add_dir(dir);
        }
        if (const char* data = std::getenv("GMXDATA")) add_dir(std::string(data) + "/top");
        add_dir("/usr/share/gromacs/top");
        for (std::string_view define : search.defines) {
            if (define.starts_with("-D")) define.remove_prefix(2);
            const std::size_t equals = define.find('=');
            const std::string name(trimmed(define.substr(0, equals)));
            if (name.empty()) throw InputError(fmt::format("define = '{}': a name is missing after -D", define));
            macros_[name] = equals == std::string_view::npos ? "" : std::string(trimmed(define.substr(equals + 1)));
            never_asked_.insert(name);
        }
    }

    ExpandedTopology run(const std::string& path)
    {
        read(path);
        add_extras(result_, path, search_, dirs_);
        result_.unused_defines.assign(never_asked_.begin(), never_asked_.end());
        return std::move(result_);
    }

private:
    struct Condition {
        bool active; // lines are taken here
        bool outer;  // ... and around the condition
        bool else_seen;
        int line;
    };

    /// One file being read.
    struct Source {
        fs::path path;
        std::int32_t index = 0; // in ExpandedTopology::files
        int line = 0;
        std::vector<Condition> conditions;
        bool active() const { return conditions.empty() || conditions.back().active; }
    };

    [[noreturn]] static void fail(const Source& source, const std::string& message)
    {
        throw InputError(fmt::format("{}:{}: {}", source.path.string(), source.line, message));
    }

    void note(const Source& source, int line, const std::string& message)
    {
        const auto text = fmt::format("{}:{}: {}", source.path.string(), line, message);
        result_.notes.push_back(printable(text, std::string::npos));
    }

    void add_dir(std::string_view dir)
    {
        if (!trimmed(dir).empty()) dirs_.emplace_back(trimmed(dir));
    }

    void read(const fs::path& path)
    {
        std::string text = read_text_file(path.string(), "topology");
        if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3); // byte order mark of some editors
        open_.push_back(identity(path));

        Source source{path, file_index(path.string()), 0, {}};
        int lines_read = 0;
        for (std::size_t begin = 0; begin < text.size();) {
            source.line = lines_read + 1;
            std::string line;
            bool continued = true;
            while (continued && begin < text.size()) {
                const std::size_t end = std::min(text.find('\n', begin), text.size());
                std::string_view piece = trimmed(std::string_view(text).substr(begin, end - begin));
                continued = piece.ends_with('\\');
                if (continued) piece.remove_suffix(1);
                line += piece;
                if (continued) line += ' ';
                begin = end + 1;
                ++lines_read;
            }
            process(source, line);
        }
        for (const auto& condition : source.conditions)
            note(source, condition.line, "this condition has no #endif in the same file; it ends with the file");
        open_.pop_back();
    }

    std::int32_t file_index(const std::string& name)
    {
        const auto [entry, is_new] = file_index_.try_emplace(name, static_cast<std::int32_t>(result_.files.size()));
        if (is_new) result_.files.push_back(printable(name, std::string::npos));
        return entry->second;
    }

    void process(Source& source, std::string_view line)
    {
        line = trimmed(line.substr(0, line.find(';')));
        if (line.empty() || line.front() == '*') return;
        if (line.front() == '#') {
            directive(source, line.substr(1));
        } else if (source.active()) {
            std::string text = replace_macros(source, line);
            // A macro may have brought a comment or nothing.
            text = trimmed(std::string_view(text).substr(0, text.find(';')));
            if (!text.empty()) result_.lines.push_back({source.index, source.line, std::move(text)});
        }
    }

    void directive(Source& source, std::string_view rest)
    {
        const std::string name = take_word(rest);
        if (name == "ifdef" || name == "ifndef") {
            const std::string macro = take_word(rest);
            if (macro.empty()) fail(source, fmt::format("#{} needs a name", name));
            never_asked_.erase(macro);
            const bool wanted = macros_.contains(macro) == (name == "ifdef");
            source.conditions.push_back({source.active() && wanted, source.active(), false, source.line});
        } else if (name == "else") {
            if (source.conditions.empty()) fail(source, "#else without #ifdef or #ifndef");
            Condition& condition = source.conditions.back();
            if (condition.else_seen) fail(source, fmt::format("second #else of line {}", condition.line));
            condition.active = condition.outer && !condition.active;
            condition.else_seen = true;
        } else if (name == "endif") {
            if (source.conditions.empty()) fail(source, "#endif without #ifdef or #ifndef");
            source.conditions.pop_back();
        } else if (source.active()) {
            command(source, name, rest);
        }
    }

    /// The directives that count only where lines are taken.
    void command(Source& source, const std::string& name, std::string_view rest)
    {
        if (name == "include") {
            include(source, rest);
        } else if (name == "define" || name == "undef") {
            const std::string macro = take_word(rest);
            if (macro.empty()) fail(source, fmt::format("#{} needs a name", name));
            never_asked_.erase(macro);
            if (name == "undef")
                macros_.erase(macro);
            else
                macros_[macro] = rest;
        } else if (name == "error") {
            fail(source, fmt::format("#error {}", printable(rest)));
        } else {
            fail(source,
                 fmt::format("unknown directive #{}; known are #include, #define, #undef, #ifdef, #ifndef, #else, "
                             "#endif and #error",
                             printable(name)));
        }
    }

    void include(const Source& source, std::string_view rest)
    {
        const char close = rest.starts_with('<') ? '>' : '"';
        const std::size_t end = rest.empty() ? 0 : std::min(rest.find(close, 1), rest.size());
        if ((!rest.starts_with('<') && !rest.starts_with('"')) || end < 2)
            fail(source, fmt::format("#include needs a file name in quotes, not {}", in_quotes(rest)));
        if (end == rest.size())
            note(source, source.line, "the closing quote of the file name is missing; it ends with the line");
        const fs::path found = find(source, std::string(rest.substr(1, end - 1)));
        if (open_.size() >= max_include_depth)
            fail(source, fmt::format("files are included more than {} levels deep", max_include_depth));
        if (std::find(open_.begin(), open_.end(), identity(found)) != open_.end())
            fail(source, fmt::format("'{}' includes itself, directly or by way of other files", found.string()));
        if (++files_included_ > max_files_included)
            fail(source, fmt::format("more than {} files are included", max_files_included));
        read(found);
    }

    fs::path find(const Source& source, const fs::path& name) const
    {
        std::error_code error;
        std::vector<fs::path> places{source.path.parent_path() / name};
        if (name.is_relative()) {
            for (const fs::path& dir : dirs_) places.push_back(dir / name);
        }
        for (const fs::path& place : places) {
            if (fs::exists(place, error) && !fs::is_directory(place, error)) return place;
        }
        std::string tried;
        for (const fs::path& place : places) tried += "\n  " + place.string();
        fail(source, fmt::format("include file {} not found; put it beside this file, or its folder into 'include' or "
                                 "GMXLIB; tried:{}",
                                 in_quotes(name.string()), tried));
    }

    /// Replaces every word that is a macro with a text, and again in the result; a macro never inside its own text.
    std::string replace_macros(const Source& source, std::string_view line)
    {
        std::string out;
        std::vector<std::string_view> inside;
        replace_into(out, source, line, inside);
        return out;
    }

    void replace_into(std::string& out, const Source& source, std::string_view text,
                      std::vector<std::string_view>& inside)
    {
        for (std::size_t k = 0; k < text.size();) {
            std::size_t end = k;
            while (end < text.size() && is_word(text[end])) ++end;
            if (end == k) {
                out += text[k++];
                continue;
            }
            const std::string_view word = text.substr(k, end - k);
            k = end;
            const auto macro = macros_.find(word);
            const bool replace = macro != macros_.end() && !macro->second.empty() &&
                                 std::find(inside.begin(), inside.end(), word) == inside.end();
            if (replace) {
                if (inside.size() >= max_macro_depth)
                    fail(source, fmt::format("macros are nested more than {} levels deep here", max_macro_depth));
                if (!never_asked_.empty()) never_asked_.erase(macro->first);
                inside.push_back(word);
                replace_into(out, source, macro->second, inside);
                inside.pop_back();
            } else {
                out += word;
            }
            if (out.size() > max_line_length)
                fail(source, fmt::format("macros make this line longer than {} characters", max_line_length));
        }
    }

    const TopologySearch& search_;
    ExpandedTopology result_;
    std::vector<fs::path> dirs_;
    std::map<std::string, std::string, std::less<>> macros_;
    std::set<std::string> never_asked_;
    std::vector<fs::path> open_; // canonical paths of the files being read
    std::map<std::string, std::int32_t> file_index_;
    std::size_t files_included_ = 0;
};

} // namespace

ExpandedTopology expand_topology(const std::string& path, const TopologySearch& search)
{
    return Preprocessor(search).run(path);
}

} // namespace holon
