#include "core/jobs/job_function.h"

#include "core/model/chain.h"

#include <doctest/doctest.h>

#include <string>

namespace muster::jobs {
namespace {

using namespace std::chrono_literals;
using api::value;
using record = value::record;
using list = value::list;

std::string problem(std::string_view function, const value& arguments) {
    const auto checked = check_arguments(function, arguments);
    return checked ? "" : checked.error().detail();
}

value step(const char* function, record more = {}) {
    more.push_back({"function", function});
    return more;
}

value chain(list steps) {
    return record{{"steps", std::move(steps)}};
}

TEST_CASE("a function that no agent knows is refused with those that are known") {
    CHECK(check_function("cmd.run").has_value());
    const auto refused = check_function("cmd.walk");
    CHECK(refused.error().code() == errc::invalid);
    CHECK(
        refused.error().detail().starts_with("function \"cmd.walk\" not found; known functions: "));
    CHECK(refused.error().detail().contains("cmd.run"));
    CHECK(problem("cmd.walk", record{}) == refused.error().detail());
    for (const auto known_function : known_functions())
        CHECK(check_function(known_function).has_value());
}

TEST_CASE("an argument is refused by its name when it is unknown, missing or of another kind") {
    CHECK(problem("cmd.run", record{{"cmd", "ls"}, {"env", record{{"A", "b"}}}}).empty());
    CHECK(problem("cmd.run", record{{"cmd", list{"ls", "-l"}}}).empty());
    CHECK(problem("cmd.run", record{}) == "argument \"cmd\" of cmd.run is required");
    CHECK(
        problem("cmd.run", record{{"cmd", ""}}).ends_with("a non-empty string or list of strings"));
    CHECK(problem("cmd.run", record{{"cmd", list{}}})
              .ends_with("a non-empty string or list of strings"));
    CHECK(problem("cmd.run", record{{"cmd", "ls"}, {"cwd", 3}}).ends_with("must be a string"));
    CHECK(
        problem("cmd.run", record{{"cmd", "ls"}, {"env", record{{"A", 1}}}})
        == "argument \"env\" of cmd.run must be an object with string values");
    CHECK(problem("cmd.run", record{{"cmd", "ls"}, {"success_codes", list{0, "1"}}})
              .ends_with("a list of integers"));
    CHECK(problem("cmd.run", record{{"cmd", "ls"}, {"output_max", 0.5}}).contains("an integer"));
    CHECK(
        problem("test.ping", record{{"x", 1}})
        == "unknown argument \"x\" of test.ping; known arguments: none");
    CHECK(problem("test.ping", list{}) == "arguments must be a JSON object");
    CHECK(problem("system.reboot", record{{"whatever", 1}}).empty());
}

TEST_CASE("arguments that do not fit into a frame are refused") {
    CHECK(check_arguments_size(arguments_bytes_max).has_value());
    CHECK(check_arguments_size(arguments_bytes_max + 1).error().code() == errc::invalid);
}

TEST_CASE("each step of a chain is checked as a job of its own") {
    const auto message = [](list steps) {
        return problem(chain_function, chain(std::move(steps)));
    };
    CHECK(message({step("cmd.run", {{"arguments", record{{"cmd", "ls"}}}, {"timeout", "10m"}}),
                   step("system.reboot")})
              .empty());
    CHECK(
        message({step("test.ping"), step("cmd.run")})
        == "step 2: argument \"cmd\" of cmd.run is required");
    CHECK(message({step("a.b")}).starts_with("step 1: function \"a.b\" not found"));
    CHECK(message({step("test.ping", {{"user", "x"}})}).contains("unknown member \"user\""));
    CHECK(message({step("test.ping", {{"timeout", 10}})}).contains("a duration"));
    CHECK(message({step("test.ping", {{"timeout", "8d"}})}).contains("at most 7d"));
    CHECK(message({step("test.ping", {{"timeout", "0s"}})}).contains("more than 0s"));
    CHECK(message({step("test.ping", {{"arguments", value()}})}).contains("must be a JSON object"));
    CHECK(message({"test.ping"}).contains("must be an object"));
    CHECK(message({step("chain.run")}).contains("a chain cannot be a step of a chain"));
    CHECK(message({record{{"function", 1}}}).contains("`function` must be a string"));
    CHECK(message({}) == "a chain must have 1 to 32 steps, not 0");
    CHECK(message(list(33, step("test.ping"))) == "a chain must have 1 to 32 steps, not 33");
    CHECK(problem(chain_function, record{{"steps", 7}}).contains("a list of steps"));
    CHECK(problem(chain_function, record{{"steps", list{step("test.ping")}}, {"more", 1}})
              .contains("a list of steps"));
}

TEST_CASE("what asks, compares or tries leaves a system as it is, and what is unknown does not") {
    CHECK_FALSE(changes_system("test.ping", record{}));
    CHECK_FALSE(changes_system("facts.get", record{}));
    CHECK_FALSE(changes_system("packages.refresh", record{}));
    CHECK(changes_system("cmd.run", record{{"cmd", "true"}}));
    CHECK(changes_system("system.reboot", record{}));
    CHECK(changes_system("some.thing", record{}));
    CHECK(changes_system("cmd.run", record{{"test", true}}));
    for (const auto* const function_name : {"files.deploy", "packages.change"}) {
        CHECK(changes_system(function_name, record{}));
        CHECK(changes_system(function_name, record{{"test", false}}));
        CHECK(changes_system(function_name, record{{"test", "true"}}));
        CHECK_FALSE(changes_system(function_name, record{{"test", true}}));
    }
}

TEST_CASE("a chain changes a system if one of its steps does") {
    const value tried = record{{"test", true}};
    CHECK_FALSE(changes_system(
        chain_function, chain({step("test.ping"), step("files.deploy", {{"arguments", tried}})})));
    CHECK(changes_system(chain_function, chain({step("test.ping"), step("files.deploy")})));
    CHECK(changes_system(chain_function, chain({step("chain.run")})));
    CHECK(changes_system(chain_function, chain({"test.ping"})));
    CHECK(changes_system(chain_function, record{}));
}

TEST_CASE("a chain has as much time as its steps together, up to what an agent allows") {
    const auto time_of = [](list steps) {
        return default_timeout(chain_function, chain(std::move(steps)));
    };
    CHECK(time_of({step("test.ping", {{"timeout", "10m"}}), step("test.ping")}) == 70min);
    CHECK(time_of(list(2, step("x", {{"timeout", "7d"}}))) == 7 * 24h);
    CHECK(time_of(list(100'000, step("x", {{"timeout", "7d"}}))) == 7 * 24h);
    CHECK(time_of({step("x", {{"timeout", "soon"}}), 7}) == 2h);
    CHECK(default_timeout(chain_function, record{}) == 1h);
    CHECK(default_timeout("cmd.run", record{{"steps", list{}}}) == 1h);
}

TEST_CASE("a schedule's list is the command that is run, an object stays as it is") {
    using enum written_arguments;
    CHECK(argument_form("cmd.run", record{{"cmd", "uptime"}}).value() == members);
    CHECK(argument_form("cmd.run", list{"uptime"}).value() == command);
    CHECK(argument_form("test.ping", list{}).value() == none);
    CHECK(argument_form("test.ping", list{"x"}).error().code() == errc::invalid);
    CHECK(argument_form("cmd.run", "uptime").error().detail().contains("cmd.run"));
    CHECK(argument_form("cmd.run", value()).error().code() == errc::invalid);
}

}  // namespace
}  // namespace muster::jobs
