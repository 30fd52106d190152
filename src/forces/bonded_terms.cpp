#include "bonded_terms.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <span>

namespace holon::bonded {

namespace {

std::size_t index(std::int64_t i)
{
    return static_cast<std::size_t>(i);
}

struct System {
    const Topology& topology;
    const NonbondedConstants& constants;
    const Atoms& atoms;

    double charge(std::int32_t atom) const { return atoms.charge[index(atom)]; }
};

/// Terms before they are distributed over lanes.
struct Flat {
    int n_parameters = 0;
    std::vector<std::int32_t> atoms;
    std::vector<double> parameters;
};

/// Terms of a kind one after the other, with what use(atoms, parameters) makes of them: the kernel's parameters.
template <std::size_t n_parameters, class Use>
Flat one_by_one(const System& system, const LocalTerms& terms, Interaction kind, Use use)
{
    const auto width = index(interaction_info[static_cast<std::size_t>(kind)].atoms);
    const auto& table = system.topology.parameters[static_cast<std::size_t>(kind)];
    Flat flat{static_cast<int>(n_parameters), terms.atoms, {}};
    flat.parameters.reserve(n_parameters * terms.size());
    for (std::size_t t = 0; t < terms.size(); ++t) {
        static constexpr InteractionParameters none{};
        const auto& p = table.empty() ? none : table[index(terms.parameters[t])];
        const std::array<double, n_parameters> made = use(&terms.atoms[width * t], p);
        flat.parameters.insert(flat.parameters.end(), made.begin(), made.end());
    }
    return flat;
}

template <std::size_t n_parameters>
Flat as_given(const System& system, const LocalTerms& terms, Interaction kind)
{
    return one_by_one<n_parameters>(system, terms, kind, [](const std::int32_t*, const InteractionParameters& p) {
        std::array<double, n_parameters> same;
        std::copy_n(p.begin(), n_parameters, same.begin());
        return same;
    });
}

/// Consecutive terms on the same atoms become one Fourier series. All of them are anchored at the same atom, so that
/// this does not depend on the ranks.
Flat fourier_series(const System& system, const LocalTerms& terms, Interaction kind)
{
    const auto& table = system.topology.parameters[static_cast<std::size_t>(kind)];
    int highest = 0;
    for (const auto p : terms.parameters) highest = std::max(highest, std::abs(static_cast<int>(table[index(p)][2])));
    Flat flat{2 * highest + 1, {}, {}};
    const auto width = index(flat.n_parameters);
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const auto own = std::span(terms.atoms).subspan(4 * t, 4);
        if (t == 0 || !std::ranges::equal(own, std::span(terms.atoms).subspan(4 * t - 4, 4))) {
            flat.atoms.insert(flat.atoms.end(), own.begin(), own.end());
            flat.parameters.resize(flat.parameters.size() + width, 0.0);
        }
        const auto& p = table[index(terms.parameters[t])];
        const double phi0 = p[0], k = p[1];
        const int n = static_cast<int>(p[2]);
        double* const series = &flat.parameters[flat.parameters.size() - width];
        series[0] += k;
        if (n == 0) {
            series[0] += k * std::cos(phi0);
        } else {
            series[2 * std::abs(n) - 1] += k * std::cos(phi0);
            series[2 * std::abs(n)] += (n > 0 ? k : -k) * std::sin(phi0);
        }
    }
    return flat;
}

Flat pairs_14(const System& system, const LocalTerms& terms, Interaction kind)
{
    return one_by_one<3>(system, terms, kind, [&](const std::int32_t* atoms, const InteractionParameters& p) {
        const double qq = kind == Interaction::pair_14
                              ? system.topology.fudge_qq * system.charge(atoms[0]) * system.charge(atoms[1])
                              : p[2];
        return std::array{p[0], p[1], system.constants.coulomb_factor * qq};
    });
}

Flat excluded_pairs(const System& system, const LocalTerms& terms, Interaction kind)
{
    return one_by_one<1>(system, terms, kind, [&](const std::int32_t* atoms, const InteractionParameters&) {
        return std::array{system.constants.coulomb_factor * system.charge(atoms[0]) * system.charge(atoms[1])};
    });
}

Flat g96_angles(const System& system, const LocalTerms& terms, Interaction kind)
{
    return one_by_one<2>(system, terms, kind, [](const std::int32_t*, const InteractionParameters& p) {
        return std::array{std::cos(p[0]), p[1]};
    });
}

/// How the terms of a kind are computed.
struct Implementation {
    Interaction kind;
    Kernel kernel;
    std::vector<EnergyTerm> energies;
    Flat (*parameters)(const System&, const LocalTerms&, Interaction);
};

const Implementation* find(Interaction kind, bool mesh)
{
    static const std::vector<Implementation> implementations = {
        {Interaction::harmonic_bond, Kernel::harmonic_bond, {EnergyTerm::bond}, as_given<2>},
        {Interaction::g96_bond, Kernel::g96_bond, {EnergyTerm::bond}, as_given<2>},
        {Interaction::harmonic_angle, Kernel::harmonic_angle, {EnergyTerm::angle}, as_given<2>},
        {Interaction::g96_angle, Kernel::g96_angle, {EnergyTerm::angle}, g96_angles},
        {Interaction::urey_bradley, Kernel::urey_bradley, {EnergyTerm::urey_bradley}, as_given<4>},
        {Interaction::proper_dihedral, Kernel::periodic_dihedral, {EnergyTerm::proper_dihedral}, fourier_series},
        {Interaction::periodic_improper, Kernel::periodic_dihedral, {EnergyTerm::improper_dihedral}, fourier_series},
        {Interaction::harmonic_improper, Kernel::harmonic_improper, {EnergyTerm::improper_dihedral}, as_given<2>},
        {Interaction::ryckaert_bellemans, Kernel::ryckaert_bellemans, {EnergyTerm::ryckaert_bellemans}, as_given<6>},
        {Interaction::pair_14, Kernel::pair_14, {EnergyTerm::lj_14, EnergyTerm::coulomb_14}, pairs_14},
        {Interaction::pair_14_explicit, Kernel::pair_14, {EnergyTerm::lj_14, EnergyTerm::coulomb_14}, pairs_14},
        {Interaction::excluded_pair, Kernel::excluded_pair_reaction_field, {EnergyTerm::coulomb_short}, excluded_pairs},
    };
    static const Implementation with_mesh = {
        Interaction::excluded_pair, Kernel::excluded_pair_ewald, {EnergyTerm::coulomb_exclusion}, excluded_pairs};
    if (mesh && kind == Interaction::excluded_pair) return &with_mesh;
    const auto found = std::ranges::find(implementations, kind, &Implementation::kind);
    return found == implementations.end() ? nullptr : &*found;
}

} // namespace

bool vectorised(Interaction kind)
{
    return find(kind, false) != nullptr;
}

Batches make_batches(Interaction kind, const LocalTerms& terms, const Topology& topology,
                     const NonbondedConstants& constants, const Atoms& atoms)
{
    const auto& implementation = *find(kind, constants.mesh != nullptr);
    const Flat flat = implementation.parameters({topology, constants, atoms}, terms, kind);
    const auto n_atoms = index(interaction_info[static_cast<std::size_t>(kind)].atoms);
    const auto n_parameters = index(flat.n_parameters);
    const std::size_t n = flat.atoms.size() / n_atoms, n_batches = (n + lanes - 1) / lanes;
    Batches batches{implementation.kernel,
                    implementation.energies,
                    static_cast<std::int64_t>(n),
                    static_cast<std::int64_t>(n_batches),
                    flat.n_parameters,
                    {},
                    {}};
    batches.atoms.resize(n_batches * n_atoms);
    batches.parameters.resize(n_batches * n_parameters);
    for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t b = 0; b < n_batches; ++b) {
            const std::size_t term = std::min(l * n_batches + b, n - 1);
            for (std::size_t a = 0; a < n_atoms; ++a)
                batches.atoms[b * n_atoms + a].lane[l] = 3 * flat.atoms[term * n_atoms + a];
            for (std::size_t p = 0; p < n_parameters; ++p)
                batches.parameters[b * n_parameters + p].lane[l] = flat.parameters[term * n_parameters + p];
        }
    return batches;
}

Constants kernel_constants(const NonbondedConstants& n)
{
    Constants constants{};
    constants.cutoff2 = n.r_coulomb * n.r_coulomb;
    constants.k_rf = n.k_rf;
    constants.c_rf = n.c_rf;
    if (!n.mesh) return constants;
    const auto& pair = n.mesh->pair;
    constants.polynomial_cutoff2 = pair.cutoff * pair.cutoff;
    constants.ewald_force = pair.force.data();
    constants.ewald_energy = pair.energy.data();
    constants.degree = static_cast<int>(pair.force.size()) - 1;
    return constants;
}

} // namespace holon::bonded
