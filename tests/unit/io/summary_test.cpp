#include <holon/core/error.hpp>
#include <holon/io/summary.hpp>

#include <support/sample_state.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

namespace holon {
namespace {

Summary sample_summary()
{
    Summary summary;
    summary.program = "holon-md";
    summary.version = "0.1.0";
    summary.status = "finished";
    summary.ranks = 4;
    summary.instruction_set = InstructionSet::v3;
    summary.domains = {2, 2, 1};
    summary.atoms = 33876;
    summary.state_hash = 0x9f86d081884c7d65u;
    EnergyReport report;
    report.step = 7;
    report.energies = {{"bond", 0.1}, {"angle", -1.0 / 3.0}};
    report.virial << 1, 2, 3, 4, 5, 6, 7, 8, 9;
    summary.final = report;
    summary.timings = {{"pair", 1.5}, {"bonded", 0.25}};
    return summary;
}

TEST(Summary, has_the_keys_that_scripts_rely_on)
{
    const auto text = summary_text(sample_summary());
    for (const auto* part :
         {"\"program\": \"holon-md\"", "\"instruction_set\": \"v3\"", "\"domains\": [\n",
          "\"state_hash\": \"9f86d081884c7d65\"",
          "\"energies_kJ_per_mol\": {\n   \"bond\": 0.1,\n   \"angle\": -0.3333333333333333\n",
          "\"temperature_K\": 0.0", "\"pressure_bar\"", "\"virial_kJ_per_mol\"", "\"length_max_relative\"",
          "\"velocity_max_per_ps\"", "\"timings_s\": {\n  \"pair\": 1.5,\n  \"bonded\": 0.25\n", "\"blocked_s\"",
          "\"bytes_per_step\"", "\"written\""})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    EXPECT_EQ(text.find("\"initial\""), std::string::npos);
    EXPECT_LT(text.find("\"program\""), text.find("\"version\""));
}

TEST(Summary, says_how_ranks_shared_the_work_and_what_they_sent)
{
    auto summary = sample_summary();
    EXPECT_EQ(summary_text(summary).find("\"load_balance\""), std::string::npos);
    summary.load_balance = LoadBalanceReport{.mode = "auto", .first = 0.5, .last = 0.125, .mean = 0.25, .moves = 9};
    auto& communication = summary.communication.emplace();
    communication.halo_width = 1.0;
    communication.halo_copies = {.total = 12, .most = 7};
    const auto text = summary_text(summary);
    for (const auto* part :
         {"\"mode\": \"auto\"", "\"moves\": 9", "\"imbalance_first\": 0.5", "\"imbalance_last\": 0.125",
          "\"imbalance_mean\": 0.25", "\"halo_copies\": {\n   \"total\": 12,\n   \"most\": 7\n",
          "\"halo_width_nm\": 1.0", "\"reductions\": 0"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
}

TEST(Summary, stands_numbers_and_texts_that_json_has_not)
{
    auto summary = sample_summary();
    summary.ns_per_day = std::numeric_limits<double>::quiet_NaN();
    summary.message = "bad \xff byte";
    const auto text = summary_text(summary);
    EXPECT_NE(text.find("\"ns_per_day\": null"), std::string::npos);
    EXPECT_NE(text.find("\"message\": \"bad "), std::string::npos);
}

TEST(Summary, is_replaced_as_a_whole)
{
    const test::TemporaryFolder folder;
    const auto path = folder.file("summary.json");
    std::ofstream(path) << "old";
    write_summary(path, sample_summary());
    std::ifstream file(path);
    EXPECT_EQ(std::string((std::istreambuf_iterator<char>(file)), {}), summary_text(sample_summary()));
    EXPECT_THROW(write_summary(folder.file("no/summary.json"), sample_summary()), Failure);
}

} // namespace
} // namespace holon
