#include <holon/io/index_file.hpp>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>

namespace holon {

namespace {

// Residue names by class, as GROMACS' residuetypes.dat has them. Anything else is "other".
constexpr std::string_view protein_residues[] = {
    "ABU",  "ACE",  "AIB",   "ALA",   "ARG",   "ARGN",  "ASN",   "ASN1",  "ASP",   "ASP1", "ASPH",  "ASPP",  "ASH",
    "CT3",  "CYS",  "CYS1",  "CYS2",  "CYSH",  "DALA",  "GLN",   "GLU",   "GLUH",  "GLUP", "GLH",   "GLY",   "HIS",
    "HIS1", "HISA", "HISB",  "HISH",  "HISD",  "HISE",  "HISP",  "HSD",   "HSE",   "HSP",  "HYP",   "ILE",   "LEU",
    "LSN",  "LYS",  "LYSN",  "LYSH",  "MELEU", "MET",   "MEVAL", "NAC",   "NME",   "NHE",  "NH2",   "PHE",   "PHEH",
    "PHEU", "PHL",  "PRO",   "SER",   "THR",   "TRP",   "TRPH",  "TRPU",  "TYR",   "TYRH", "TYRU",  "VAL",   "PGLU",
    "HID",  "HIE",  "HIP",   "LYP",   "LYN",   "CYN",   "CYM",   "CYX",   "DAB",   "ORN",  "NALA",  "NGLY",  "NSER",
    "NTHR", "NLEU", "NILE",  "NVAL",  "NASN",  "NGLN",  "NARG",  "NHID",  "NHIE",  "NHIP", "NHISD", "NHISE", "NHISH",
    "NTRP", "NPHE", "NTYR",  "NGLU",  "NASP",  "NLYS",  "NORN",  "NDAB",  "NLYSN", "NPRO", "NHYP",  "NCYS",  "NCYS2",
    "NMET", "CALA", "NASPH", "NGLUH", "CGLY",  "CSER",  "CTHR",  "CLEU",  "CILE",  "CVAL", "CASN",  "CGLN",  "CARG",
    "CHID", "CHIE", "CHIP",  "CHISD", "CHISE", "CHISH", "CTRP",  "CPHE",  "CTYR",  "CGLU", "CASP",  "CLYS",  "CORN",
    "CDAB", "CPRO", "CLYSN", "CHYP",  "CCYS",  "CCYS2", "CMET",  "CASPH", "CGLUH"};
constexpr std::string_view dna_residues[] = {"DA",  "DG",  "DC",  "DT",  "DA5", "DG5", "DC5", "DT5",
                                             "DA3", "DG3", "DC3", "DT3", "DAN", "DGN", "DCN", "DTN"};
constexpr std::string_view rna_residues[] = {"A",   "U",   "C",   "G",   "RA",  "RU",  "RC",  "RG",
                                             "RA5", "RT5", "RU5", "RC5", "RG5", "RA3", "RT3", "RU3",
                                             "RC3", "RG3", "RAN", "RTN", "RUN", "RCN", "RGN"};
constexpr std::string_view water_residues[] = {"SOL", "WAT", "HOH", "OHH", "TIP", "T3P", "T4P", "T5P", "T3H"};
constexpr std::string_view ion_residues[] = {"K",  "NA", "CA", "MG",  "CL", "ZN", "CU1", "CU",  "LI", "NA+",
                                             "RB", "CS", "F",  "CL-", "BR", "I",  "OH",  "Cal", "IB+"};

// What an atom is, by the name of its residue and its own.
enum Tag : unsigned {
    protein = 1u << 0,
    dna = 1u << 1,
    rna = 1u << 2,
    water = 1u << 3,
    ion = 1u << 4,
    other = 1u << 5,
    hydrogen = 1u << 6,
    c_alpha = 1u << 7,
    backbone = 1u << 8,
    main_chain = 1u << 9,
    c_beta = 1u << 10,
    main_chain_hydrogen = 1u << 11,
    mass_centre = 1u << 12,
};

/// A group has the atoms with every tag of `all`, one of `any` (unless that is 0) and none of `none`.
struct Definition {
    std::string_view name;
    unsigned all;
    unsigned any;
    unsigned none;
};

constexpr Definition definitions[] = {
    {"System", 0, 0, 0},
    {"Protein", protein, 0, 0},
    {"Protein-H", protein, 0, hydrogen},
    {"C-alpha", protein | c_alpha, 0, 0},
    {"Backbone", protein | backbone, 0, 0},
    {"MainChain", protein | main_chain, 0, 0},
    {"MainChain+Cb", protein, main_chain | c_beta, 0},
    {"MainChain+H", protein, main_chain | main_chain_hydrogen, 0},
    {"SideChain", protein, 0, main_chain | main_chain_hydrogen},
    {"SideChain-H", protein, 0, main_chain | hydrogen},
    {"Prot-Masses", protein, 0, mass_centre},
    {"non-Protein", 0, 0, protein},
    {"DNA", dna, 0, 0},
    {"RNA", rna, 0, 0},
    {"Water", water, 0, 0},
    {"SOL", water, 0, 0},
    {"non-Water", 0, 0, water},
    {"Ion", ion, 0, 0},
    {"Water_and_ions", 0, water | ion, 0},
    {"Other", other, 0, 0},
};

/// Atom names of the protein groups are compared without regard to case.
bool one_of(std::string_view name, std::initializer_list<std::string_view> names)
{
    const auto upper = [](char c) { return std::toupper(static_cast<unsigned char>(c)); };
    return std::any_of(names.begin(), names.end(), [&](std::string_view candidate) {
        return std::equal(name.begin(), name.end(), candidate.begin(), candidate.end(),
                          [&](char x, char y) { return upper(x) == upper(y); });
    });
}

unsigned residue_tag(std::string_view name)
{
    const auto in = [&](const auto& names) {
        return std::find(std::begin(names), std::end(names), name) != std::end(names);
    };
    if (in(protein_residues)) return protein;
    if (in(water_residues)) return water;
    if (in(ion_residues)) return ion;
    if (in(dna_residues)) return dna;
    if (in(rna_residues)) return rna;
    return other;
}

unsigned atom_tags(std::string_view name)
{
    unsigned tags = 0;
    const auto letter = name.find_first_not_of("0123456789");
    if (letter != std::string_view::npos && (name[letter] == 'H' || name[letter] == 'h')) tags |= hydrogen;
    if (one_of(name, {"CA"})) tags |= c_alpha;
    if (one_of(name, {"N", "CA", "C"})) tags |= backbone;
    if (one_of(name, {"N", "CA", "C", "O", "O1", "O2", "OC1", "OC2", "OT", "OXT"})) tags |= main_chain;
    if (one_of(name, {"CB"})) tags |= c_beta;
    if (one_of(name, {"H", "H1", "H2", "H3", "HN"})) tags |= main_chain_hydrogen;
    if (one_of(name, {"MN1", "MN2", "MCB1", "MCB2", "MCG1", "MCG2", "MCD1", "MCD2", "MCE1", "MCE2", "MNZ1", "MNZ2"}))
        tags |= mass_centre;
    return tags;
}

/// Half-open ranges within one molecule.
using LocalRanges = std::vector<std::pair<AtomId, AtomId>>;

void append(LocalRanges& ranges, AtomId begin, AtomId end)
{
    if (!ranges.empty() && ranges.back().second == begin)
        ranges.back().second = end;
    else
        ranges.emplace_back(begin, end);
}

/// The atoms of a molecule type for which `member(index)` is true.
template <class Member>
LocalRanges local_ranges(const MoleculeType& type, const Member& member)
{
    LocalRanges ranges;
    for (AtomId i = 0; i < static_cast<AtomId>(type.atoms.size()); ++i)
        if (member(i)) append(ranges, i, i + 1);
    return ranges;
}

/// Repeats the local ranges for every molecule; molecules that are members as a whole merge into one range.
AtomGroup spread(std::string name, const Topology& topology, const std::vector<LocalRanges>& of_type)
{
    AtomGroup group{std::move(name), {}};
    for (const MoleculeBlock& block : topology.blocks) {
        const LocalRanges& local = of_type[static_cast<std::size_t>(block.type)];
        const auto size =
            static_cast<AtomId>(topology.molecule_types[static_cast<std::size_t>(block.type)].atoms.size());
        if (local.empty() || block.count == 0) continue;
        if (local.front() == std::pair<AtomId, AtomId>{0, size}) {
            append(group.ranges, block.first_atom, block.first_atom + static_cast<AtomId>(block.count) * size);
            continue;
        }
        for (AtomId start = block.first_atom, m = 0; m < block.count; ++m, start += size)
            for (const auto& [begin, end] : local) append(group.ranges, start + begin, start + end);
    }
    return group;
}

/// Builds groups one by one and keeps those that have atoms.
class DefaultGroups {
public:
    explicit DefaultGroups(const Topology& topology) : topology_(topology)
    {
        for (const MoleculeType& type : topology.molecule_types) {
            std::vector<unsigned> of_residue;
            for (const Residue& residue : type.residues) of_residue.push_back(residue_tag(residue.name));
            std::vector<unsigned> of_atom;
            for (const TopologyAtom& atom : type.atoms)
                of_atom.push_back(of_residue[static_cast<std::size_t>(atom.residue)] | atom_tags(atom.name));
            tags_.push_back(std::move(of_atom));
        }
    }

    std::vector<AtomGroup> build()
    {
        for (const Definition& d : definitions)
            add(std::string(d.name), [&](std::size_t type, AtomId i) {
                const unsigned tags = tags_[type][static_cast<std::size_t>(i)];
                return (tags & d.all) == d.all && (d.any == 0 || (tags & d.any) != 0) && (tags & d.none) == 0;
            });
        for (const std::string& name : other_residue_names())
            add(name, [&](std::size_t type, AtomId i) {
                const MoleculeType& molecule = topology_.molecule_types[type];
                const TopologyAtom& atom = molecule.atoms[static_cast<std::size_t>(i)];
                return molecule.residues[static_cast<std::size_t>(atom.residue)].name == name;
            });
        for (std::size_t wanted = 0; wanted < topology_.molecule_types.size(); ++wanted)
            add(topology_.molecule_types[wanted].name, [&](std::size_t type, AtomId) { return type == wanted; });
        return std::move(groups_);
    }

private:
    template <class Member>
    void add(const std::string& name, const Member& member)
    {
        if (find_group(groups_, name) != nullptr) return;
        std::vector<LocalRanges> of_type;
        for (std::size_t type = 0; type < topology_.molecule_types.size(); ++type)
            of_type.push_back(local_ranges(topology_.molecule_types[type], [&](AtomId i) { return member(type, i); }));
        AtomGroup group = spread(name, topology_, of_type);
        if (!group.ranges.empty()) groups_.push_back(std::move(group));
    }

    /// In the order of the system.
    std::vector<std::string> other_residue_names() const
    {
        std::vector<std::string> names;
        std::set<int> seen;
        for (const MoleculeBlock& block : topology_.blocks) {
            if (!seen.insert(block.type).second) continue;
            for (const Residue& residue : topology_.molecule_types[static_cast<std::size_t>(block.type)].residues)
                if ((residue_tag(residue.name) & (other | ion)) != 0 &&
                    std::find(names.begin(), names.end(), residue.name) == names.end())
                    names.push_back(residue.name);
        }
        return names;
    }

    const Topology& topology_;
    std::vector<std::vector<unsigned>> tags_; // [molecule type][atom]
    std::vector<AtomGroup> groups_;
};

} // namespace

std::vector<AtomGroup> default_groups(const Topology& topology)
{
    return DefaultGroups(topology).build();
}

} // namespace holon
