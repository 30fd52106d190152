/// How sites without parameters are placed: K. A. Feenstra, B. Hess, H. J. C. Berendsen, J. Comput. Chem. 20, 786
/// (1999), and, for what is a free choice there, as grompp does.
#include "site_geometry.hpp"

#include <holon/core/portable_math.hpp>
#include <holon/core/units.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace holon {

namespace {

using Numbers = std::vector<double>;

double square(double x)
{
    return x * x;
}

/// Lengths and angles by the atoms' indices; NaN where there are none, and for all that is computed from them.
class Geometry {
public:
    explicit Geometry(const GivenGeometry& given) : given_(given) {}

    double bond(std::int32_t i, std::int32_t j) const // [nm]
    {
        const auto found = given_.bonds.find(GivenGeometry::key(i, j));
        return found == given_.bonds.end() ? nothing : found->second;
    }
    double angle(std::int32_t i, std::int32_t j, std::int32_t k) const // [rad]
    {
        const auto found = given_.angles.find(GivenGeometry::key(i, j, k));
        return found == given_.angles.end() ? nothing : found->second * units::degree;
    }
    /// Masses that stand for a whole CH3 or NH3 group have types of these names.
    bool is_mass_of_group(std::int32_t i, std::int32_t j) const
    {
        return (starts_with(i, "MNH") && starts_with(j, "MNH")) || (starts_with(i, "MCH3") && starts_with(j, "MCH3"));
    }

private:
    static constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

    bool starts_with(std::int32_t atom, std::string_view text) const
    {
        const auto& name = given_.type_names[static_cast<std::size_t>(atom)];
        return name.size() >= text.size() && std::equal(text.begin(), text.end(), name.begin(), [](char a, char b) {
                   return a == (b >= 'a' && b <= 'z' ? b - 'a' + 'A' : b);
               });
    }

    const GivenGeometry& given_;
};

/// A group X-H2 or X-H3 bound to i, with its mass in two points j and k on either side of the axis from i to X:
/// distance of their middle from i and of each from it; and where the axis has X, or an H, and how far this is from the
/// axis.
struct Group {
    double middle, half_width;
    double x, along, across;

    Group(const Geometry& geometry, const VirtualSite& site)
    {
        const auto i = site.parents[0], j = site.parents[1], k = site.parents[2];
        const auto centre = std::max(j, k) + 1; // X follows its masses
        const double arm = geometry.bond(i, j);
        half_width = arm == geometry.bond(i, k) ? 0.5 * geometry.bond(j, k) : geometry.bond(-1, -1);
        middle = std::sqrt(square(arm) - square(half_width));
        x = geometry.bond(i, centre);
        const double bond = geometry.bond(centre, site.atom), angle = geometry.angle(i, centre, site.atom);
        along = x - bond * portable::cos(angle);
        across = bond * portable::sin(angle);
        is_centre = site.atom == centre;
    }
    bool is_centre;
};

Numbers linear(const Geometry& geometry, const VirtualSite& site)
{
    const Group group(geometry, site);
    if (group.is_centre) return {0.5 * group.x / group.middle, 0.5 * group.x / group.middle};
    const double along = group.along / group.middle, across = group.across / group.half_width;
    return {0.5 * (along + across), 0.5 * (along - across)};
}

Numbers plane_distance(const Geometry& geometry, const VirtualSite& site)
{
    const auto s = site.atom, i = site.parents[0], j = site.parents[1], k = site.parents[2];
    const double to_j = geometry.bond(i, j) * portable::sin(geometry.angle(s, i, j));
    const double to_k = geometry.bond(i, k) * portable::sin(geometry.angle(s, i, k));
    return {to_j / (to_j + to_k), -geometry.bond(s, i)};
}

Numbers plane_angle(const Geometry& geometry, const VirtualSite& site, bool mirrored)
{
    const auto s = site.atom, i = site.parents[0], j = site.parents[1];
    const double angle = geometry.angle(s, i, j);
    return in_plane(mirrored ? 2.0 * units::pi - angle : angle, geometry.bond(s, i));
}

/// Hydrogens of a group of three: the other two are 30 degrees off the plane of the axis and its masses.
Numbers out_of_plane_of_group(const Geometry& geometry, const VirtualSite& site)
{
    const Group group(geometry, site);
    const double normal = group.across * std::sqrt(0.75), in_plane = group.across * 0.5;
    const double along = group.along / group.middle, across = in_plane / group.half_width;
    return {0.5 * (along - across), 0.5 * (along + across), normal / (2.0 * group.middle * group.half_width)};
}

Numbers out_of_plane(const Geometry& geometry, const VirtualSite& site, bool mirrored)
{
    const auto s = site.atom, i = site.parents[0], j = site.parents[1], k = site.parents[2];
    const auto swapped = [mirrored](Numbers p) {
        if (mirrored) p[2] = -p[2];
        return p;
    };
    if (geometry.is_mass_of_group(j, k)) return swapped(out_of_plane_of_group(geometry, site));
    const double r = geometry.bond(s, i), b_j = geometry.bond(i, j), b_k = geometry.bond(i, k);
    const auto between = portable::sine_cosine(geometry.angle(j, i, k));
    const double on_j = r * portable::cos(geometry.angle(s, i, j)), on_k = r * portable::cos(geometry.angle(s, i, k));
    const double c = between.cosine, sine2 = square(between.sine);
    const double in_plane2 = (square(on_j) - 2.0 * on_j * on_k * c + square(on_k)) / sine2;
    return swapped({(on_j - on_k * c) / sine2 / b_j, (on_k - on_j * c) / sine2 / b_k,
                    -std::sqrt(square(r) - in_plane2) / (b_j * b_k * between.sine)});
}

Numbers four_atoms(const Geometry& geometry, const VirtualSite& site)
{
    const auto s = site.atom, i = site.parents[0];
    const auto along = [&](std::size_t k) { // of the bond to this parent, away from the site
        return -geometry.bond(i, site.parents[k]) * portable::cos(geometry.angle(s, i, site.parents[k]));
    };
    return {along(1) / along(2), along(1) / along(3), geometry.bond(s, i)};
}

} // namespace

std::vector<double> in_plane(double angle, double distance)
{
    const auto [sine, cosine] = portable::sine_cosine(angle);
    return {distance * cosine, distance * sine};
}

std::optional<std::vector<double>> site_parameters(const VirtualSite& site, bool mirrored, const GivenGeometry& given)
{
    const Geometry geometry(given);
    const auto found = [&]() -> Numbers {
        switch (site.kind) {
        case SiteKind::plane_distance:
            return plane_distance(geometry, site);
        case SiteKind::plane_angle:
            return plane_angle(geometry, site, mirrored);
        case SiteKind::out_of_plane:
            return out_of_plane(geometry, site, mirrored);
        case SiteKind::four_atoms:
            return four_atoms(geometry, site);
        case SiteKind::linear:
            if (site.parents.size() == 3 && geometry.is_mass_of_group(site.parents[1], site.parents[2]))
                return linear(geometry, site);
            return {};
        case SiteKind::line_distance:
            return {};
        }
        return {};
    }();
    const bool all = !found.empty() && std::ranges::all_of(found, [](double p) { return std::isfinite(p); });
    return all ? std::optional(found) : std::nullopt;
}

} // namespace holon
