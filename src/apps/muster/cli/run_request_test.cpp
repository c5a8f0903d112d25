#include "apps/muster/cli/run_request.h"

#include "apps/muster/cli/command_line.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <array>

namespace muster::cli {
namespace {

namespace json = boost::json;

run_flags running(std::vector<std::string> command) {
    run_flags flags;
    flags.query = "tag:db";
    flags.command = std::move(command);
    return flags;
}

TEST_CASE("several words are a program that no shell touches; one word with blanks is a line") {
    const auto words = run_request(running({"ls", "-l", "/a b"}), {}).value();
    CHECK(words.at("function").as_string() == "cmd.run");
    CHECK(words.at("arguments").at("cmd") == json::array{"ls", "-l", "/a b"});

    const auto line = run_request(running({"df -h | tail -1"}), {}).value();
    CHECK(line.at("arguments").at("cmd").as_string() == "df -h | tail -1");
    const auto one = run_request(running({"uptime"}), {}).value();
    CHECK(one.at("arguments").at("cmd") == json::array{"uptime"});
}

TEST_CASE("what to run is said in exactly one way") {
    CHECK(run_request(running({}), {}).error().code() == errc::invalid);
    auto both = running({"uptime"});
    both.function = "test.ping";
    CHECK(run_request(both, {}).error().code() == errc::invalid);
    CHECK(
        run_request(running({}), {.script = "#!/bin/sh\n"}).value().at("function").as_string()
        == "script.run");
}

TEST_CASE("a step is a function by its name, or a line for the shell") {
    auto flags = running({});
    flags.steps = {"apt-get -y upgrade", "system.reboot"};

    const auto body = run_request(flags, {}).value();

    CHECK(
        json::serialize(body.at("steps"))
        == R"([{"function":"cmd.run","arguments":{"cmd":"apt-get -y upgrade"}},)"
           R"({"function":"system.reboot"}])");
    CHECK_FALSE(body.contains("function"));
    flags.command = {"uptime"};
    CHECK(run_request(flags, {}).error().code() == errc::invalid);
    flags.command.clear();
    flags.arguments = {"a=b"};
    CHECK(run_request(flags, {}).error().code() == errc::invalid);
}

TEST_CASE("a chain's file is YAML or JSON, with steps as texts or spelled out") {
    constexpr auto yaml =
        "- cmd: apt-get -y upgrade\n"
        "  timeout: 30m\n"
        "- system.reboot\n"
        "- function: cmd.run\n"
        "  arguments: {cmd: 'exit 2', success_codes: [2], cwd: '7'}\n";

    const auto body = run_request(running({}), {.chain = yaml}).value();

    CHECK(
        json::serialize(body.at("steps"))
        == R"([{"timeout":"30m","function":"cmd.run","arguments":{"cmd":"apt-get -y upgrade"}},)"
           R"({"function":"system.reboot"},)"
           R"({"function":"cmd.run","arguments":{"cmd":"exit 2","success_codes":[2],"cwd":"7"}}])");
    CHECK(run_request(running({}), {.chain = R"({"steps":["uptime"]})"}).has_value());
    CHECK(run_request(running({}), {.chain = "steps: 7"}).error().code() == errc::invalid);
}

TEST_CASE("arguments are texts, or JSON when they say so") {
    auto flags = running({"uptime"});
    flags.arguments = {"user=www", "success_codes:=[0,3]", "stdin=a=b"};
    const auto arguments = run_request(flags, {}).value().at("arguments").as_object();
    CHECK(arguments.at("user").as_string() == "www");
    CHECK(arguments.at("success_codes") == json::array{0, 3});
    CHECK(arguments.at("stdin").as_string() == "a=b");
    flags.arguments = {"success_codes:=[0"};
    CHECK(run_request(flags, {}).error().detail().contains("success_codes"));
    flags.arguments = {"nothing"};
    CHECK(run_request(flags, {}).error().code() == errc::invalid);
}

TEST_CASE("only what was asked for is sent, so that the server's defaults hold") {
    const auto plain = run_request(running({"uptime"}), {}).value();
    CHECK(plain.size() == 3);
    auto flags = running({"uptime"});
    flags.batch = "10%";
    flags.no_on_return = true;
    flags.weight = 30;
    const auto more = run_request(flags, {}).value();
    CHECK(more.at("batch").as_string() == "10%");
    CHECK(more.at("on_return").as_bool() == false);
    CHECK(more.at("weight").as_int64() == 30);
}

TEST_CASE("wrong usage of the verbs about jobs is told before anything is asked of a server") {
    constexpr std::array commands{add_run, add_jobs, add_job, add_why};
    CHECK(run_command_line(commands, {"run"}) == exit_code::usage);
    CHECK(run_command_line(commands, {"run", "*"}) == exit_code::usage);
    CHECK(
        run_command_line(commands, {"run", "*", "--function", "x", "--", "y"}) == exit_code::usage);
    CHECK(run_command_line(commands, {"job"}) == exit_code::usage);
    CHECK(run_command_line(commands, {"why", "1"}) == exit_code::usage);
    CHECK(run_command_line(commands, {"run", "--help"}) == exit_code::ok);
}

}  // namespace
}  // namespace muster::cli
