#include "line_reader.hpp"
#include "other_formats.hpp"

#include <cmath>

namespace holon {

namespace {

/// Positions and velocities are in blocks of their own: each is read through a view of the file.
class G96Reader : public CoordinateReader {
public:
    explicit G96Reader(const std::string& path) : CoordinateReader(path), positions_(path), velocities_(path)
    {
        LineReader lines(path);
        std::string_view line;
        bool has_box = false;
        while (next_line(lines, line)) {
            const std::string block(trimmed(line));
            if (block.empty()) continue;
            const auto first = lines.number();
            if (block.starts_with("POSITION") && n_atoms_ > 0) break; // the next frame
            std::int64_t n = 0;
            bool ended = false;
            for (; next_line(lines, line) && !(ended = trimmed(line) == "END"); ++n) {
                if (block == "TITLE" && title_.empty()) title_ = printable(trimmed(line), 200);
                if (block == "BOX" && !has_box) {
                    read_box(line, lines.number());
                    has_box = true;
                }
            }
            if (!ended) fail_at(first, "the block " + printable(block) + " has no END");
            if (block.starts_with("POSITION")) {
                n_atoms_ = n;
                reduced_ = seek(positions_, first);
            } else if (block.starts_with("VELOCITY") && n_velocities_ == 0) {
                n_velocities_ = n;
                reduced_velocities_ = seek(velocities_, first);
            }
        }
        has_velocities_ = n_velocities_ > 0;
        if (n_atoms_ == 0) throw InputError(path_ + ": there is no block POSITION with atoms; is this a .g96 file?");
        if (!has_box) throw InputError(path_ + ": there is no block BOX; give the periodic cell's edges in nm");
        if (has_velocities_ && n_velocities_ != n_atoms_)
            throw InputError(path_ + ": there are " + std::to_string(n_atoms_) + " positions and " +
                             std::to_string(n_velocities_) + " velocities");
    }

    std::vector<GroAtom> next(std::int64_t max_atoms) override
    {
        std::vector<GroAtom> atoms;
        for (; n_read_ < n_atoms_ && std::ssize(atoms) < max_atoms; ++n_read_) {
            GroAtom atom;
            atom.id = static_cast<AtomId>(n_read_);
            atom.position = read_vector(positions_, reduced_, &atom);
            if (atom.position.cwiseAbs().maxCoeff() > largest_length) fail_at(positions_.number(), too_far);
            if (has_velocities_) atom.velocity = read_vector(velocities_, reduced_velocities_, nullptr);
            if (atom.velocity.cwiseAbs().maxCoeff() > largest_velocity) fail_at(velocities_.number(), too_fast);
            atoms.push_back(std::move(atom));
        }
        return atoms;
    }

private:
    /// Comments left out.
    static bool next_line(LineReader& lines, std::string_view& line)
    {
        while (lines.next(line))
            if (!line.starts_with('#')) return true;
        return false;
    }

    /// To the first line of the block with this headline; whether it is a reduced one, of numbers alone.
    static bool seek(LineReader& lines, std::int64_t headline)
    {
        std::string_view line;
        while (lines.number() < headline && lines.next(line)) {
        }
        return trimmed(line).ends_with("RED");
    }

    void read_box(std::string_view line, std::int64_t number)
    {
        std::vector<double> numbers;
        for (const auto word : words_of(line)) numbers.push_back(exact_number(word));
        const bool readable = std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
        if (!readable || (numbers.size() != 3 && numbers.size() != 9))
            fail_at(number, "expected the box (3 or 9 numbers), found '" + printable(line) + "'");
        try {
            box_ = box_of_numbers(numbers);
        } catch (const InputError& error) {
            fail_at(number, "the box '" + printable(line) + "' " + error.what());
        }
    }

    Vec3 read_vector(LineReader& lines, bool reduced, GroAtom* names)
    {
        constexpr std::size_t head = 24; // residue number, residue, atom name and number
        std::string_view line;
        if (!next_line(lines, line)) fail_at(lines.number(), "the file became shorter while it was read");
        const auto words = words_of(reduced || line.size() < head ? line : line.substr(head));
        Vec3 vector;
        for (std::size_t k = 0; k < 3; ++k) {
            vector[static_cast<int>(k)] = k < words.size() ? exact_number(words[k]) : std::nan("");
            if (!std::isfinite(vector[static_cast<int>(k)]) || words.size() != 3)
                fail_at(lines.number(), std::string("expected three numbers") + (reduced ? "" : " from column 25 on") +
                                            ", found '" + printable(line) + "'");
        }
        if (names != nullptr && !reduced) {
            read_integer(trimmed(line.substr(0, 5)), names->residue_number);
            names->residue_name = trimmed(line.substr(5, 6));
            names->atom_name = trimmed(line.substr(11, 6));
        }
        return vector;
    }

    LineReader positions_, velocities_;
    bool reduced_ = false, reduced_velocities_ = false;
    std::int64_t n_velocities_ = 0, n_read_ = 0;
};

} // namespace

std::unique_ptr<CoordinateReader> open_g96(const std::string& path)
{
    return std::make_unique<G96Reader>(path);
}

} // namespace holon
