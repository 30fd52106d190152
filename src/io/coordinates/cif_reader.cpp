#include "line_reader.hpp"
#include "other_formats.hpp"

#include <cmath>
#include <map>

namespace holon {

namespace {

/// Words of a CIF: blanks separate them; quotes and fields between semicolons at the beginnings of lines keep them
/// together; comments are left out. S. R. Hall, F. H. Allen, I. D. Brown, Acta Cryst. A47, 655 (1991).
class CifWords {
public:
    explicit CifWords(const std::string& path) : path_(path), lines_(path) {}

    struct Word {
        std::string text;
        bool quoted = false; // a value, whatever it looks like
    };

    /// False at the end of the file.
    bool next(Word& word)
    {
        for (;;) {
            const auto first = line_.find_first_not_of(" \t", at_);
            if (first == std::string::npos || line_[first] == '#') {
                if (!next_line()) {
                    word = {};
                    return false;
                }
                if (line_.starts_with(';')) return text_field(word);
                continue;
            }
            at_ = first;
            return line_[at_] == '\'' || line_[at_] == '"' ? quoted(word) : plain(word);
        }
    }

    std::int64_t line_number() const { return lines_.number(); }

private:
    bool next_line()
    {
        std::string_view line;
        if (!lines_.next(line)) return false;
        line_ = line;
        at_ = 0;
        return true;
    }

    bool text_field(Word& word)
    {
        word = {line_.substr(1), true};
        const auto first = line_number();
        for (;;) {
            if (!next_line())
                throw InputError(path_ + ":" + std::to_string(first) + ": the text that begins here has no end (;)");
            if (line_.starts_with(';')) break;
            word.text += '\n' + line_;
        }
        at_ = 1;
        return true;
    }

    /// To a quotation mark before a blank or the end of the line.
    bool quoted(Word& word)
    {
        const char mark = line_[at_];
        auto end = at_ + 1;
        while (end < line_.size() &&
               (line_[end] != mark || (end + 1 < line_.size() && line_[end + 1] != ' ' && line_[end + 1] != '\t')))
            ++end;
        word = {line_.substr(at_ + 1, end - at_ - 1), true};
        at_ = std::min(end + 1, line_.size());
        return true;
    }

    bool plain(Word& word)
    {
        const auto end = std::min(line_.find_first_of(" \t", at_), line_.size());
        word = {line_.substr(at_, end - at_), false};
        at_ = end;
        return true;
    }

    std::string path_;
    LineReader lines_;
    std::string line_;
    std::size_t at_ = 0;
};

/// A loop of atoms is read twice, as other files are: to count, and piece by piece.
class CifReader : public CoordinateReader {
public:
    explicit CifReader(const std::string& path) : CoordinateReader(path), words_(std::make_unique<CifWords>(path))
    {
        std::map<std::string, std::string, std::less<>> cell;
        CifWords::Word word;
        for (bool more = words_->next(word); more;) {
            auto name = lower(word);
            if (name == "loop_") {
                if (find_columns() && n_atoms_ == 0)
                    while (next_row()) ++n_atoms_;
                word = ahead_;
                more = word.quoted || !word.text.empty();
                continue;
            }
            if (name.starts_with("_cell") && name.size() > 5 && words_->next(word)) {
                name[5] = '.';                 // also where it is an underscore
                cell.emplace(name, word.text); // that of the first block, as the atoms are
            } else if (name == "_struct.title" && words_->next(word)) {
                title_ = printable(word.text, 200);
            }
            more = words_->next(word);
        }
        if (n_atoms_ == 0)
            throw InputError(path_ + ": there is no loop of _atom_site with atoms; is this a .cif file?");
        read_cell(cell);
        words_ = std::make_unique<CifWords>(path);
        model_.clear();
        bool found = false;
        while (!found && words_->next(word)) found = lower(word) == "loop_" && find_columns();
    }

    std::vector<GroAtom> next(std::int64_t max_atoms) override
    {
        std::vector<GroAtom> atoms;
        for (; n_read_ < n_atoms_ && std::ssize(atoms) < max_atoms; ++n_read_) {
            if (!next_row()) fail("the file became shorter while it was read");
            GroAtom atom;
            atom.id = static_cast<AtomId>(n_read_);
            atom.atom_name = value("label_atom_id", "auth_atom_id");
            atom.residue_name = value("label_comp_id", "auth_comp_id");
            read_integer(value("auth_seq_id", "label_seq_id"), atom.residue_number);
            for (int k = 0; k < 3; ++k) {
                const auto text = value(cartesian[k], cartesian[k]);
                atom.position[k] = exact_number(text) / 10.0;
                if (!std::isfinite(atom.position[k]))
                    fail(std::string("expected a number for ") + cartesian[k] + ", found '" + printable(text) + "'");
                if (std::abs(atom.position[k]) > largest_length) fail(too_far);
            }
            atoms.push_back(std::move(atom));
        }
        return atoms;
    }

private:
    static constexpr const char* cartesian[] = {"cartn_x", "cartn_y", "cartn_z"};

    [[noreturn]] void fail(const std::string& why) const { fail_at(words_->line_number(), why); }

    static std::string lower(const CifWords::Word& word)
    {
        std::string text = word.quoted ? "" : word.text;
        for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        return text;
    }

    /// The names of a loop; true if it is that of the atoms. Its first value is `ahead_` then.
    bool find_columns()
    {
        constexpr std::string_view category = "_atom_site.";
        std::map<std::string, std::size_t, std::less<>> columns;
        std::size_t n = 0;
        while (words_->next(ahead_) && lower(ahead_).starts_with('_')) {
            const auto name = lower(ahead_);
            if (name.starts_with(category)) columns[name.substr(category.size())] = n;
            ++n;
        }
        if (columns.empty()) return false;
        for (const char* name : cartesian)
            if (!columns.contains(name)) fail(std::string("the loop of _atom_site has no ") + name);
        columns_ = std::move(columns);
        row_.resize(n);
        return true;
    }

    /// The next row of the first model.
    bool next_row()
    {
        const auto name = lower(ahead_);
        const bool over = name.empty() && !ahead_.quoted;
        if (over || name == "loop_" || name.starts_with('_') || name.starts_with("data_")) return false;
        for (std::size_t k = 0; k < row_.size(); ++k) {
            row_[k] = ahead_.text;
            if (!words_->next(ahead_) && k + 1 < row_.size()) fail("the last row of _atom_site is not complete");
        }
        const auto model = value("pdbx_pdb_model_num", "pdbx_pdb_model_num");
        if (model_.empty()) model_ = model;
        return model == model_;
    }

    std::string value(const char* name, const char* other) const
    {
        for (const char* wanted : {name, other})
            if (const auto found = columns_.find(wanted); found != columns_.end()) return row_[found->second];
        return {};
    }

    void read_cell(const std::map<std::string, std::string, std::less<>>& cell)
    {
        std::array<double, 6> numbers{};
        constexpr const char* names[] = {"length_a",    "length_b",   "length_c",
                                         "angle_alpha", "angle_beta", "angle_gamma"};
        for (std::size_t k = 0; k < 6; ++k) {
            const auto found = cell.find("_cell." + std::string(names[k]));
            const auto text = found != cell.end() ? found->second : std::string();
            numbers[k] = exact_number(text.substr(0, text.find('('))); // an uncertainty
            if (!std::isfinite(numbers[k]))
                throw InputError(path_ + ": expected a number for _cell." + names[k] + ", found '" + printable(text) +
                                 "'; give the periodic cell, in Angstrom and degrees");
        }
        try {
            box_ = box_of_cell({numbers[0] / 10.0, numbers[1] / 10.0, numbers[2] / 10.0},
                               {numbers[3], numbers[4], numbers[5]});
        } catch (const InputError& error) {
            throw InputError(path_ + ": the cell " + error.what());
        }
    }

    std::unique_ptr<CifWords> words_;
    std::map<std::string, std::size_t, std::less<>> columns_; // of the loop of atoms
    std::vector<std::string> row_;
    CifWords::Word ahead_; // the first that is not part of row_
    std::string model_;    // the first
    std::int64_t n_read_ = 0;
};

} // namespace

std::unique_ptr<CoordinateReader> open_cif(const std::string& path)
{
    return std::make_unique<CifReader>(path);
}

} // namespace holon
