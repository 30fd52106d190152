#include "line_reader.hpp"
#include "other_formats.hpp"

#include <cmath>

namespace holon {

namespace {

/// Columns first to last, counted from 1, of a record.
std::string_view columns(std::string_view line, std::size_t first, std::size_t last)
{
    return line.size() < first ? std::string_view() : line.substr(first - 1, last - first + 1);
}

class PdbReader : public CoordinateReader {
public:
    explicit PdbReader(const std::string& path) : CoordinateReader(path), lines_(path)
    {
        bool has_cell = false;
        std::string_view line;
        while (lines_.next(line)) {
            if (line.starts_with("CRYST1")) {
                read_cell(line);
                has_cell = true;
            } else if (line.starts_with("TITLE") && title_.empty()) {
                title_ = printable(trimmed(line.substr(5)), 200);
            } else if (is_atom(line)) {
                ++n_atoms_;
            } else if (ends_model(line)) {
                break;
            }
        }
        if (n_atoms_ == 0) throw InputError(path_ + ": there is no ATOM or HETATM record; is this a .pdb file?");
        if (!has_cell)
            throw InputError(path_ + ": there is no CRYST1 record with the periodic cell. Add one, or convert the "
                                     "file: gmx editconf -f FILE.pdb -o FILE.gro -box X Y Z");
        lines_.rewind();
    }

    std::vector<GroAtom> next(std::int64_t max_atoms) override
    {
        std::vector<GroAtom> atoms;
        std::string_view line;
        while (n_read_ < n_atoms_ && std::ssize(atoms) < max_atoms) {
            if (!lines_.next(line)) fail_at(lines_.number(), "the file became shorter while it was read");
            if (is_atom(line)) atoms.push_back(read_atom(line));
        }
        return atoms;
    }

private:
    static bool is_atom(std::string_view line) { return line.starts_with("ATOM  ") || line.starts_with("HETATM"); }
    static bool ends_model(std::string_view line)
    {
        return line.starts_with("ENDMDL") || trimmed(line.substr(0, 6)) == "END";
    }

    double number(std::string_view text, const char* what) const
    {
        const double value = exact_number(trimmed(text));
        if (!std::isfinite(value))
            fail_at(lines_.number(), std::string("expected ") + what + ", found '" + printable(text) + "'");
        return value;
    }

    void read_cell(std::string_view line)
    {
        std::array<double, 3> lengths{}, angles{};
        for (std::size_t k = 0; k < 3; ++k) {
            lengths[k] = number(columns(line, 7 + 9 * k, 15 + 9 * k), "the length of an edge in CRYST1") / 10.0;
            angles[k] = number(columns(line, 34 + 7 * k, 40 + 7 * k), "an angle in CRYST1");
        }
        try {
            box_ = box_of_cell(lengths, angles);
        } catch (const InputError& error) {
            fail_at(lines_.number(), "the cell '" + printable(line) + "' " + error.what());
        }
    }

    GroAtom read_atom(std::string_view line)
    {
        static constexpr const char* names[] = {"x in columns 31 to 38", "y in columns 39 to 46",
                                                "z in columns 47 to 54"};
        GroAtom atom;
        atom.id = static_cast<AtomId>(n_read_++);
        atom.atom_name = trimmed(columns(line, 13, 16));
        atom.residue_name = trimmed(columns(line, 18, 21));
        read_integer(trimmed(columns(line, 23, 26)), atom.residue_number); // some count on with letters: of no use here
        for (std::size_t k = 0; k < 3; ++k) {
            auto& x = atom.position[static_cast<int>(k)];
            x = number(columns(line, 31 + 8 * k, 38 + 8 * k), names[k]) / 10.0;
            if (std::abs(x) > largest_length) fail_at(lines_.number(), too_far);
        }
        return atom;
    }

    LineReader lines_;
    std::int64_t n_read_ = 0;
};

} // namespace

std::unique_ptr<CoordinateReader> open_pdb(const std::string& path)
{
    return std::make_unique<PdbReader>(path);
}

} // namespace holon
