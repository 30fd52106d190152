#include "keys.hpp"

#include "text.hpp"

#include <algorithm>
#include <unordered_map>

namespace holon {

namespace {

// Keys with numbers in them, in lower case with dashes.
constexpr std::string_view inert_families[] = {"pull-",      "awh-",     "awh1-",   "awh2-",
                                               "awh3-",      "rot-",     "iontype", "density-guided-simulation-",
                                               "qmmm-cp2k-", "colvars-", "nnpot-",  "fmm-"};

bool in_inert_family(std::string_view name)
{
    std::string dashed(name);
    for (char& c : dashed) c = c == '_' ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return std::any_of(std::begin(inert_families), std::end(inert_families),
                       [&](std::string_view family) { return dashed.starts_with(family); });
}

} // namespace

const std::vector<MdpKey>& mdp_keys()
{
    static const std::vector<MdpKey> keys = [] {
        std::vector<MdpKey> all = run_mdp_keys();
        for (const auto& part : {nonbonded_mdp_keys(), temperature_mdp_keys(), restraint_mdp_keys(), own_mdp_keys(),
                                 box_mdp_keys(), step_mdp_keys(), other_mdp_keys()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return keys;
}

const MdpKey* find_mdp_key(std::string_view name)
{
    static const std::unordered_map<std::string, const MdpKey*> by_name = [] {
        std::unordered_map<std::string, const MdpKey*> map;
        for (const MdpKey& key : mdp_keys()) map.emplace(plain(key.name), &key);
        return map;
    }();
    static const MdpKey family{"", KeyRule::inert, {}, {}, {}, false, {}, {}};

    const auto found = by_name.find(plain(name));
    if (found == by_name.end()) return in_inert_family(name) ? &family : nullptr;
    return found->second->rule == KeyRule::renamed ? find_mdp_key(found->second->text) : found->second;
}

} // namespace holon
