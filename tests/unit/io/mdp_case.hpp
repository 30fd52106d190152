#pragma once

#include <holon/core/error.hpp>
#include <holon/io/options.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace holon::test {

/// Settings of a text and options as the command line gives them.
inline RunSettings settings_of(const std::string& text, const std::vector<Setting>& options = {},
                               Notes* notes = nullptr)
{
    Notes unused;
    RunOptions run;
    run.settings = options;
    return read_settings(text, "md.mdp", run, notes != nullptr ? *notes : unused);
}

inline Parameters parameters_of(const std::string& text)
{
    return settings_of(text).parameters;
}

inline Setting option(const std::string& key, const std::string& value)
{
    return {key, value, "command line"};
}

inline void expect_error(const std::string& text, const std::string& message, const std::vector<Setting>& options = {})
{
    try {
        settings_of(text, options);
        ADD_FAILURE() << "no error for:\n" << text;
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
            << error.what() << "\nexpected: " << message;
    }
}

/// The one note of a text; empty if there is none.
inline std::string note_of(const std::string& text)
{
    Notes notes;
    settings_of(text, {}, &notes);
    EXPECT_LE(notes.texts().size(), 1u) << text;
    return notes.texts().empty() ? "" : notes.texts().front();
}

} // namespace holon::test
