#include "apps/agent/tasks/chain.h"

#include "apps/agent/tasks/task_codec.h"
#include "core/model/chain.h"

#include <doctest/doctest.h>

namespace muster::agent {
namespace {

using namespace std::chrono_literals;
using session::chain_progress;
using session::task_outcome;

session::task_request order(std::string arguments) {
    return {
        .name = {.job = 1, .attempt = 1},
        .function = "chain.run",
        .arguments = std::move(arguments),
        .timeout = 1h};
}

constexpr auto patching = R"({"steps": [
    {"function": "cmd.run", "arguments": {"cmd": "true"}, "timeout": "10m"},
    {"function": "system.reboot"},
    {"function": "test.ping"}]})";

TEST_CASE("the steps of a chain are read with their time limits and natures") {
    const auto steps = parse_chain(order(patching)).value();

    REQUIRE(steps.size() == 3);
    CHECK(steps[0].arguments == R"({"cmd":"true"})");
    CHECK(steps[0].timeout == 10min);
    CHECK(steps[1].timeout == 1h);
    using enum session::task_nature;
    CHECK(to_natures(steps) == std::vector{ordinary, reboots, harmless});
}

TEST_CASE("what is wrong with a step is said with its number") {
    const auto why = [](const std::string& arguments) {
        return parse_chain(order(arguments)).error().detail();
    };

    CHECK(why(R"({"steps": []})") == "steps: 1 to 32 steps required");
    CHECK(
        why(R"({"steps": [{"function": "a.b"}]})")
        == "step 1: function \"a.b\" is not supported by this agent");
    CHECK(
        why(R"({"steps": [{"function": "test.ping"}, {"function": "chain.run"}]})")
        == "step 2: chains cannot be nested");
    CHECK(
        why(R"({"steps": [{"function": "test.ping", "user": "x"}]})")
        == "step 1: unknown or invalid member \"user\"");
    CHECK(why("[]").starts_with("steps: list of steps"));
    CHECK(why(R"({"steps": [7]})") == "step 1: object required");
}

TEST_CASE("a chain's return has one entry a step, and the failing one's reason") {
    const auto steps = parse_chain(order(patching)).value();
    chain_progress chain{.steps = to_natures(steps)};
    chain.results.push_back(
        {.outcome = task_outcome::succeeded, .output = R"({"stdout":"a"})", .duration = 3s});
    chain.results.push_back(
        {.outcome = task_outcome::timed_out,
         .exit_code = -1,
         .reason = "machine did not reboot in time",
         .duration = 10min});

    CHECK(
        chain_payload(steps, chain)
        == R"({"steps":[{"step":1,"function":"cmd.run","outcome":"succeeded","exit_code":0,)"
           R"("seconds":5,"output":{"stdout":"a"}},)"
           R"({"step":2,"function":"system.reboot","outcome":"timed_out","exit_code":-1,)"
           R"("seconds":1000,"reason":"machine did not reboot in time"},)"
           R"({"step":3,"function":"test.ping","outcome":"not_run"}]})");
    const auto result = chain_result(steps, chain);
    CHECK(result.outcome == task_outcome::timed_out);
    CHECK(result.reason == "step 2 of 3 (system.reboot): machine did not reboot in time");
}

TEST_CASE("times are told so roughly that equal returns stay equal") {
    CHECK(round_seconds(999ms) == 0);
    CHECK(round_seconds(1s) == 1);
    CHECK(round_seconds(3s) == 5);
    CHECK(round_seconds(10s) == 10);
    CHECK(round_seconds(11s) == 20);
    CHECK(round_seconds(99s) == 100);
}

TEST_CASE("a chain is the same after the journal kept it") {
    session::journaled_task journaled_task{
        .state = session::journaled_task::journal_state::running,
        .request = order(patching),
        .nature = session::task_nature::chain,
        .starts = 1,
        .boot = "a boot",
        .chain = {
            .steps = {session::task_nature::reboots, session::task_nature::ordinary},
            .results =
                {{.outcome = task_outcome::failed,
                  .exit_code = 4,
                  .reason = "exit code 4",
                  .output = "\xff{}",
                  .truncated = true,
                  .duration = 5s}},
            .begun = true,
            .since = wall_time(7s)}};
    journaled_task.report.started = wall_time(6s);

    CHECK(decode_task(encode(journaled_task)).value() == journaled_task);
}

TEST_CASE("what all steps give back is bounded") {
    chain_progress chain;
    CHECK(remaining_output(chain) == chain_limits::output_bytes_max);
    chain.results.push_back({.output = std::string(chain_limits::output_bytes_max + 1, 'x')});
    CHECK(remaining_output(chain) == 0);
}

}  // namespace
}  // namespace muster::agent
