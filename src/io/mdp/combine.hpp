#pragma once

#include "values.hpp"

#include <holon/core/log.hpp>
#include <holon/io/options.hpp>

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace holon {

/// The settings of a run as they were given, each key once.
class GivenSettings {
public:
    explicit GivenSettings(std::string file) : file_(std::move(file)) {}

    /// Adds settings that win over those already there. Throws InputError if they name a key twice.
    void add(const std::vector<Setting>& settings);

    const std::vector<Setting>& all() const { return settings_; }

    const std::string& file() const { return file_; } // which a key that is not given could stand in

    /// nullptr if the key was not given.
    const Setting* find(const std::string& key) const;

private:
    static std::string identity(const std::string& key); // the same for all names of a key

    std::string file_;
    std::vector<Setting> settings_;
    std::unordered_map<std::string, std::size_t> index_;
};

/// What the keys say, and what there is to complain of.
class CombinedSettings {
public:
    CombinedSettings(MdpValues& values, const GivenSettings& given, Notes& notes)
        : v_(values), given_(given), notes_(notes)
    {
    }

protected:
    [[noreturn]] void fail(const std::string& key, const std::string& why) const;
    void note(const std::string& key, const std::string& text) const;
    bool is_given(const std::string& key) const { return !setting(key).value.empty() && setting(key).given; }
    void check_group_count(const std::string& key, std::size_t count) const;

    MdpValues& v_;
    const GivenSettings& given_;
    Notes& notes_;

private:
    Setting setting(const std::string& key) const; // as given, or the default
};

/// The part of combine() that has to do with temperature coupling, friction and annealing.
void combine_temperature(MdpValues& values, const GivenSettings& given, Notes& notes);

/// The parts that have to do with a box that changes, after the temperature; and with forces that act seldom.
void combine_pressure(MdpValues& values, const GivenSettings& given, Notes& notes);
void combine_time_steps(MdpValues& values, const GivenSettings& given, Notes& notes);

/// Turns what the keys say one by one into Parameters: GROMACS' rules for keys that act together, the checks across
/// keys. The values are canonical afterwards: written as text and read again they combine to the same.
void combine(MdpValues& values, const GivenSettings& given, Notes& notes);

} // namespace holon
