#include "apps/muster/cli/command_line.h"

#include "apps/muster/cli/server_settings.h"
#include "runtime/settings/documents.h"
#include "runtime/settings/settings.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

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
    CHECK(run_command_line(commands, {"--help"}) == exit_code::well);
    CHECK(run_command_line(commands, {"config", "check", "--help"}) == exit_code::well);
}

TEST_CASE("every setting is declared well: unique in each form, with a sentence and an example") {
    std::set<std::string> flags;
    std::set<std::string> variables;
    for (const auto& each : server_settings()) {
        CAPTURE(each.name);
        CHECK(flags.insert(runtime::flag_of(each)).second);
        CHECK(variables.insert(runtime::environment_of(each)).second);
        CHECK(each.sentence.ends_with('.'));
        CHECK(runtime::parse_setting(each, each.example).has_value());
        CHECK((each.fallback.empty() || runtime::parse_setting(each, each.fallback).has_value()));
    }
}

TEST_CASE("the generated sample is accepted as it is") {
    const auto sample = runtime::read_settings_text(
        server_settings(), runtime::sample_file(server_settings()), "sample.yaml");

    CHECK(sample.problems.empty());
    CHECK(sample.written.empty());
}

}  // namespace
}  // namespace muster::cli
