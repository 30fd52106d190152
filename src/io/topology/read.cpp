#include <holon/core/error.hpp>
#include <holon/io/text_file.hpp>
#include <holon/io/topology_file.hpp>

#include "fields.hpp"
#include "force_field.hpp"
#include "functions.hpp"
#include "molecule.hpp"
#include "pool.hpp"
#include "restraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace holon {

namespace {

class TopologyReader {
public:
    TopologyReader(const ExpandedTopology& source, const TopologyOptions& options, Notes& notes,
                   IntermolecularTerms* intermolecular)
        : source_(source), options_(options), notes_(notes), between_molecules_(intermolecular),
          pool_(topology_, force_field_)
    {
    }

    Topology read()
    {
        for (std::size_t line = 0; line < source_.lines.size(); ++line) {
            const std::string_view text = source_.lines[line].text;
            if (text.starts_with('['))
                open_section(line, text);
            else
                read_line(line);
        }
        build_molecules();
        IntermolecularTerms terms;
        if (!intermolecular_.lines.empty())
            terms = build_intermolecular(source_, intermolecular_, topology_, force_field_, options_, pool_);
        note_unused(intermolecular_);
        if (options_.distance_restraints)
            for (auto& restraint : read_distance_restraints(source_, intermolecular_, 0, topology_.n_atoms()))
                restraints_.push_back(std::move(restraint));
        add_restraints(terms, restraints_);
        if (between_molecules_ != nullptr) *between_molecules_ = std::move(terms);
        return finished();
    }

private:
    Topology finished()
    {
        pool_.fill_lennard_jones();
        add_notes();
        return std::move(topology_);
    }

    struct MoleculeCount {
        std::size_t source; // index into sources_
        std::int64_t count;
        std::size_t line;
    };

    [[noreturn]] void fail(std::size_t line, const std::string& message) const
    {
        throw InputError(fmt::format("{}: {}", source_.where(line), message));
    }

    void open_section(std::size_t line, std::string_view text)
    {
        const std::size_t end = text.find(']');
        if (end == std::string_view::npos) fail(line, fmt::format("{} has no closing bracket ]", in_quotes(text)));
        const std::string_view name = trimmed(text.substr(1, end - 1));
        section_ = find_section(name);
        if (!section_) fail(line, fmt::format("unknown section [ {} ]; check its spelling", printable(name)));
        check_order(line);
        if (section_->level != SectionLevel::in_molecule || section_->section == Section::molecule_type)
            in_molecule_ = in_intermolecular_ = false;
        if (section_->section == Section::intermolecular) in_intermolecular_ = true;
        if (section_->section == Section::system) has_system_ = true;
    }

    /// The order that the format prescribes: force field, molecule types, system.
    void check_order(std::size_t line) const
    {
        const auto misplaced = [&](std::string_view reason) {
            fail(line, fmt::format("[ {} ] is out of order: {}", section_->name, reason));
        };
        const Section section = section_->section;
        if (section_->level == SectionLevel::in_force_field) {
            if (!sources_.empty()) misplaced("parameters must come before the first [ moleculetype ]");
            if (section == Section::defaults) return;
            if (!force_field_.has_defaults()) misplaced("[ defaults ] must come first; include a force field");
            if (section != Section::atom_types && !force_field_.has_atom_types())
                misplaced("[ atomtypes ] must come before it");
        } else if (section == Section::molecule_type) {
            if (!force_field_.has_atom_types())
                misplaced("[ defaults ] and [ atomtypes ] must come before it; include a force field first");
        } else if (section_->level == SectionLevel::in_molecule && !in_intermolecular_) {
            if (!in_molecule_) misplaced("it must follow a [ moleculetype ] and its line with name and nrexcl");
            if (section != Section::atoms && sources_.back().lines.empty()) misplaced("[ atoms ] must come before it");
        } else if (section_->level == SectionLevel::in_system) {
            if (sources_.empty()) misplaced("there is no [ moleculetype ] yet");
            if (section != Section::system && !has_system_) misplaced("[ system ] must come before it");
        }
    }

    void read_line(std::size_t line)
    {
        if (!section_)
            fail(line, fmt::format("{} stands before the first section", in_quotes(source_.lines[line].text)));
        if (section_->level == SectionLevel::in_molecule && section_->section != Section::molecule_type) {
            (in_intermolecular_ ? intermolecular_ : sources_.back()).lines.emplace_back(section_, line);
            return;
        }
        const Fields fields(source_, line, section_->name);
        switch (section_->section) {
        case Section::defaults:
            return force_field_.read_defaults(fields);
        case Section::atom_types:
            return force_field_.read_atom_type(fields, notes_);
        case Section::bonded_types:
            return force_field_.read_bonded_types(fields, *section_, notes_);
        case Section::nonbonded_parameters:
            return force_field_.read_nonbonded_parameters(fields, notes_);
        case Section::pair_types:
            return force_field_.read_pair_type(fields, notes_);
        case Section::cmap_types:
            return force_field_.read_cmap_type(fields);
        case Section::tables:
            return force_field_.extras().read_table(fields, section_->atoms);
        case Section::dissociation_energies:
            return force_field_.extras().read_dissociation_energy(fields);
        case Section::ignored:
            return;
        case Section::molecule_type:
            return read_molecule_type(fields);
        case Section::system:
            return read_system(line);
        case Section::molecules:
            return read_molecules(fields);
        case Section::intermolecular:
            fields.fail("expected the section of an interaction, such as [ bonds ]");
        default:
            HOLON_ASSERT(false, std::string(section_->name));
        }
    }

    void read_molecule_type(const Fields& fields)
    {
        MoleculeSource molecule{std::string(fields[0]), fields.integer(1, "nrexcl"), {}};
        if (molecule.excluded_bonds < 0)
            fields.fail("nrexcl, the number of bonds for exclusions, must not be negative");
        const auto same = [&](const MoleculeSource& other) { return other.name == molecule.name; };
        if (std::any_of(sources_.begin(), sources_.end(), same))
            fields.fail(fmt::format("molecule type {} is defined a second time; rename one or include it only once",
                                    in_quotes(molecule.name)));
        sources_.push_back(std::move(molecule));
        in_molecule_ = true;
    }

    void read_system(std::size_t line)
    {
        if (topology_.name.empty()) topology_.name = source_.lines[line].text;
    }

    void read_molecules(const Fields& fields)
    {
        const std::size_t source = find_molecule(fields);
        const std::int64_t count = fields.integer(1, "the number of molecules");
        if (count < 0) fields.fail(fmt::format("the number of molecules must not be negative, but is {}", count));
        if (count > 0) counts_.push_back({source, count, fields.line()});
    }

    /// A molecule type by name; case matters only where several names differ by nothing else.
    std::size_t find_molecule(const Fields& fields) const
    {
        const auto lower = [](std::string_view text) {
            std::string result(text);
            for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
            return result;
        };
        std::vector<std::size_t> alike;
        for (std::size_t k = 0; k < sources_.size(); ++k) {
            if (sources_[k].name == fields[0]) return k;
            if (lower(sources_[k].name) == lower(fields[0])) alike.push_back(k);
        }
        if (alike.empty())
            fields.fail(fmt::format("there is no molecule type {}; include the file with its [ moleculetype ]",
                                    in_quotes(fields[0])));
        if (alike.size() > 1)
            fields.fail(fmt::format("several molecule types are called {} when case does not matter, none exactly so",
                                    in_quotes(fields[0])));
        return alike.front();
    }

    void build_molecules()
    {
        if (counts_.empty())
            throw InputError(fmt::format(
                "{}: no molecules: the topology needs a [ molecules ] section that lists what the system holds",
                source_.files.empty() ? "topology" : source_.files.front()));
        std::map<std::size_t, int> built; // source -> index in Topology::molecule_types
        std::int64_t atoms = 0, molecules = 0;
        for (const auto& [source, count, line] : counts_) {
            const auto [entry, is_new] = built.try_emplace(source, static_cast<int>(topology_.molecule_types.size()));
            if (is_new) {
                if (sources_[source].lines.empty())
                    fail(line, fmt::format("molecule type {} has no atoms", in_quotes(sources_[source].name)));
                note_unused(sources_[source]);
                topology_.molecule_types.push_back(
                    build_molecule(source_, sources_[source], force_field_, options_, pool_));
            }
            const auto size = static_cast<std::int64_t>(
                topology_.molecule_types[static_cast<std::size_t>(entry->second)].atoms.size());
            constexpr std::int64_t most = std::numeric_limits<AtomId>::max();
            if (count > (most - atoms) / size)
                fail(line, fmt::format("{} molecules are too many: the system can hold {} atoms", count, most));
            if (options_.distance_restraints) add_restraints_of(sources_[source], atoms, size, count);
            topology_.blocks.push_back({entry->second, count, static_cast<AtomId>(atoms), molecules});
            atoms += count * size;
            molecules += count;
        }
        topology_.fudge_qq = force_field_.fudge_qq();
    }

    void add_restraints_of(const MoleculeSource& molecule, std::int64_t first_atom, std::int64_t size,
                           std::int64_t count)
    {
        auto found = read_distance_restraints(source_, molecule, static_cast<AtomId>(first_atom), size);
        if (found.empty()) return;
        if (count > 1 || !restrained_.insert(molecule.name).second)
            throw InputError(fmt::format("[ distance_restraints ] of molecule type '{}' would be those of several "
                                         "molecules: bonds of type 10 restrain distances in each, and "
                                         "[ intermolecular_interactions ] takes single atoms",
                                         molecule.name));
        restraints_.insert(restraints_.end(), found.begin(), found.end());
    }

    /// As for GROMACS, restraints that no key switches on count for nothing.
    void note_unused(const MoleculeSource& molecule)
    {
        const SectionInfo* last = nullptr;
        for (const auto& [section, line] : molecule.lines) {
            const bool used = section->name == "distance_restraints" && options_.distance_restraints;
            if (section->section == Section::unused_restraints && !used && section != last)
                notes_.add(fmt::format("{}: [ {} ] has no effect with {} = no", source_.where(line), section->name,
                                       section->name == "distance_restraints" ? "disre" : "orire"));
            last = section;
        }
    }

    void add_notes()
    {
        for (const std::string& note : source_.notes) notes_.add(note);
        for (const std::string& name : source_.unused_defines)
            notes_.add(fmt::format("the topology does not use {} of 'define'", name));
        if (const double charge = topology_.total_charge(); std::abs(charge) > 1e-4)
            notes_.add(fmt::format("the system has a net charge of {:.4f} e", charge));
    }

    const ExpandedTopology& source_;
    const TopologyOptions& options_;
    Notes& notes_;
    IntermolecularTerms* between_molecules_;
    Topology topology_;
    TopologyForceField force_field_;
    TopologyPool pool_;
    const SectionInfo* section_ = nullptr;
    std::vector<MoleculeSource> sources_;
    std::vector<MoleculeCount> counts_;
    MoleculeSource intermolecular_;
    std::vector<RestraintSource> restraints_;
    std::set<std::string> restrained_; // molecule types
    bool in_molecule_ = false, in_intermolecular_ = false;
    bool has_system_ = false;
};

} // namespace

Topology read_topology(const ExpandedTopology& source, const TopologyOptions& options, Notes& notes,
                       IntermolecularTerms* intermolecular)
{
    return TopologyReader(source, options, notes, intermolecular).read();
}

} // namespace holon
