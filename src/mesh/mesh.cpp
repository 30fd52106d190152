#include <holon/mesh/mesh.hpp>

#include <holon/core/index.hpp>
#include <holon/core/instruction_sets.hpp>
#include <holon/core/parallel.hpp>
#include <holon/core/units.hpp>

#include "brick_exchange.hpp"
#include "fourier_grid.hpp"
#include "influence.hpp"
#include "mesh_kernel.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <optional>

namespace holon {

namespace {

// Too few for a thread; atoms in whole blocks.
constexpr std::size_t few_atoms = 16 * mesh::block, few_points = 4096;

template <class Real>
void run_locate(const mesh::Locate<Real>& data)
{
    HOLON_CALL(mesh::locate, data);
}

template <class Real, class Int>
void spread(const mesh::SpreadData<Real, Int>& data)
{
    HOLON_CALL(mesh::spread, data);
}

template <class Real>
void mesh_forces(const mesh::ForceData<Real>& data)
{
    HOLON_CALL(mesh::add_forces, data);
}

template <class Real>
void gather(const mesh::GatherData<Real>& data)
{
    HOLON_CALL(mesh::gather, data);
}

/// Charges on the grid are counted in units of 2^-bits e: room for a dozen of the largest on one point.
template <class Int>
int charge_bits(const Topology& topology)
{
    double largest = 1e-3;
    for (const auto& molecule : topology.molecule_types)
        for (const auto& atom : molecule.atoms) largest = std::max(largest, std::abs(atom.charge));
    int power = 0; // of 2, at least the largest
    if (std::frexp(largest, &power) == 0.5) --power;
    return std::numeric_limits<Int>::digits - 4 - (sizeof(Int) == 8 ? 8 : 0) - power;
}

template <class Real, class Int>
class Mesh final : public LongRange {
public:
    Mesh(Communicator comm, const Topology& topology, const MeshSettings& settings, const Box& box,
         double coulomb_factor)
        : comm_(std::move(comm)), box_(box), split_(settings.split), n_(settings.grid),
          layout_(PencilLayout::choose(n_, comm_.size(), settings.most_ranks, comm_.on_several_computers())),
          fourier_(comm_, layout_), pieces_(*settings.window, sizeof(Real) == 4 ? 2e-7 : 1e-15),
          lanes_(pieces_.width() <= mesh::narrow ? mesh::narrow : mesh::wide),
          charge_scale_(std::ldexp(1.0, charge_bits<Int>(topology))), coulomb_factor_(coulomb_factor),
          influence_(influence_for(settings))
    {
        for (int p = 0; p <= pieces_.degree(); ++p) append_lanes(value_, pieces_.value(p));
        for (int p = 0; p < pieces_.degree(); ++p) append_lanes(slope_, pieces_.slope(p));
        influence_.follow(box_);
        pencil_.assign(fourier_.points().size(), Int(0));
    }

    void follow_box() override { influence_.follow(box_); }
    void set_up(const Atoms& atoms, double reach) override;
    void start(const Atoms& atoms, ForceSums* sums) override;
    void advance() override;
    std::string add_forces(Atoms& atoms) override;
    std::int64_t messages() const override
    {
        return fourier_.messages() + (bricks_.has_value() ? bricks_->messages() : 0);
    }
    std::int64_t bytes_sent() const override
    {
        return fourier_.bytes_sent() + (bricks_.has_value() ? bricks_->bytes_sent() : 0);
    }

private:
    void append_lanes(std::vector<Real>& target, const std::vector<double>& coefficients) const
    {
        for (int k = 0; k < lanes_; ++k)
            target.push_back(k < pieces_.width() ? static_cast<Real>(coefficients[index(k)]) : Real(0));
    }

    Influence<Real> influence_for(const MeshSettings& settings) const;
    /// Along each axis: the first of an atom's grid points, and how far beyond it the atom is, f - 1/2.
    struct Found {
        std::array<std::vector<std::int32_t>, 3> first;
        std::array<std::vector<Real>, 3> offset;
    };
    /// Atoms outside of the canonical cell.
    struct Outside {
        std::vector<std::size_t> atoms;
        std::vector<IVec3> wrapped;
        std::vector<Image> images;
        Found found;
    };
    void find(std::span<const IVec3> canonical, Found& found, std::size_t at) const;
    void find_owned(const Atoms& atoms, std::size_t begin, std::size_t end, Outside& outside);
    bool locate(std::size_t begin, std::size_t end); // false if an atom is outside of the brick
    bool spread_charges(const Atoms& atoms);         // likewise
    mesh::WindowData<Real> window() const;
    mesh::Places<Real> places(std::size_t begin, std::size_t end, const std::vector<Real>& charge) const;
    void transform_charges();
    void make_potential();
    void transform_potential();
    void interpolate();

    Communicator comm_;
    const Box& box_;
    std::shared_ptr<const EwaldSplit> split_;
    std::array<int, 3> n_;
    PencilLayout layout_;
    FourierGrid<Real> fourier_;
    WindowPieces pieces_;
    int lanes_;
    double charge_scale_, coulomb_factor_;
    std::vector<Real> value_, slope_; // window polynomials, in lanes
    Influence<Real> influence_;

    Brick brick_;                           // in points, not wrapped
    std::array<std::int32_t, 3> choices_{}; // first points of atoms lie in [lo, lo + choices)
    mesh::BrickShape shape_{};
    std::optional<BrickExchange<Int, Real>> bricks_;
    std::vector<std::vector<Int>> charges_; // of each thread's atoms; the first becomes the sum
    std::vector<Int> pencil_;
    std::vector<Real> potential_;
    // Of the owned atoms, with room for a multiple of mesh::block.
    std::size_t n_atoms_ = 0;
    Found found_;                     // first points are not wrapped, but continuous in the rank's frame
    std::vector<std::int32_t> first_; // as an index into the brick
    std::array<std::vector<Real>, 3> gradient_;
    std::vector<Real> charge_, scaled_charge_;
    std::vector<Outside> outside_; // of each thread's atoms

    // Of the step that is under way.
    enum class Stage : std::uint8_t { spread, charges, potential, points, done };
    Stage done_ = Stage::done; // the last that is
    bool inside_ = true;       // all atoms in the brick
    ForceSums* sums_ = nullptr;
};

/// Of the modes of this rank.
template <class Real, class Int>
Influence<Real> Mesh<Real, Int>::influence_for(const MeshSettings& settings) const
{
    const int pencil = layout_.pencil_of(comm_.rank());
    const Range ky = pencil < 0 ? Range{} : layout_.ky(pencil / layout_.fy);
    const Range kz = pencil < 0 ? Range{} : layout_.kz(pencil % layout_.fy);
    return {settings.split, *settings.window, {n_, ky, kz}, coulomb_factor_ * 4.0 * units::pi, charge_scale_};
}

template <class Real, class Int>
void Mesh<Real, Int>::set_up(const Atoms& atoms, double reach)
{
    n_atoms_ = index(atoms.n_owned);
    const auto n = n_atoms_, room = (n + mesh::block - 1) / mesh::block * mesh::block;
    first_.assign(room, 0);
    charge_.assign(room, Real(0));
    scaled_charge_.assign(room, Real(0));
    for (std::size_t i = 0; i < n; ++i) {
        charge_[i] = static_cast<Real>(atoms.charge[i]);
        scaled_charge_[i] = static_cast<Real>(atoms.charge[i] * charge_scale_);
    }
    for (std::size_t a = 0; a < 3; ++a) {
        found_.first[a].resize(room);
        found_.offset[a].resize(room);
    }
    outside_.resize(index(thread_count()));
    find_owned(atoms, 0, n, outside_.front());
    brick_ = {};
    for (std::size_t a = 0; a < 3; ++a) {
        gradient_[a].assign(room, Real(0));
        if (n == 0) continue;
        const auto [low, high] = std::ranges::minmax(std::span(found_.first[a]).first(n));
        const double spacing = 1.0 / (n_[a] * box_.inverse().col(static_cast<int>(a)).norm()); // between planes
        const int margin = static_cast<int>(std::floor(reach / spacing)) + 1;
        brick_.lo[a] = low - margin;
        choices_[a] = high - low + 2 * margin + 1;
        brick_.hi[a] = brick_.lo[a] + choices_[a] + pieces_.width() - 1;
    }
    const int row = brick_.size(2) + lanes_;
    shape_.stride_y = row;
    shape_.stride_x = std::int64_t{row} * brick_.size(1);
    const auto points = index(shape_.stride_x * brick_.size(0));
    charges_.resize(index(Slices(n, few_atoms).count()));
    for (auto& charges : charges_) charges.resize(points);
    potential_.assign(points, Real(0));
    bricks_.emplace(comm_, layout_, brick_, row);
}

/// Writes to `found` from place `at` on, a multiple of mesh::block.
template <class Real, class Int>
void Mesh<Real, Int>::find(std::span<const IVec3> canonical, Found& found, std::size_t at) const
{
    if (canonical.empty()) return;
    mesh::Locate<Real> data{.n_atoms = std::ssize(canonical),
                            .x = canonical.front().data(),
                            .to_grid = {},
                            .shift = pieces_.shift() - 0.5 * pieces_.width() + 1.0,
                            .whole = {},
                            .offset = {}};
    for (std::size_t a = 0; a < 3; ++a) {
        data.whole[a] = found.first[a].data() + at;
        data.offset[a] = found.offset[a].data() + at;
        for (int k = 0; k < 3; ++k)
            data.to_grid[a][k] = box_.inverse()(k, static_cast<int>(a)) * (n_[a] * position_unit);
    }
    run_locate(data);
}

/// Atoms [begin, end): from canonical positions, so that any rank finds the same.
template <class Real, class Int>
void Mesh<Real, Int>::find_owned(const Atoms& atoms, std::size_t begin, std::size_t end, Outside& outside)
{
    find(std::span(atoms.x).subspan(begin, end - begin), found_, begin);
    outside.atoms.clear();
    outside.wrapped.clear();
    outside.images.clear();
    for (std::size_t i = begin; i < end; ++i) {
        if (box_.inside(atoms.x[i])) continue;
        outside.atoms.push_back(i);
        outside.wrapped.push_back(atoms.x[i]);
        outside.images.push_back(box_.wrap(outside.wrapped.back()));
    }
    const auto room = (outside.atoms.size() + mesh::block - 1) / mesh::block * mesh::block;
    for (std::size_t a = 0; a < 3; ++a) {
        outside.found.first[a].resize(room);
        outside.found.offset[a].resize(room);
    }
    find(outside.wrapped, outside.found, 0);
    for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t o = 0; o < outside.atoms.size(); ++o) {
            found_.first[a][outside.atoms[o]] =
                outside.found.first[a][o] + outside.images[o][static_cast<int>(a)] * n_[a];
            found_.offset[a][outside.atoms[o]] = outside.found.offset[a][o];
        }
}

template <class Real, class Int>
bool Mesh<Real, Int>::locate(std::size_t begin, std::size_t end)
{
    bool all_inside = true;
    for (std::size_t i = begin; i < end; ++i) {
        std::array<std::int32_t, 3> corner;
        for (std::size_t a = 0; a < 3; ++a) {
            corner[a] = found_.first[a][i] - brick_.lo[a];
            all_inside &= static_cast<std::uint32_t>(corner[a]) < static_cast<std::uint32_t>(choices_[a]);
        }
        first_[i] = static_cast<std::int32_t>(corner[0] * shape_.stride_x + corner[1] * shape_.stride_y + corner[2]);
    }
    return all_inside;
}

template <class Real, class Int>
mesh::WindowData<Real> Mesh<Real, Int>::window() const
{
    return {pieces_.width(), pieces_.degree(), value_.data(), slope_.data()};
}

template <class Real, class Int>
mesh::Places<Real> Mesh<Real, Int>::places(std::size_t begin, std::size_t end, const std::vector<Real>& charge) const
{
    const auto offset = [&](std::size_t a) { return found_.offset[a].data() + begin; };
    return {static_cast<std::int64_t>(end - begin),
            first_.data() + begin,
            {offset(0), offset(1), offset(2)},
            charge.data() + begin};
}

template <class Real, class Int>
bool Mesh<Real, Int>::spread_charges(const Atoms& atoms)
{
    const Slices slices(n_atoms_, few_atoms);
    std::atomic<bool> inside = true;
    parallel_parts(slices.count(), [&](int part, int) {
        const auto [begin, end] = slices[part];
        auto& charges = charges_[index(part)];
        std::ranges::fill(charges, Int(0));
        find_owned(atoms, begin, end, outside_[index(part)]);
        if (locate(begin, end))
            spread<Real, Int>({window(), places(begin, end, scaled_charge_), shape_, charges.data()});
        else
            inside = false;
    });
    if (charges_.size() == 1) return inside;
    parallel_for(charges_.front().size(), few_points, [&](std::size_t begin, std::size_t end) {
        for (std::size_t part = 1; part < charges_.size(); ++part)
            for (std::size_t i = begin; i < end; ++i) charges_.front()[i] += charges_[part][i];
    });
    return inside;
}

template <class Real, class Int>
void Mesh<Real, Int>::start(const Atoms& atoms, ForceSums* sums)
{
    sums_ = sums;
    {
        const auto work = this->measure_work();
        inside_ = spread_charges(atoms);
    }
    bricks_->start_collecting(charges_.front());
    done_ = Stage::spread;
}

template <class Real, class Int>
void Mesh<Real, Int>::advance()
{
    switch (done_) {
    case Stage::spread:
        transform_charges();
        return;
    case Stage::charges:
        make_potential();
        return;
    case Stage::potential:
        transform_potential();
        return;
    case Stage::points:
        interpolate();
        return;
    case Stage::done:
        return;
    }
}

template <class Real, class Int>
void Mesh<Real, Int>::transform_charges()
{
    bricks_->finish_collecting(charges_.front(), pencil_);
    const auto points = fourier_.points();
    parallel_for(points.size(), few_points, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) points[i] = static_cast<Real>(pencil_[i]);
    });
    fourier_.start_forward();
    done_ = Stage::charges;
}

template <class Real, class Int>
void Mesh<Real, Int>::make_potential()
{
    fourier_.finish_forward();
    if (sums_ != nullptr) influence_.add_energy_and_virial(fourier_.modes(), *sums_);
    const auto modes = fourier_.modes();
    const auto influence = influence_.values();
    parallel_for(modes.size(), few_points, [&](std::size_t begin, std::size_t end) {
        for (std::size_t m = begin; m < end; ++m) modes[m] *= influence[m];
    });
    fourier_.start_backward();
    done_ = Stage::potential;
}

template <class Real, class Int>
void Mesh<Real, Int>::transform_potential()
{
    fourier_.finish_backward();
    this->add_work(fourier_.take_work_seconds());
    bricks_->start_distributing(fourier_.points());
    done_ = Stage::points;
}

template <class Real, class Int>
void Mesh<Real, Int>::interpolate()
{
    bricks_->finish_distributing(fourier_.points(), potential_);
    done_ = Stage::done;
    if (!inside_) return;
    const auto work = this->measure_work();
    parallel_for(n_atoms_, few_atoms, [&](std::size_t begin, std::size_t end) {
        const auto gradient = [&](std::size_t a) { return gradient_[a].data() + begin; };
        gather<Real>({window(),
                      places(begin, end, charge_),
                      shape_,
                      potential_.data(),
                      {gradient(0), gradient(1), gradient(2)}});
    });
}

/// From derivatives per grid spacing: grad = sum_a n_a a* d/du_a.
template <class Real, class Int>
std::string Mesh<Real, Int>::add_forces(Atoms& atoms)
{
    while (done_ != Stage::done) advance();
    if (!inside_) return "an atom has left the part of the mesh that belongs to its domain";
    const auto work = this->measure_work();
    parallel_for(n_atoms_, few_atoms, [&](std::size_t begin, std::size_t end) {
        mesh::ForceData<Real> data{};
        data.n_atoms = static_cast<std::int64_t>(end - begin);
        data.f = atoms.f[begin].data();
        for (int a = 0; a < 3; ++a) {
            data.gradient[a] = gradient_[index(a)].data() + begin;
            for (int k = 0; k < 3; ++k) data.to_force[k][a] = -box_.inverse()(k, a) * (n_[index(a)] / force_unit);
        }
        mesh_forces(data);
    });
    return "";
}

} // namespace

std::unique_ptr<LongRange> make_mesh(Communicator comm, const Topology& topology, const MeshSettings& settings,
                                     const Box& box, double coulomb_factor, Precision precision)
{
    if (precision == Precision::mixed)
        return std::make_unique<Mesh<float, std::int32_t>>(std::move(comm), topology, settings, box, coulomb_factor);
    return std::make_unique<Mesh<double, std::int64_t>>(std::move(comm), topology, settings, box, coulomb_factor);
}

MeshConstants mesh_constants(const Topology& topology, const EwaldSplit& split, const Box& box, double coulomb_factor)
{
    double sum = 0.0, squares = 0.0;
    for (const auto& block : topology.blocks) {
        double molecule = 0.0, molecule_squares = 0.0;
        for (const auto& atom : topology.molecule_types[index(block.type)].atoms) {
            molecule += atom.charge;
            molecule_squares += atom.charge * atom.charge;
        }
        sum += molecule * static_cast<double>(block.count);
        squares += molecule_squares * static_cast<double>(block.count);
    }
    if (std::abs(sum) < 1e-6) sum = 0.0; // charges in topologies are decimal numbers that were meant to cancel
    return {-0.5 * coulomb_factor * squares * split.smooth(0.0),
            -coulomb_factor * units::pi * sum * sum * split.background() / box.volume()};
}

} // namespace holon
