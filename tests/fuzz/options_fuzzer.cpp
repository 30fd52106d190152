/// The command line: one argument per line.
#include "fuzzer.hpp"

#include <holon/io/options.hpp>

using namespace holon;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    auto text = fuzz::text_of(data, size);
    std::vector<std::string> arguments;
    while (!text.empty()) arguments.emplace_back(fuzz::take_line(text).substr(0, 1 << 17)); // the system's limit
    fuzz::takes([&] {
        const auto options = parse_command_line(arguments, size % 2 == 0);
        if (options.help) fuzz::require(!help_text().empty(), "there is help");
        Notes notes;
        const auto settings = read_settings("dt = 0.001\n", "md.mdp", options, notes);
        for (const auto& note : notes.texts()) fuzz::require_printable(note);
        fuzz::require(fuzz::takes([&] { read_settings(effective_mdp(settings), "checkpoint", {}, notes); }),
                      "the settings in force are settings", effective_mdp(settings));
    });
    return 0;
}
