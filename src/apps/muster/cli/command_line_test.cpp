#include "apps/muster/cli/command_line.h"

#include "apps/muster/settings/server_settings.h"
#include "runtime/settings/documents.h"
#include "runtime/settings/settings.h"
#include "tests/fixtures/settings/uncommented_sample.h"

#include <doctest/doctest.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace muster::cli {
namespace {

constexpr std::array commands{add_config, add_version};

TEST_CASE("a wrong flag, a wrong command and no command are wrong usage") {
    CHECK(run_command_line(commands, {"version", "--verbos"}) == exit_code::usage);
    CHECK(run_command_line(commands, {"confg"}) == exit_code::usage);
    CHECK(run_command_line(commands, {"config", "chek"}) == exit_code::usage);
    CHECK(run_command_line(commands, {}) == exit_code::usage);
}

TEST_CASE("asking for help is no failure") {
    CHECK(run_command_line(commands, {"--help"}) == exit_code::ok);
    CHECK(run_command_line(commands, {"config", "check", "--help"}) == exit_code::ok);
}

TEST_CASE("every setting is declared well: unique in each form, with a sentence and an example") {
    std::set<std::string> flags;
    std::set<std::string> variables;
    for (const auto& server_setting : server_settings()) {
        CAPTURE(server_setting.name);
        CHECK(flags.insert(runtime::flag_of(server_setting)).second);
        CHECK(variables.insert(runtime::environment_of(server_setting)).second);
        CHECK(server_setting.description.ends_with('.'));
        CHECK(runtime::parse_setting(server_setting, server_setting.example).has_value());
        CHECK(
            (server_setting.default_value.empty()
             || runtime::parse_setting(server_setting, server_setting.default_value).has_value()));
    }
}

TEST_CASE("the generated sample is accepted as it is") {
    const auto sample = runtime::read_settings_text(
        server_settings(), runtime::sample_file(server_settings()), "sample.yaml");

    CHECK(sample.problems.empty());
    CHECK(sample.entries.empty());
}

TEST_CASE("the generated sample, uncommented, says what it says: each default, or the example") {
    test::check_uncommented_sample(server_settings());
}

TEST_CASE("variables of the client and of the agent do not trouble a server") {
    std::map<std::string, std::string> variables;
    for (const auto* name :
         {"ASK_ABOVE",
          "CA",
          "CA_FINGERPRINT",
          "CONFIG",
          "EDIT",
          "JOB",
          "NODE",
          "SERVER",
          "STATE",
          "TOKEN_FILE",
          "ACTIVATION_KEY",
          "ACTIVATION_KEY_FILE",
          "POLL",
          "RETRY_MAX",
          "PROXY",
          "STAY",
          "CONTACT",
          "SCENARIO",
          "COMMAND_TIME",
          "FACTS_DIRECTORY",
          "FACTS_INTERVAL",
          "ACTIONS_NEW",
          "PACKAGES_FAMILY",
          "SALT_CONFIG",
          "TASKS_RUNNING_MAX"})
        variables.emplace(std::string("MUSTER_") + name, "x");

    const auto read = runtime::read_environment(server_settings(), variables);

    CHECK(read.problems == std::vector<std::string>{});
    CHECK(read.entries.empty());
}

TEST_CASE("a variable that is only roughly a setting's is refused with those there are") {
    const auto problem = [](const std::string& variable) {
        auto read = runtime::read_environment(server_settings(), {{variable, "x"}});
        return read.problems.empty() ? std::string() : read.problems.front();
    };

    CHECK(problem("MUSTER_LEDGER_PASSWORD").contains("\"MUSTER_LEDGER_PASSWORD_FILE\""));
    CHECK(problem("MUSTER_METASTORE_URL").contains("of this group: MUSTER_METASTORE, MUSTER_"));
}

}  // namespace
}  // namespace muster::cli
