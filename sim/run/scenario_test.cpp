#include "sim/run/scenario.h"

#include "sim/run/campaign.h"
#include "sim/run/duration.h"
#include "sim/run/run.h"
#include "sim/run/scenario_directory.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::sim {
namespace {

using namespace std::chrono_literals;

std::string refusal_of(const std::string& toml) {
    const auto read = parse_scenario("patch_night", toml);
    return read ? "" : read.error().detail();
}

TEST_CASE("every scenario of the library can be read") {
    const scenario_directory scenarios(MUSTER_SIM_SCENARIOS);
    REQUIRE(scenarios.names().size() >= 6);

    for (const auto& name : scenarios.names()) {
        CAPTURE(name);
        const auto read = scenarios.load(name);
        REQUIRE(read.has_value());
        CHECK(!read->description.empty());
    }
    CHECK(scenarios.load("no_such_scenario").error().code() == errc::not_found);
}

TEST_CASE("a scenario with a mistake is refused with its line and its name") {
    CHECK(refusal_of("duration = '1m'") == "scenario patch_night: line 1: scenario must have a "
                                           "[workload.…] table");
    CHECK(
        refusal_of("[workload.counters]\nclient = 3")
        == "scenario patch_night: line 1: workload \"counters\" has no option \"client\"");
    CHECK(
        refusal_of("[workload.patching]")
        == "scenario patch_night: line 1: workload \"patching\" not found");
    CHECK(refusal_of("colour = 1") == "scenario patch_night: line 1: unknown key \"colour\"");
    CHECK(
        refusal_of("\n[fault]\ndisk_melts = {}")
        == "scenario patch_night: line 3: unknown key \"disk_melts\"");
    CHECK(
        refusal_of("[fault]\ndisk_full = { armed = 7 }")
        == "scenario patch_night: line 2: value must be a probability from 0 to 1");
    CHECK(
        refusal_of("duration = 'long'")
        == "scenario patch_night: line 1: \"long\" is not a duration such as 500ms, 90s, 10m, 1h");
    CHECK(refusal_of("duration = ").starts_with("scenario patch_night: line 1: "));
}

TEST_CASE("a scenario fails whose many seeds never come to what it must reach") {
    const auto fails = [](const std::string& probe, campaign_options options) {
        const auto scenario =
            parse_scenario("patch_night", "reaches = ['" + probe + "']\n[workload.counters]");
        REQUIRE(scenario.has_value());
        campaign played(options);
        auto brief = *scenario;
        brief.duration = 10s;
        played.play(brief);
        return played.failed();
    };

    CHECK(fails("node_given_up", {.seeds = 3, .reaching_seeds_min = 3}) == 1);
    CHECK(fails("node_given_up", {.seeds = 2, .reaching_seeds_min = 3}) == 0);
    CHECK(fails("journal_checkpoint", {.seeds = 3, .reaching_seeds_min = 3}) == 0);
    CHECK(
        refusal_of("reaches = ['the_moon']")
        == "scenario patch_night: line 1: probe \"the_moon\" not found");
}

TEST_CASE("durations are read and written alike") {
    for (const std::string text : {"500ms", "90s", "10m", "1h", "250us"}) {
        CHECK(to_string(*parse_duration(text)) == text);
    }
    CHECK(*parse_duration("2h") == 2h);
    for (const std::string text : {"", "10", "m", "-1s", "1 h", "1d", "99999999999999999999s"}) {
        CAPTURE(text);
        CHECK(parse_duration(text).error().code() == errc::invalid);
    }
}

TEST_CASE("every scenario is the same run for the same seed, and another for another") {
    const scenario_directory scenarios(MUSTER_SIM_SCENARIOS);
    for (const auto& name : scenarios.names()) {
        CAPTURE(name);
        const auto what = scenarios.load(name);
        REQUIRE(what.has_value());

        const auto first = run(*what, {.seed = 7, .duration = 1min, .print = {}});
        const auto again = run(*what, {.seed = 7, .duration = 1min, .print = {}});
        const auto other = run(*what, {.seed = 8, .duration = 1min, .print = {}});
        REQUIRE(first.has_value());
        REQUIRE(again.has_value());
        REQUIRE(other.has_value());
        CHECK(first->hash == again->hash);
        CHECK(first->hash != other->hash);
    }
}

TEST_CASE("tracing does not change what happens") {
    const scenario_directory scenarios(MUSTER_SIM_SCENARIOS);
    const auto what = scenarios.load("counters_under_fire");
    REQUIRE(what.has_value());
    std::size_t lines = 0;

    const auto silent = run(*what, {.seed = 3, .duration = 30s, .print = {}});
    const auto traced =
        run(*what, {.seed = 3, .duration = 30s, .print = [&lines](const std::string&) {
                        ++lines;
                    }});

    REQUIRE(silent.has_value());
    REQUIRE(traced.has_value());
    CHECK(silent->hash == traced->hash);
    CHECK(lines > 100);
}

}  // namespace
}  // namespace muster::sim
