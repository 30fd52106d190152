/// Run parameters: text of an .mdp file.
#include "fuzzer.hpp"

#include <holon/io/options.hpp>

using namespace holon;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    fuzz::takes([&] {
        Notes notes;
        const auto settings = read_settings(fuzz::text_of(data, size), "md.mdp", {}, notes);
        for (const auto& note : notes.texts()) fuzz::require_printable(note);
        // What a checkpoint keeps stands for the same run, and a run may go on from it.
        const auto stored = effective_mdp(settings);
        RunSettings again;
        fuzz::require(fuzz::takes([&] { again = read_settings(stored, "checkpoint", {}, notes); }),
                      "the settings in force are settings", stored);
        fuzz::require(effective_mdp(again) == stored, "settings in force stay as they are", stored);
        fuzz::require(fuzz::takes([&] { continue_settings(stored, settings); }), "a run may go on", stored);
    });
    return 0;
}
