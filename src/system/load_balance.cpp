#include <holon/core/index.hpp>
#include <holon/system/load_balance.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <vector>

namespace holon {

namespace {

constexpr int fewest_steps = 8;          // to measure over
constexpr double worth_a_move = 0.03;    // of imbalance
constexpr double furthest_move = 0.5;    // of a domain
constexpr double background_load = 1e-3; // of the mean: so that every domain has some

/// Load along a row of domains, by eighths of each.
class RowLoad {
public:
    RowLoad(std::span<const double> faces)
        : edges_(1, faces.front()), loads_((faces.size() - 1) * DomainLoad::bins, 0.0)
    {
        for (std::size_t i = 0; i + 1 < faces.size(); ++i)
            for (std::size_t bin = 1; bin <= DomainLoad::bins; ++bin)
                edges_.push_back(faces[i] + (faces[i + 1] - faces[i]) * static_cast<double>(bin) / DomainLoad::bins);
    }

    void add(std::size_t domain, const DomainLoad& load, std::size_t axis)
    {
        const auto& profile = load.profile[axis];
        const double atoms = std::accumulate(profile.begin(), profile.end(), 0.0);
        for (std::size_t bin = 0; bin < DomainLoad::bins; ++bin)
            loads_[domain * DomainLoad::bins + bin] +=
                static_cast<double>(load.load) * (atoms > 0.0 ? profile[bin] / atoms : 1.0 / DomainLoad::bins);
    }

    double total() const { return std::accumulate(loads_.begin(), loads_.end(), 0.0); }

    /// Where `parts` - 1 faces cut the load into equal parts; a little is everywhere, so that this is somewhere.
    std::vector<double> quantiles(std::size_t parts) const
    {
        const double background = background_load * total() / static_cast<double>(loads_.size());
        const double all = (1.0 + background_load) * total();
        std::vector<double> found;
        std::size_t bin = 0;
        double below = 0.0; // load below this bin
        for (std::size_t i = 1; i < parts; ++i) {
            const double wanted = all * static_cast<double>(i) / static_cast<double>(parts);
            while (bin + 1 < loads_.size() && below + loads_[bin] + background < wanted)
                below += loads_[bin++] + background;
            found.push_back(edges_[bin] +
                            (edges_[bin + 1] - edges_[bin]) * (wanted - below) / (loads_[bin] + background));
        }
        return found;
    }

private:
    std::vector<double> edges_, loads_;
};

void balance_row(std::span<double> faces, const RowLoad& load, double least)
{
    const std::size_t n = faces.size() - 1;
    if (n < 2 || load.total() <= 0.0) return;
    const std::vector<double> old(faces.begin(), faces.end()), goals = load.quantiles(n);
    for (std::size_t i = 1; i < n; ++i)
        faces[i] = std::clamp(goals[i - 1], old[i] - furthest_move * (old[i] - old[i - 1]),
                              old[i] + furthest_move * (old[i + 1] - old[i]));
    const double thinnest = std::min(least, 1.0 / static_cast<double>(n));
    for (std::size_t i = 1; i < n; ++i) faces[i] = std::max(faces[i], faces[i - 1] + thinnest);
    for (std::size_t i = n - 1; i > 0; --i) faces[i] = std::min(faces[i], faces[i + 1] - thinnest);
}

} // namespace

DomainLoad DomainLoad::of(std::int64_t load, const DomainGrid& grid, int rank, const Box& box, std::span<const IVec3> x)
{
    DomainLoad result;
    result.load = load;
    const auto cell = grid.cell(rank);
    std::array<std::array<std::int64_t, bins>, 3> atoms{};
    for (const auto& position : x) {
        const Vec3 s = box.fractional(position);
        for (int k = 0; k < 3; ++k) {
            const double low = grid.lower(k, cell), high = grid.upper(k, cell);
            const double bin = std::floor((s[k] - low) / (high - low) * bins);
            ++atoms[index(k)][static_cast<std::size_t>(std::clamp(bin, 0.0, bins - 1.0))];
        }
    }
    for (std::size_t k = 0; k < 3; ++k) {
        const auto most = std::max<std::int64_t>(1, *std::ranges::max_element(atoms[k]));
        for (std::size_t bin = 0; bin < bins; ++bin)
            result.profile[k][bin] = static_cast<std::uint8_t>(255 * atoms[k][bin] / most);
    }
    return result;
}

DomainGrid balanced(const DomainGrid& grid, std::span<const DomainLoad> loads, const std::array<double, 3>& least)
{
    auto result = grid;
    const auto& n = grid.n();
    RowLoad slabs(grid.faces(0, {0, 0, 0}));
    for (int i = 0; i < n[0]; ++i) {
        RowLoad columns(grid.faces(1, {i, 0, 0}));
        for (int j = 0; j < n[1]; ++j) {
            RowLoad domains(grid.faces(2, {i, j, 0}));
            for (int k = 0; k < n[2]; ++k) {
                const auto& load = loads[index(grid.rank({i, j, k}))];
                slabs.add(index(i), load, 0);
                columns.add(index(j), load, 1);
                domains.add(index(k), load, 2);
            }
            balance_row(result.faces(2, {i, j, 0}), domains, least[2]);
        }
        balance_row(result.faces(1, {i, 0, 0}), columns, least[1]);
    }
    balance_row(result.faces(0, {0, 0, 0}), slabs, least[0]);
    return result;
}

double LoadBalance::measured_imbalance()
{
    const auto nanoseconds = static_cast<std::int64_t>(seconds_ * 1e9);
    const double most = static_cast<double>(comm_.max(nanoseconds)) * 1e-9;
    const double even = static_cast<double>(comm_.sum(nanoseconds)) * 1e-9 / comm_.size();
    const double imbalance = even > 0.0 ? most / even - 1.0 : 0.0;
    most_ += most;
    even_ += even;
    if (!any_) report_.first = imbalance;
    report_.last = imbalance;
    any_ = true;
    return imbalance;
}

std::optional<DomainGrid> LoadBalance::better(const DomainGrid& grid, const Box& box, std::span<const IVec3> x,
                                              const std::array<double, 3>& least)
{
    if (comm_.size() == 1 || steps_ < fewest_steps) return std::nullopt;
    const double imbalance = measured_imbalance();
    const auto load = static_cast<std::int64_t>(seconds_ * 1e9);
    seconds_ = 0.0;
    steps_ = 0;
    if (report_.mode == LoadBalancing::no) return std::nullopt;
    if (report_.mode == LoadBalancing::automatic && imbalance < worth_a_move) return std::nullopt;
    ++report_.moves;
    return balanced(grid, comm_.all_gather(DomainLoad::of(load, grid, comm_.rank(), box, x)), least);
}

LoadReport LoadBalance::report()
{
    if (comm_.size() > 1 && (steps_ >= fewest_steps || !any_)) {
        measured_imbalance();
        seconds_ = 0.0;
        steps_ = 0;
    }
    report_.mean = even_ > 0.0 ? most_ / even_ - 1.0 : 0.0;
    return report_;
}

} // namespace holon
