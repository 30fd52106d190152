#include "bonded_terms.hpp"

#include <holon/core/index.hpp>
#include <holon/core/portable_math.hpp>

#include <algorithm>
#include <cstdlib>
#include <span>

namespace holon::bonded {

namespace {

struct System {
    const Topology& topology;
    const NonbondedConstants& constants;
    const Atoms& atoms;

    double charge(std::int32_t atom) const { return atoms.charge[index(atom)]; }
    /// K q_i q_j.
    double strength(std::int32_t i, std::int32_t j) const { return constants.coulomb_factor * charge(i) * charge(j); }
};

/// Terms before they are distributed over lanes.
struct Flat {
    Kernel kernel;
    std::vector<EnergyTerm> energies;
    std::size_t n_atoms, n_parameters;
    std::vector<std::int32_t> atoms{};
    std::vector<double> parameters{};

    void reserve(std::size_t n)
    {
        atoms.reserve(n * n_atoms);
        parameters.reserve(n * n_parameters);
    }
    void add(std::span<const std::int32_t> a, std::span<const double> p)
    {
        atoms.insert(atoms.end(), a.begin(), a.end());
        parameters.insert(parameters.end(), p.begin(), p.end());
    }
};

/// Terms of one kind and their parameters in the topology.
struct Terms {
    EnergyTerm energy;
    std::size_t n_atoms, n_parameters;
    const LocalTerms& local;
    const std::vector<InteractionParameters>& table;

    Terms(const System& system, const LocalTermLists& lists, Interaction kind)
        : energy(interaction_info[index(static_cast<int>(kind))].energy),
          n_atoms(index(interaction_info[index(static_cast<int>(kind))].atoms)),
          n_parameters(index(interaction_info[index(static_cast<int>(kind))].parameters)),
          local(lists[index(static_cast<int>(kind))]), table(system.topology.parameters[index(static_cast<int>(kind))])
    {
    }
    std::size_t size() const { return local.size(); }
    std::span<const std::int32_t> atoms(std::size_t t) const
    {
        return std::span(local.atoms).subspan(n_atoms * t, n_atoms);
    }
    const InteractionParameters& parameters(std::size_t t) const { return table[index(local.parameters[t])]; }
};

/// Terms whose kernel takes the parameters as they are given.
Flat as_given(const Terms& terms, Kernel kernel)
{
    const auto n_parameters = terms.n_parameters;
    Flat flat{kernel, {terms.energy}, terms.n_atoms, n_parameters};
    flat.reserve(terms.size());
    for (std::size_t t = 0; t < terms.size(); ++t)
        flat.add(terms.atoms(t), std::span(terms.parameters(t)).first(n_parameters));
    return flat;
}

Flat g96_angles(const Terms& terms)
{
    Flat flat{Kernel::g96_angle, {EnergyTerm::angle}, 3, 2};
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const auto& p = terms.parameters(t);
        flat.add(terms.atoms(t), std::array{portable::cos(p[0]), p[1]});
    }
    return flat;
}

/// Consecutive terms on the same atoms become one Fourier series. All of them are anchored at the same atom, so that
/// this does not depend on the ranks.
Flat fourier_series(const Terms& terms)
{
    int highest = 0;
    for (std::size_t t = 0; t < terms.size(); ++t)
        highest = std::max(highest, std::abs(static_cast<int>(terms.parameters(t)[2])));
    Flat flat{Kernel::periodic_dihedral, {terms.energy}, 4, 2 * index(highest) + 1};
    const std::vector<double> zeros(flat.n_parameters, 0.0);
    for (std::size_t t = 0; t < terms.size(); ++t) {
        if (t == 0 || !std::ranges::equal(terms.atoms(t), terms.atoms(t - 1))) flat.add(terms.atoms(t), zeros);
        const auto [phi0, k, multiplicity, unused_3, unused_4, unused_5] = terms.parameters(t);
        const int n = static_cast<int>(multiplicity);
        double* const series = &flat.parameters[flat.parameters.size() - flat.n_parameters];
        series[0] += k;
        if (n == 0) {
            series[0] += k * portable::cos(phi0);
        } else {
            series[2 * std::abs(n) - 1] += k * portable::cos(phi0);
            series[2 * std::abs(n)] += (n > 0 ? k : -k) * portable::sin(phi0);
        }
    }
    return flat;
}

/// Pairs with parameters of their own. `charges`: the product of charges is that of the atoms, not a parameter.
Flat pairs_14(const System& system, const Terms& terms, bool charges)
{
    const auto lj = terms.energy, coulomb = lj == EnergyTerm::lj ? EnergyTerm::coulomb_short : EnergyTerm::coulomb_14;
    Flat flat{Kernel::pair_14, {lj, coulomb}, 2, 3};
    flat.reserve(terms.size());
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const auto atoms = terms.atoms(t);
        const auto& p = terms.parameters(t);
        const double qq = charges ? system.topology.fudge_qq * system.charge(atoms[0]) * system.charge(atoms[1]) : p[2];
        flat.add(atoms, std::array{p[0], p[1], system.constants.coulomb_factor * qq});
    }
    return flat;
}

/// Excluded pairs as triangles and what does not belong to one; those without charges, half of four-site water's, feel
/// nothing. Each pair is rounded by itself: which of them are together changes no bit.
std::array<Flat, 2> excluded_pairs(const System& system, const Terms& terms)
{
    const bool mesh = system.constants.mesh != nullptr;
    const auto energy = mesh ? EnergyTerm::coulomb_exclusion : EnergyTerm::coulomb_short;
    Flat triangles{mesh ? Kernel::excluded_triangle_mesh : Kernel::excluded_triangle, {energy, energy, energy}, 3, 3};
    Flat pairs{mesh ? Kernel::excluded_pair_mesh : Kernel::excluded_pair, {energy}, 2, 1};
    triangles.reserve(terms.size() / 3);

    // The pairs of each first atom: they follow each other.
    struct Range {
        std::uint32_t begin = 0, end = 0;
    };
    std::vector<Range> of_first(system.atoms.x.size());
    std::vector<std::uint8_t> taken(terms.size(), 0);
    for (std::uint32_t t = 0; t < terms.size(); ++t) {
        taken[t] = system.strength(terms.atoms(t)[0], terms.atoms(t)[1]) == 0.0 ? 1 : 0;
        auto& range = of_first[index(terms.atoms(t)[0])];
        if (range.end != t) range.begin = t; // of an earlier series nothing is lost but triangles
        range.end = t + 1;
    }
    const auto find = [&](std::int32_t i, std::int32_t j) {
        const auto [begin, end] = of_first[index(i)];
        for (auto t = begin; t < end; ++t)
            if (terms.atoms(t)[1] == j && taken[t] == 0) return t;
        return end;
    };
    const auto close_triangle = [&](std::uint32_t first, std::uint32_t second) {
        const auto i = terms.atoms(first)[0], j = terms.atoms(first)[1], k = terms.atoms(second)[1];
        const auto third = find(j, k);
        if (third == of_first[index(j)].end) return;
        triangles.add(std::array{i, j, k},
                      std::array{system.strength(i, j), system.strength(i, k), system.strength(j, k)});
        taken[first] = taken[second] = taken[third] = 1;
    };
    for (std::uint32_t first = 0; first < terms.size(); ++first) {
        const auto i = terms.atoms(first)[0];
        for (auto second = first + 1; second < terms.size() && terms.atoms(second)[0] == i; ++second)
            if (taken[first] == 0 && taken[second] == 0) close_triangle(first, second);
    }
    for (std::uint32_t t = 0; t < terms.size(); ++t) {
        const auto atoms = terms.atoms(t);
        if (taken[t] == 0) pairs.add(atoms, std::array{system.strength(atoms[0], atoms[1])});
    }
    return {triangles, pairs};
}

/// Term t is in batch t mod n_batches, so that neighbours, which share atoms, are not in one batch.
Batches distribute(const Flat& flat)
{
    const std::size_t n = flat.atoms.size() / flat.n_atoms, n_batches = (n + lanes - 1) / lanes;
    Batches batches{flat.kernel,
                    flat.energies,
                    static_cast<std::int64_t>(n),
                    static_cast<std::int64_t>(n_batches),
                    static_cast<int>(flat.n_parameters),
                    std::vector<LaneAtoms>(n_batches * flat.n_atoms),
                    std::vector<LaneNumbers>(n_batches * flat.n_parameters)};
    for (std::size_t l = 0; l < lanes; ++l)
        for (std::size_t b = 0; b < n_batches; ++b) {
            const std::size_t term = std::min(l * n_batches + b, n - 1);
            for (std::size_t a = 0; a < flat.n_atoms; ++a)
                batches.atoms[b * flat.n_atoms + a].lane[l] = 3 * flat.atoms[term * flat.n_atoms + a];
            for (std::size_t p = 0; p < flat.n_parameters; ++p)
                batches.parameters[b * flat.n_parameters + p].lane[l] = flat.parameters[term * flat.n_parameters + p];
        }
    return batches;
}

} // namespace

std::vector<Batches> make_batches(const LocalTermLists& lists, const Topology& topology,
                                  const NonbondedConstants& constants, const Atoms& atoms)
{
    using enum Interaction;
    const System system{topology, constants, atoms};
    std::vector<Batches> all;
    const auto add = [&](Interaction kind, auto flatten) {
        const Terms terms(system, lists, kind);
        if (terms.size() == 0) return;
        if (const Flat flat = flatten(terms); !flat.atoms.empty()) all.push_back(distribute(flat));
    };
    const auto add_given = [&](Interaction kind, Kernel kernel) {
        add(kind, [&](const Terms& t) { return as_given(t, kernel); });
    };
    add_given(harmonic_bond, Kernel::harmonic_bond);
    add_given(g96_bond, Kernel::g96_bond);
    add_given(harmonic_angle, Kernel::harmonic_angle);
    add(g96_angle, g96_angles);
    add_given(urey_bradley, Kernel::urey_bradley);
    add(proper_dihedral, fourier_series);
    add(periodic_improper, fourier_series);
    add_given(harmonic_improper, Kernel::harmonic_improper);
    add_given(ryckaert_bellemans, Kernel::ryckaert_bellemans);
    add(pair_14, [&](const Terms& t) { return pairs_14(system, t, true); });
    for (const auto kind : {pair_14_explicit, pair_explicit})
        add(kind, [&](const Terms& t) { return pairs_14(system, t, false); });
    for (const auto& flat : excluded_pairs(system, Terms(system, lists, excluded_pair)))
        if (!flat.atoms.empty()) all.push_back(distribute(flat));
    return all;
}

KernelData kernel_data(const Batches& batches, const NonbondedConstants& n, const Box& box, const Atoms& atoms,
                       std::span<IVec3> f, Totals* totals)
{
    KernelData data{};
    data.n_terms = batches.n_terms;
    data.n_batches = batches.n_batches;
    data.last = batches.n_batches;
    data.atoms = batches.atoms.data();
    data.parameters = batches.parameters.data();
    data.n_parameters = batches.n_parameters;
    data.constants.cutoff2 = n.r_coulomb * n.r_coulomb;
    data.constants.k_rf = n.k_rf;
    data.constants.c_rf = n.c_rf;
    if (n.mesh) {
        const auto& pair = n.mesh->pair;
        data.constants.polynomial_cutoff2 = pair.cutoff * pair.cutoff;
        data.constants.ewald_force = pair.force.data();
        data.constants.ewald_energy = pair.energy.data();
        data.constants.degree = static_cast<int>(pair.force.size()) - 1;
    }
    // Of no vectors at all Eigen may not be asked for their numbers.
    data.x = atoms.x.empty() ? nullptr : atoms.x.data()->data();
    data.f = f.empty() ? nullptr : f.data()->data();
    for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) data.box[k][i] = box.lattice_vector(k)[i];
        data.half_box[k] = box.lattice_vector(k)[k] / 2;
    }
    data.totals = totals;
    return data;
}

} // namespace holon::bonded
