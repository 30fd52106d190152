#include <holon/forces/bonded.hpp>

#include <holon/core/instruction_sets.hpp>
#include <holon/core/parallel.hpp>
#include <holon/core/symmetric_tensor.hpp>
#include <holon/system/thread_forces.hpp>

#include "bonded_terms.hpp"
#include "function_types/bonded_scalar.hpp"
#include "pair_energies.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace holon {

namespace {

using namespace bonded;

ScalarForce* scalar_force(Interaction kind)
{
    switch (kind) {
    case Interaction::cmap:
        return cmap;
    case Interaction::position_restraint:
        return position_restraint;
    case Interaction::flat_bottom_restraint:
        return flat_bottom_restraint;
    default:
        return nullptr;
    }
}

} // namespace

struct BondedForces::Impl {
    const Topology& topology;
    const NonbondedConstants constants;
    const Box& box;
    const std::vector<CmapSurface> cmap;
    RestraintFrame restraints;
    LocalTermLists terms;
    std::vector<Batches> batches;
    /// Some batches of a kind, which a thread does at a time.
    struct Piece {
        std::size_t kind;
        std::int64_t first, last;
        Totals totals;
        Reported reported;
    };
    std::vector<Piece> pieces;
    ThreadForces thread_forces;

    void make_pieces()
    {
        constexpr std::int64_t batches_of_piece = 64;
        pieces.clear();
        for (std::size_t kind = 0; kind < batches.size(); ++kind) {
            const auto n = batches[kind].n_batches, step = thread_count() > 1 ? batches_of_piece : n;
            for (std::int64_t first = 0; first < n; first += step)
                pieces.push_back({kind, first, std::min(first + step, n), {}, {}});
        }
    }

    Reported add_batches(Atoms& atoms, ForceSums* sums)
    {
        thread_forces.add(atoms.f, static_cast<int>(pieces.size()), [&](int p, std::span<IVec3> f) {
            auto& piece = pieces[static_cast<std::size_t>(p)];
            const auto& b = batches[piece.kind];
            piece.totals = {};
            auto data = kernel_data(b, constants, box, atoms, f, sums != nullptr ? &piece.totals : nullptr);
            data.first = piece.first;
            data.last = piece.last;
            piece.reported = HOLON_CALL(run, b.kernel, data);
        });
        Reported reported;
        for (const auto& piece : pieces) {
            reported.left_out |= piece.reported.left_out;
            reported.clamped |= piece.reported.clamped;
            if (sums == nullptr) continue;
            const auto& energies = batches[piece.kind].energies;
            for (std::size_t e = 0; e < energies.size(); ++e)
                sums->energy[static_cast<std::size_t>(energies[e])] += FixedSum::from_raw(piece.totals.energy[e]);
            for_each_place([&](std::size_t place, std::size_t k) {
                sums->virial[place] += FixedSum::from_raw(piece.totals.virial[k]);
            });
        }
        return reported;
    }
};

BondedForces::BondedForces(const Topology& topology, const NonbondedConstants& constants, const Box& box)
    : impl_(new Impl{topology, constants, box, cmap_surfaces(topology), {}, {}, {}, {}, {}})
{
}

BondedForces::BondedForces(BondedForces&&) noexcept = default;
BondedForces::~BondedForces() = default;

void BondedForces::set_restraints(const RestraintFrame& frame)
{
    impl_->restraints = frame;
}

void BondedForces::set_up(LocalTermLists terms, const Atoms& atoms)
{
    impl_->terms = std::move(terms);
    impl_->batches = make_batches(impl_->terms, impl_->topology, impl_->constants, atoms);
    impl_->make_pieces();
}

void BondedForces::for_each_pair(const Atoms& atoms, const std::function<void(const PairTerm&)>& use) const
{
    pair_energies({impl_->topology, impl_->constants, impl_->box, atoms}, impl_->terms, use);
}

std::string BondedForces::add_forces(Atoms& atoms, ForceSums* sums) const
{
    const auto reported = impl_->add_batches(atoms, sums);
    Alarms alarms{.clamped = reported.clamped};
    const ScalarContext context{
        impl_->topology, impl_->constants, impl_->box, impl_->restraints, impl_->cmap, atoms, sums, alarms};
    if (reported.left_out)
        excluded_pair_beyond_cutoff(context, impl_->terms[static_cast<std::size_t>(Interaction::excluded_pair)]);
    for (std::size_t k = 0; k < interaction_count; ++k)
        if (ScalarForce* const force = scalar_force(static_cast<Interaction>(k))) force(context, impl_->terms[k]);
    rare_terms(context, impl_->terms);
    if (alarms.beyond_table) return "a tabulated bond is longer than its table: let the table go further";
    if (!alarms.clamped) return {};
    return fmt::format("a bonded interaction or one of atoms three bonds apart gives a force beyond {:.2g} kJ/mol/nm",
                       force_bound * force_unit);
}

} // namespace holon
