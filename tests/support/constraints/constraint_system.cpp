#include <support/constraints/constraint_system.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace holon::test {
namespace {

std::vector<ConstraintCluster> bodies_of(const ConstraintCluster& cluster)
{
    return cluster.shape.empty() ? cluster.units : std::vector{cluster};
}

} // namespace

Noise::Noise(unsigned seed) : engine_(seed) {}

double Noise::operator()()
{
    return static_cast<double>(engine_()) * 0x1p-31 - 1.0;
}

Vec3 Noise::vector()
{
    const double x = (*this)(), y = (*this)(), z = (*this)();
    return {x, y, z};
}

Vec3 Noise::normal_vector()
{
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < 12; ++k) sum += 0.5 * vector();
    return sum;
}

ConstraintSystem::ConstraintSystem() : box(Mat3(Vec3(4.0, 4.5, 5.0).asDiagonal()), position_bits) {}

ConstraintSystem::ConstraintSystem(const ConstraintSystem&) = default;
ConstraintSystem::ConstraintSystem(ConstraintSystem&&) noexcept = default;
ConstraintSystem& ConstraintSystem::operator=(const ConstraintSystem&) = default;
ConstraintSystem& ConstraintSystem::operator=(ConstraintSystem&&) noexcept = default;
ConstraintSystem::~ConstraintSystem() = default;

void ConstraintSystem::add(const MoleculeType& type, std::int64_t count, const std::vector<Vec3>& positions)
{
    topology.blocks.push_back({static_cast<int>(topology.molecule_types.size()), count,
                               static_cast<AtomId>(x_ref.size()), topology.blocks.empty() ? 0 : molecules_});
    molecules_ += count;
    topology.molecule_types.push_back(type);
    clusters.push_back(find_clusters(topology.molecule_types.back()));
    for (const auto& r : positions) x_ref.push_back(to_lattice(r, position_unit));
}

void ConstraintSystem::disturb(double step, double speed, unsigned seed)
{
    Noise noise(seed);
    x = x_ref;
    v.assign(x.size(), IVec3::Zero());
    for (std::size_t a = 0; a < x.size(); ++a) {
        const double scale = 1.0 / std::sqrt(mass(a));
        x[a] += to_lattice(step * scale * noise.vector(), position_unit);
        v[a] = to_lattice(speed * scale * noise.vector(), velocity_unit);
    }
}

double ConstraintSystem::mass(std::size_t id) const
{
    const auto place = topology.place(static_cast<AtomId>(id));
    return topology.molecule_types[static_cast<std::size_t>(place.molecule_type)]
        .atoms[static_cast<std::size_t>(place.index)]
        .mass;
}

void ConstraintSystem::for_each_constraint(const std::function<void(std::size_t, std::size_t, double)>& f) const
{
    for (const auto& block : topology.blocks) {
        const auto& type = topology.molecule_types[static_cast<std::size_t>(block.type)];
        for (std::int64_t m = 0; m < block.count; ++m) {
            const auto start =
                static_cast<std::size_t>(block.first_atom) + static_cast<std::size_t>(m) * type.atoms.size();
            for (const auto& cluster : clusters[static_cast<std::size_t>(block.type)].clusters)
                for (const auto& body : bodies_of(cluster))
                    for (const auto& c : body.constraints)
                        f(start + static_cast<std::size_t>(c.i), start + static_cast<std::size_t>(c.j), c.length);
            for (const auto& c : type.constraints)
                f(start + static_cast<std::size_t>(c.i), start + static_cast<std::size_t>(c.j), c.length);
            for (const auto& s : type.settles) {
                const auto o = start + static_cast<std::size_t>(s.oxygen);
                f(o, o + 1, s.d_oh);
                f(o, o + 2, s.d_oh);
                f(o + 1, o + 2, s.d_hh);
            }
        }
    }
}

Vec3 ConstraintSystem::bond(const std::vector<IVec3>& positions, std::size_t i, std::size_t j) const
{
    return to_real(box.minimum_image(positions[j] - positions[i]), position_unit);
}

double ConstraintSystem::max_length_error(const std::vector<IVec3>& positions) const
{
    double worst = 0.0;
    for_each_constraint([&](std::size_t i, std::size_t j, double d) {
        const Vec3 r = bond(positions, i, j);
        worst = std::max(worst, std::abs(dot(r, r) - d * d) / (2.0 * d * d));
    });
    return worst;
}

double ConstraintSystem::max_rate(const std::vector<IVec3>& positions, const std::vector<IVec3>& velocities) const
{
    double worst = 0.0;
    for_each_constraint([&](std::size_t i, std::size_t j, double d) {
        const Vec3 relative = to_real(IVec3(velocities[j] - velocities[i]), velocity_unit);
        worst = std::max(worst, std::abs(dot(bond(positions, i, j), relative)) / (d * d));
    });
    return worst;
}

std::vector<MoleculeNeeds> needs_of(const ConstraintSystem& system, const Constraints& constraints)
{
    std::vector<MoleculeNeeds> needs;
    for (const auto& type : system.topology.molecule_types) {
        const auto n = type.atoms.size();
        auto& of_type = needs.emplace_back();
        of_type.needs.resize(n);
        of_type.beyond.resize(n);
        of_type.needed.resize(n);
    }
    constraints.add_needs(needs);
    return needs;
}

LocalPart::LocalPart(const ConstraintSystem& system, int rank, std::function<int(AtomId)> owner, bool shift_copies,
                     const Constraints* constraints)
    : owner_of_id(std::move(owner))
{
    const auto n = static_cast<AtomId>(system.x_ref.size());
    for (AtomId id = 0; id < n; ++id)
        if (owner_of_id(id) == rank) add(system, id, IVec3::Zero());
    atoms.n_owned = static_cast<std::int32_t>(atoms.id.size());
    std::set<AtomId> copies, at_cuts;
    system.for_each_constraint([&](std::size_t i, std::size_t j, double) {
        const auto a = static_cast<AtomId>(i), b = static_cast<AtomId>(j);
        if ((owner_of_id(a) == rank) == (owner_of_id(b) == rank)) return;
        copies.insert(owner_of_id(a) == rank ? b : a);
        if (constraints != nullptr) at_cuts.insert(owner_of_id(a) == rank ? a : b);
    });
    if (constraints != nullptr) {
        const auto needs = needs_of(system, *constraints);
        make_room(system, needs);
        for (const AtomId id : at_cuts) {
            const auto place = system.topology.place(id);
            for (const auto other :
                 needs[static_cast<std::size_t>(place.molecule_type)].beyond[static_cast<std::size_t>(place.index)])
                if (owner_of_id(place.molecule_start + other) != rank) copies.insert(place.molecule_start + other);
        }
    }
    int k = 0;
    for (const AtomId id : copies)
        add(system, id, shift_copies ? system.box.lattice_vector(k++ % 3) : IVec3(IVec3::Zero()));
    atoms.n_total = static_cast<std::int32_t>(atoms.id.size());
    const auto owned = static_cast<std::size_t>(atoms.n_owned);
    atoms.v.resize(owned);
    // Trial positions of copies come from their owners: what is here must not be used.
    for (std::size_t a = owned; a < atoms.x.size(); ++a) atoms.x[a] = IVec3(7, 7, 7);
}

AtomDirectory LocalPart::directory() const
{
    return {[this](AtomId id) {
                const auto found = index.find(id);
                return found == index.end() ? -1 : found->second;
            },
            [this](std::int32_t copy) { return owner_of_id(atoms.id[static_cast<std::size_t>(copy)]); }};
}

void LocalPart::make_room(const ConstraintSystem& system, const std::vector<MoleculeNeeds>& needs)
{
    atoms.kept_begin.push_back(0);
    for (const auto id : atoms.id) {
        const auto place = system.topology.place(id);
        const auto& kept = needs[static_cast<std::size_t>(place.molecule_type)].kept;
        atoms.kept.resize(atoms.kept.size() + (kept.empty() ? 0 : kept[static_cast<std::size_t>(place.index)]));
        atoms.kept_begin.push_back(static_cast<std::int32_t>(atoms.kept.size()));
    }
}

void LocalPart::add(const ConstraintSystem& system, AtomId id, const IVec3& shift)
{
    const auto k = static_cast<std::size_t>(id);
    index[id] = static_cast<std::int32_t>(atoms.id.size());
    atoms.id.push_back(id);
    atoms.x_ref.push_back(system.x_ref[k] + shift);
    atoms.x.push_back(system.x[k]);
    atoms.v.push_back(system.v[k]);
}

MoleculeType molecule(const std::string& name, const std::vector<double>& masses, std::vector<Constraint> constraints)
{
    MoleculeType type;
    type.name = name;
    for (std::size_t k = 0; k < masses.size(); ++k)
        type.atoms.push_back({0, masses[k], 0.0, 0, std::string("A").append(std::to_string(k + 1))});
    type.exclusions.resize(masses.size());
    type.constraints = std::move(constraints);
    return type;
}

Alkane::Alkane(int n, const Vec3& origin, const Vec3& along)
{
    constexpr double cc = 0.153, ch = 0.109;
    const Vec3 x = along.normalized(), y = x.unitOrthogonal(), z = x.cross(y);
    std::vector<double> masses;
    std::vector<Constraint> constraints;
    Vec3 carbon = origin;
    std::int32_t last = -1;
    for (int k = 0; k < n; ++k) {
        const double side = k % 2 == 0 ? 1.0 : -1.0;
        const auto c = static_cast<std::int32_t>(masses.size());
        if (k > 0) {
            carbon += cc * (0.82 * x - side * std::sqrt(1.0 - 0.82 * 0.82) * y);
            constraints.push_back({last, c, cc});
        }
        const auto add = [&](double mass, const Vec3& r) {
            masses.push_back(mass);
            positions.push_back(r);
        };
        const auto add_hydrogen = [&](const Vec3& direction) {
            constraints.push_back({c, static_cast<std::int32_t>(masses.size()), ch});
            add(1.008, carbon + ch * direction.normalized());
        };
        add(12.011, carbon);
        add_hydrogen(side * -0.5 * y + 0.8 * z);
        add_hydrogen(side * -0.5 * y - 0.8 * z);
        if (k == 0) add_hydrogen(-x - 0.6 * y);
        if (k == n - 1) add_hydrogen(x - side * 0.6 * y);
        last = c;
    }
    type = molecule("Alkane", masses, constraints);
}

MoleculeType rigid_water(double d_oh, double d_hh)
{
    auto type = molecule("SOL", {15.9994, 1.008, 1.008}, {});
    type.settles = {{0, d_oh, d_hh}};
    return type;
}

std::vector<Vec3> water_positions(const Vec3& oxygen, Noise& noise, double d_oh, double d_hh)
{
    const Vec3 x = noise.vector().normalized();
    const Vec3 y = x.cross(noise.vector()).normalized();
    const double height = std::sqrt(d_oh * d_oh - 0.25 * d_hh * d_hh);
    return {oxygen, oxygen + height * x + 0.5 * d_hh * y, oxygen + height * x - 0.5 * d_hh * y};
}

} // namespace holon::test
