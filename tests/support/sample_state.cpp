#include <support/sample_state.hpp>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace holon::test {
namespace {

std::uint64_t scramble(std::uint64_t z)
{
    z = (z + 0x9e3779b97f4a7c15u) * 0xd1342543de82ef95u;
    z ^= z >> 29;
    z *= 0xbf58476d1ce4e5b9u;
    return z ^ (z >> 32);
}

/// A number in [-1, 1) that belongs to an atom, a step and a purpose.
double sample_number(AtomId id, std::int64_t step, int purpose)
{
    const auto bits = scramble(scramble(static_cast<std::uint64_t>(id) * 64 + static_cast<std::uint64_t>(purpose)) ^
                               static_cast<std::uint64_t>(step));
    return static_cast<double>(bits >> 11) * 0x1p-52 - 1.0;
}

} // namespace

Box sample_box()
{
    Mat3 vectors;
    vectors << 3.0, 0.0, 0.0, 0.5, 3.5, 0.0, -0.25, 1.0, 4.0;
    return {vectors, 44};
}

Atoms sample_atoms(std::int64_t n, std::int64_t step, int rank, int ranks)
{
    Atoms atoms;
    atoms.kept_begin.push_back(0);
    for (std::int64_t row = 0; row < n; ++row) {
        const auto k = (2 * n - 1 - row + step / 5) % n;
        const auto id = static_cast<AtomId>(k);
        if (static_cast<int>(scramble(static_cast<std::uint64_t>(k)) % static_cast<std::uint64_t>(ranks)) != rank)
            continue;
        const auto vector = [&](int purpose) {
            return Vec3(sample_number(id, step, purpose), sample_number(id, step, purpose + 1),
                        sample_number(id, step, purpose + 2));
        };
        atoms.id.push_back(id);
        atoms.x.push_back(to_lattice(5.0 * vector(0), position_unit));
        atoms.v.push_back(to_lattice(vector(3), velocity_unit));
        atoms.f.push_back(to_lattice(1000.0 * vector(6), force_unit));
        atoms.image.emplace_back(id % 3 - 1, id % 5, static_cast<std::int32_t>(step / 5 % 7));
        for (int number = 0; number < (id % 2) * (id % 5); ++number)
            atoms.kept.push_back(sample_number(id, step, 9 + number));
        atoms.kept_begin.push_back(static_cast<std::int32_t>(atoms.kept.size()));
    }
    atoms.n_owned = atoms.n_total = static_cast<std::int32_t>(atoms.id.size());
    return atoms;
}

RunState sample_state(std::int64_t step)
{
    RunState state;
    state.step = step;
    state.time = 0.002 * static_cast<double>(step);
    state.box = sample_box().master();
    state.globals = {{"thermostat-work", Parity::even, Role::ledger, {-0.1 * static_cast<double>(step)}},
                     {"chain", Parity::odd, Role::dynamics, {0.3 * static_cast<double>(step), 7.0, -1e-300}},
                     {"baths", Parity::odd, Role::dynamics, {}}};
    for (int k = 0; k < 90; ++k) // more than a commit record holds
        state.globals.back().values.push_back(sample_number(k, step, 63));
    return state;
}

std::uint64_t sample_hash(std::int64_t n, std::int64_t step)
{
    const auto atoms = sample_atoms(n, step);
    std::vector<AtomRecord> records;
    for (std::size_t i = 0; i < atoms.id.size(); ++i) {
        AtomRecord record{atoms.x[i], atoms.v[i], atoms.image[i], atoms.id[i]};
        record.image += sample_box().wrap(record.x);
        records.push_back(record);
    }
    std::vector<KeptNumber> kept;
    for (std::size_t i = 0; i < atoms.id.size(); ++i)
        for_each_kept(atoms, i, [&kept](const KeptNumber& number) { kept.push_back(number); });
    return state_hash(sample_state(step), records, kept);
}

TemporaryFolder::TemporaryFolder(Communicator comm) : comm_(std::move(comm))
{
    std::string path;
    if (comm_.root()) {
        path = (std::filesystem::temp_directory_path() / "holon-test-XXXXXX").string();
        if (mkdtemp(path.data()) == nullptr) throw std::system_error(errno, std::generic_category(), path);
    }
    comm_.broadcast(path);
    path_ = path;
}

TemporaryFolder::~TemporaryFolder()
{
    comm_.barrier(); // others may still be reading
    if (!comm_.root()) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

} // namespace holon::test
