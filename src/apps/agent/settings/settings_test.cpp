#include "apps/agent/service/agent_options.h"
#include "apps/agent/settings/agent_settings.h"
#include "tests/fixtures/settings/uncommented_sample.h"

#include <doctest/doctest.h>

namespace muster::agent::cli {
namespace {

// The options that flags give, without any file.
result<agent_options> options_of(std::vector<runtime::written_setting> flags) {
    const runtime::settings_source reading{.entries = std::move(flags), .problems = {}};
    const auto outcome = runtime::resolve(agent_settings(), {reading});
    REQUIRE(outcome.problems.empty());
    return options_from(outcome.values);
}

const std::string print =
    "00:01:02:03:04:05:06:07:08:09:0a:0b:0c:0d:0e:0f:10:11:12:13:14:15:16:17:18:19:1a:1b:1c:1d:1e:"
    "1f";

TEST_CASE("several entries are read, with or without the scheme") {
    const auto options = options_of(
        {{"server", "https://one:8443/, two:8443", "--server"},
         {"ca_fingerprint", print, "--ca-fingerprint"}});

    CHECK(
        options.value().entries
        == std::vector<std::string>{"https://one:8443", "https://two:8443"});
    CHECK(options->state_actions.actions == state_actions{});
}

TEST_CASE("a scenario's list can be replaced one by one") {
    const auto options = options_of(
        {{"server", "one:1", ""},
         {"ca_fingerprint", print, ""},
         {"scenario", "salt", ""},
         {"actions.orphan", "run true", ""}});

    auto expected = default_actions(backend::salt);
    expected.orphan = {run_command{"true"}};
    CHECK(options.value().state_actions.actions == expected);
}

TEST_CASE("what is missing or wrong is named with its setting") {
    const auto sentence = [](std::vector<runtime::written_setting> flags) {
        return options_of(std::move(flags)).error().detail();
    };

    CHECK(sentence({}).starts_with("server: "));
    CHECK(sentence({{"server", "http://one:1", ""}}).starts_with("server: "));
    CHECK(sentence({{"server", "https://one:1/path", ""}}).starts_with("server: "));
    CHECK(sentence({{"server", "one:1", ""}}).starts_with("ca: "));
    CHECK(sentence({{"server", "one:1", ""}, {"ca", "/none", ""}}).starts_with("ca: "));
    CHECK(sentence({{"server", "one:1", ""}, {"ca_fingerprint", "ab", ""}})
              .starts_with("ca_fingerprint: "));
    CHECK(sentence(
              {{"server", "one:1", ""}, {"ca_fingerprint", print, ""}, {"actions.new", "jump", ""}})
              .starts_with("actions.new: "));
}

TEST_CASE("the generated sample, uncommented, says what it says: each default, or the example") {
    test::check_uncommented_sample(agent_settings());
}

}  // namespace
}  // namespace muster::agent::cli
