#include <holon/io/options.hpp>

#include "combine.hpp"
#include "keys.hpp"
#include "text.hpp"

#include <holon/core/error.hpp>

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace holon {

namespace {

const MdpKey& known_key(const Setting& setting)
{
    if (const MdpKey* key = find_mdp_key(setting.key)) return *key;
    std::vector<std::string> names;
    for (const MdpKey& key : mdp_keys()) names.push_back(key.name);
    const std::string nearest = nearest_name(setting.key, names);
    reject(setting,
           "unknown key" + (nearest.empty() ? "; is it spelt as in GROMACS?" : "; did you mean " + nearest + "?"));
}

/// Both spell the same number, or the same word but for case, `-` and `_`.
bool same_value(const std::string& a, const std::string& b)
{
    if (plain(a) == plain(b)) return true;
    try {
        return parse_real(a) == parse_real(b);
    } catch (const BadValue&) {
        return false;
    }
}

bool is_neutral(const MdpKey& key, const std::string& value)
{
    const std::vector<std::string> neutral = words(key.neutral), given = words(value);
    return std::ranges::all_of(given, [&](const auto& word) {
        return std::ranges::any_of(neutral, [&](const auto& n) { return same_value(word, n); });
    });
}

/// Does with one setting what the table says.
void apply(const Setting& setting, MdpValues& values, Notes& notes)
{
    const MdpKey& key = known_key(setting);
    const auto note = [&](const std::string& text) { notes.add(described(setting) + ": " + text); };
    if (setting.value.empty()) return; // as in GROMACS: the default
    try {
        if (key.read) key.read(values, setting.value);
    } catch (const BadValue& bad) {
        reject(setting, bad.what());
    }
    if (key.rule == KeyRule::noted && !same_value(setting.value, key.neutral)) note(key.text);
    if (key.rule == KeyRule::off && !is_neutral(key, setting.value)) reject(setting, key.text);
    if (key.rule == KeyRule::obsolete) note("obsolete, ignored");
}

std::vector<Setting> effective_settings(const MdpValues& values, const GivenSettings& given)
{
    std::vector<Setting> settings;
    for (const MdpKey& key : mdp_keys())
        if (key.rule == KeyRule::computed) {
            const Setting* setting = given.find(key.name);
            settings.push_back({key.name, key.write(values), setting != nullptr ? setting->where : given.file(),
                                setting != nullptr && !setting->value.empty()});
        }
    return settings;
}

std::string changeable_keys()
{
    std::string list;
    for (const MdpKey& key : mdp_keys())
        if (key.may_change) list += (list.empty() ? "" : ", ") + key.name;
    return list;
}

} // namespace

void GivenSettings::add(const std::vector<Setting>& settings)
{
    std::unordered_set<std::string> added;
    for (const Setting& setting : settings) {
        const std::string name = identity(setting.key);
        const auto [place, first] = index_.try_emplace(name, settings_.size());
        if (!added.insert(name).second) {
            const Setting& before = settings_[place->second];
            reject(setting, "the key is given twice; before: " + described(before));
        }
        if (first)
            settings_.push_back(setting);
        else
            settings_[place->second] = setting;
    }
}

const Setting* GivenSettings::find(const std::string& key) const
{
    const auto found = index_.find(identity(key));
    return found != index_.end() ? &settings_[found->second] : nullptr;
}

std::string GivenSettings::identity(const std::string& key)
{
    const MdpKey* known = find_mdp_key(key);
    return plain(known == nullptr || known->name.empty() ? key : known->name);
}

RunSettings read_settings(std::string_view mdp_text, const std::string& name, const RunOptions& options, Notes& notes)
{
    GivenSettings given(name);
    given.add(parse_mdp_text(mdp_text, name));
    given.add(options.settings);

    MdpValues values;
    for (const Setting& setting : given.all()) apply(setting, values, notes);
    for (const std::string& define : options.defines) values.define.push_back("-D" + define);
    combine(values, given, notes);

    RunSettings settings;
    settings.parameters = values;
    settings.derive_ld_seed = values.derive_ld_seed;
    settings.derive_gen_seed = values.derive_gen_seed;
    for (const std::string& define : values.define) settings.defines.push_back(define.substr(2));
    for (const std::string& dir : values.include) settings.include_dirs.push_back(dir.substr(2));
    settings.effective = effective_settings(values, given);
    return settings;
}

std::string effective_mdp(const RunSettings& settings)
{
    const Parameters& p = settings.parameters;
    std::string text;
    for (const Setting& setting : settings.effective) {
        std::string value = setting.value;
        if (setting.key == "ld-seed") value = settings.derive_ld_seed ? "-1" : std::to_string(p.ld_seed);
        if (setting.key == "gen-seed") value = settings.derive_gen_seed ? "-1" : std::to_string(p.gen_seed);
        std::string key = setting.key;
        key.resize(std::max<std::size_t>(key.size(), 24), ' ');
        text += key + " = " + value + "\n";
    }
    return text;
}

RunSettings continue_settings(const std::string& stored, RunSettings wanted)
{
    Notes known;
    const RunSettings before = read_settings(stored, "checkpoint", {}, known);
    if (wanted.derive_ld_seed) wanted.parameters.ld_seed = before.parameters.ld_seed;
    if (wanted.derive_gen_seed) wanted.parameters.gen_seed = before.parameters.gen_seed;
    const bool takes_ld_seed = std::exchange(wanted.derive_ld_seed, wanted.derive_ld_seed && before.derive_ld_seed);
    const bool takes_gen_seed = std::exchange(wanted.derive_gen_seed, wanted.derive_gen_seed && before.derive_gen_seed);

    for (std::size_t k = 0; k < wanted.effective.size(); ++k) {
        const Setting& setting = wanted.effective[k];
        const bool free = find_mdp_key(setting.key)->may_change || setting.key == "include" ||
                          (setting.key == "ld-seed" && takes_ld_seed) || (setting.key == "gen-seed" && takes_gen_seed);
        if (!free && setting.value != before.effective[k].value)
            reject(setting, "the run goes on with " + setting.key + " = " + before.effective[k].value + "; only " +
                                changeable_keys() + " may change. Start a new run for other settings");
    }
    return wanted;
}

} // namespace holon
