#include <holon/forces/bonded.hpp>

#include <holon/core/instruction_sets.hpp>

#include "bonded_scalar.hpp"
#include "bonded_terms.hpp"

namespace holon {

namespace {

using namespace bonded;

ScalarForce* scalar_force(Interaction kind)
{
    switch (kind) {
    case Interaction::morse_bond:
        return morse_bond;
    case Interaction::cmap:
        return cmap;
    case Interaction::position_restraint:
        return position_restraint;
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
    LocalTermLists terms;
    std::vector<Batches> batches;

    /// True if there are excluded pairs beyond the cutoff, which are left out.
    bool add_batches(const Batches& b, const ScalarContext& context) const
    {
        Totals totals{};
        const bool left_out = HOLON_CALL(
            run, b.kernel, kernel_data(b, constants, box, context.atoms, context.sums != nullptr ? &totals : nullptr));
        if (context.sums == nullptr) return left_out;
        for (std::size_t e = 0; e < b.energies.size(); ++e)
            context.sums->energy[static_cast<std::size_t>(b.energies[e])] += FixedSum::from_raw(totals.energy[e]);
        for (std::size_t v = 0; v < 9; ++v) context.sums->virial[v] += FixedSum::from_raw(totals.virial[v]);
        return left_out;
    }
};

BondedForces::BondedForces(const Topology& topology, const NonbondedConstants& constants, const Box& box)
    : impl_(new Impl{topology, constants, box, cmap_surfaces(topology), {}, {}})
{
}

BondedForces::~BondedForces() = default;

void BondedForces::set_up(LocalTermLists terms, const Atoms& atoms)
{
    impl_->terms = std::move(terms);
    impl_->batches = make_batches(impl_->terms, impl_->topology, impl_->constants, atoms);
}

void BondedForces::add_forces(Atoms& atoms, ForceSums* sums) const
{
    const ScalarContext context{impl_->topology, impl_->constants, impl_->box, impl_->cmap, atoms, sums};
    bool left_out = false;
    for (const auto& batches : impl_->batches) left_out |= impl_->add_batches(batches, context);
    if (left_out)
        excluded_pair_beyond_cutoff(context, impl_->terms[static_cast<std::size_t>(Interaction::excluded_pair)]);
    for (std::size_t k = 0; k < interaction_count; ++k)
        if (ScalarForce* const force = scalar_force(static_cast<Interaction>(k))) force(context, impl_->terms[k]);
}

} // namespace holon
