#include <holon/forces/gathered_terms.hpp>

#include "outside/distance_restraint.hpp"

#include <algorithm>

namespace holon {

GatheredTerms::GatheredTerms(Communicator comm, const Topology& topology, const NonbondedConstants& constants,
                             const Box& box, const Parameters& parameters, const IntermolecularTerms& terms)
    : comm_(std::move(comm)), topology_(topology), constants_(constants), box_(box), parameters_(parameters),
      restraints_(terms.restraints), averages_(parameters.disre_tau, parameters.dt), forces_(topology, constants, box)
{
    gathered_.id = terms.atoms;
    gathered_.x.assign(terms.atoms.size(), IVec3::Zero());
    gathered_.f = gathered_.x;
    gathered_.n_owned = gathered_.n_total = static_cast<std::int32_t>(terms.atoms.size());
    for (const auto id : terms.atoms) gathered_.charge.push_back(topology.atom(id).charge);
    forces_.set_up(terms.terms, gathered_);
}

void GatheredTerms::declare_state(State& state)
{
    std::size_t pairs = 0;
    for (const auto& restraint : restraints_) pairs += restraint.pairs.size();
    averages_.declare(state, pairs);
}

void GatheredTerms::set_up(const Atoms& atoms, const Partition& partition)
{
    owned_.clear();
    for (std::size_t k = 0; k < gathered_.id.size(); ++k)
        if (const auto local = partition.local().find(gathered_.id[k]); local >= 0 && local < atoms.n_owned)
            owned_.push_back({k, static_cast<std::size_t>(local)});
}

void GatheredTerms::for_each_pair(const std::function<void(AtomId, AtomId, const BondedForces::PairTerm&)>& use) const
{
    if (comm_.rank() != 0) return;
    const auto id = [this](std::int32_t k) { return gathered_.id[static_cast<std::size_t>(k)]; };
    forces_.for_each_pair(gathered_, [&](const auto& term) { use(id(term.i), id(term.j), term); });
}

std::string GatheredTerms::add_forces(Atoms& atoms, ForceSums* sums)
{
    if (gathered_.id.empty()) return {};
    // Each atom has one owner: zeros of the others leave the sum exact.
    std::ranges::fill(gathered_.x, IVec3::Zero());
    std::ranges::fill(gathered_.f, IVec3::Zero());
    for (const auto& [k, local] : owned_) gathered_.x[k] = atoms.x[local];
    comm_.sum(std::span(gathered_.x.data()->data(), 3 * gathered_.x.size()));
    auto* const mine = comm_.rank() == 0 ? sums : nullptr;
    auto message = forces_.add_forces(gathered_, mine);
    bonded::Alarms alarms;
    const RestraintFrame as_given;
    const bonded::ScalarContext context{topology_, constants_, box_, as_given, {}, gathered_, mine, alarms};
    if (!restraints_.empty()) bonded::distance_restraints(context, restraints_, parameters_, averages_);
    if (alarms.clamped) message = "a distance restraint gives a force beyond all that is possible";
    for (const auto& [k, local] : owned_) atoms.f[local] += gathered_.f[k];
    return message;
}

} // namespace holon
