#include <holon/io/coordinates.hpp>

#include <holon/core/error.hpp>
#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>
#include <holon/io/gro_file.hpp>

#include "line_reader.hpp"
#include "other_formats.hpp"

#include <cmath>

namespace holon {

void CoordinateReader::fail_at(std::int64_t line, const std::string& why) const
{
    throw InputError(path_ + ":" + std::to_string(line) + ": " + why);
}

std::unique_ptr<CoordinateReader> open_coordinates(const std::string& path)
{
    const auto name = path.substr(path.find_last_of('/') + 1);
    const auto dot = name.find_last_of('.');
    std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
    for (char& c : ending) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    if (ending == "pdb" || ending == "ent") return open_pdb(path);
    if (ending == "cif") return open_cif(path);
    if (ending == "g96") return open_g96(path);
    return std::make_unique<GroReader>(path);
}

std::vector<std::string_view> words_of(std::string_view line)
{
    std::vector<std::string_view> words;
    for (line = trimmed(line); !line.empty(); line = trimmed(line.substr(words.back().size())))
        words.push_back(line.substr(0, line.find_first_of(" \t")));
    return words;
}

Mat3 box_of_numbers(std::span<const double> given)
{
    std::array<double, 9> n{};
    std::copy(given.begin(), given.end(), n.begin());
    Mat3 box;
    box << n[0], n[3], n[4], n[5], n[1], n[6], n[7], n[8], n[2];
    if (box.diagonal().minCoeff() <= 0.0) throw InputError("has no volume; give the periodic cell's edges in nm");
    if (box.cwiseAbs().maxCoeff() > largest_length) throw InputError("is larger than 10000 nm");
    if (box(0, 1) != 0.0 || box(0, 2) != 0.0 || box(1, 2) != 0.0)
        throw InputError("is not lower triangular: the first vector must lie along x, the second in the xy plane (the "
                         "4th, 5th and 7th number must be 0)");
    return box;
}

Mat3 box_of_cell(const std::array<double, 3>& lengths, const std::array<double, 3>& angles)
{
    const auto cosine = [](double angle) { return angle == 90.0 ? 0.0 : portable::cos(angle * units::degree); };
    const auto [a, b, c] = lengths;
    const double alpha = cosine(angles[0]), beta = cosine(angles[1]), gamma = cosine(angles[2]);
    const double sine = std::sqrt(1.0 - gamma * gamma);
    const double cx = c * beta, cy = c * (alpha - beta * gamma) / sine, cz2 = c * c - cx * cx - cy * cy;
    // Not a number where there is no such cell.
    const double numbers[] = {a, b * sine, std::sqrt(cz2), 0.0, 0.0, b * gamma, 0.0, cx, cy};
    for (const double x : numbers)
        if (!std::isfinite(x)) throw InputError("is none: no cell has such lengths and angles");
    return box_of_numbers(numbers);
}

} // namespace holon
