#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/integration/muster_server.h"
#include "tests/integration/small_fleet.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

// What an operator does with jobs, by the CLI, on a real server with real agents.
namespace muster::integration {
namespace {

namespace json = boost::json;

std::string trimmed(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

TEST_CASE("a command runs on whom a query means, and its outcome is the exit code") {
    const small_fleet fleet;
    const auto well = fleet.server.cli({"run", "web*", "--", "echo", "hello"});
    CAPTURE(well.output);
    CHECK(well.exit_code == 0);
    CHECK(well.output.contains("web1: hello"));
    CHECK(well.output.contains("web2: hello"));
    CHECK_FALSE(well.output.contains("db1"));
    CHECK(well.output.contains("2/2 in "));

    const auto mixed = fleet.server.cli(
        {"run", "*", "--yes", "--", "echo $PPID; test -e /nowhere && echo there || exit 3"});
    CAPTURE(mixed.output);
    CHECK(mixed.exit_code == 1);
    CHECK(mixed.output.contains("failed: exit code 3"));
    CHECK(mixed.output.contains("0/3 in "));

    CHECK(fleet.server.cli({"run", "tga:x", "--", "true"}).exit_code == 2);
    CHECK(fleet.server.cli({"run", "nobody*", "--", "true"}).exit_code == 2);
}

TEST_CASE("a large output is kept once and shown for each system") {
    const small_fleet fleet;
    const auto done = fleet.server.cli({"run", "*", "--yes", "--", "seq 1 5000"});
    CAPTURE(done.output.substr(0, 500));
    CHECK(done.exit_code == 0);
    CHECK(done.output.contains("3/3 in "));
    const auto listed = json::parse(fleet.server.cli({"jobs", "-o", "json"}).output);
    const auto id = json::value_to<std::string>(listed.at(0).at("id"));
    harness::eventually(
        "the payload",
        [&] {
            return fleet.server.cli({"job", id, "--follow", "db1"}).output.contains("\n4999\n");
        },
        std::chrono::seconds(30));
    const auto groups =
        json::parse(fleet.server.cli({"job", id, "--results", "-o", "json"}).output).as_array();
    REQUIRE(groups.size() == 1);
    CHECK(groups.at(0).at("count").to_number<int>() == 3);
}

TEST_CASE("a system that is away is waited for, and why says so") {
    small_fleet fleet;
    fleet.agents.back()->kill();
    fleet.wait_for("state:onboarded", 2, "systems");
    const auto id = trimmed(
        fleet.server.cli({"run", "*", "--yes", "--async", "--function", "test.ping"}).output);
    harness::eventually(
        "two returns",
        [&] { return fleet.job(id).at("ended").to_number<int>() == 2; },
        std::chrono::seconds(60));
    const auto why = fleet.server.cli({"why", id, "db1"});
    CAPTURE(why.output);
    CHECK(why.output.contains("disconnected since"));
    CHECK(fleet.stage(id) == "open");

    fleet.agents.back() = fleet.start_agent("db1");
    harness::eventually(
        "the end", [&] { return fleet.stage(id) == "done"; }, std::chrono::seconds(60));
    CHECK(fleet.job(id).at("counts").at("completed").to_number<int>() == 3);
}

TEST_CASE("an agent that only visits does what waits for it, and leaves") {
    small_fleet fleet;
    fleet.agents.back()->kill();
    fleet.wait_for("state:onboarded", 2, "systems");
    const auto id =
        trimmed(fleet.server.cli({"run", "db1", "--yes", "--async", "--", "sleep 4"}).output);

    fleet.agent_flags = {"--exit-when-idle", "3s", "--contact", "ssh-push"};
    const auto caller = fleet.start_agent("db1");

    CHECK(caller->wait(std::chrono::seconds(60)) == 0);
    CHECK(fleet.stage(id) == "done");
    CHECK(fleet.job(id).at("counts").at("completed").to_number<int>() == 1);
    fleet.wait_for("fact.contact:ssh-push", 1, "systems");
}

TEST_CASE("a job is paused, goes on, is cancelled, and its failed part is tried again") {
    const small_fleet fleet;
    const auto id = trimmed(
        fleet.server.cli({"run", "*", "--yes", "--async", "--at", "+1h", "--", "true"}).output);
    CHECK(fleet.server.cli({"job", id, "pause"}).exit_code == 0);
    CHECK(fleet.server.cli({"why", id, "web1"}).output.contains("paused"));
    CHECK(fleet.server.cli({"job", id, "resume"}).exit_code == 0);
    CHECK(fleet.server.cli({"why", id, "web1"}).output.contains("starts at"));
    CHECK(fleet.server.cli({"job", id, "cancel"}).exit_code == 0);
    harness::eventually(
        "cancelled", [&] { return fleet.stage(id) == "cancelled"; }, std::chrono::seconds(60));
    CHECK(fleet.job(id).at("counts").at("cancelled").to_number<int>() == 3);
    CHECK(fleet.server.cli({"job", id, "resume"}).exit_code == 1);

    CHECK(fleet.server.cli({"run", "web*", "--", "false"}).exit_code == 1);
    const auto listed = json::parse(fleet.server.cli({"jobs", "-o", "json"}).output);
    const auto failed = json::value_to<std::string>(listed.at(0).at("id"));
    const auto again = json::parse(fleet.server.cli({"job", failed, "retry", "-o", "json"}).output);
    CHECK(again.at("targets").to_number<int>() == 2);
}

TEST_CASE("a job that is cancelled by force ends what runs, and its task says so") {
    const small_fleet fleet;
    const auto id =
        trimmed(fleet.server.cli({"run", "db1", "--yes", "--async", "--", "sleep 600"}).output);
    harness::eventually(
        "it runs",
        [&] { return fleet.job(id).at("counts").at("picked_up").to_number<int>() == 1; },
        std::chrono::seconds(60));

    CHECK(fleet.server.cli({"job", id, "cancel", "--force"}).exit_code == 0);

    harness::eventually(
        "cancelled", [&] { return fleet.stage(id) == "cancelled"; }, std::chrono::seconds(60));
    CHECK(fleet.job(id).at("counts").at("failed").to_number<int>() == 1);
    CHECK(fleet.why(id, "db1").contains("cancelled while running"));
}

TEST_CASE("kill -9 of the server in the middle of a job loses no return and runs nothing twice") {
    small_fleet fleet;
    const auto marks = fleet.home.path() / "marks";
    const auto id = trimmed(
        fleet.server
            .cli({"run", "*", "--yes", "--async", "--", "sleep 3; echo x >> " + marks.string()})
            .output);
    harness::eventually(
        "running tasks",
        [&] { return fleet.job(id).at("counts").at("picked_up").to_number<int>() == 3; },
        std::chrono::seconds(60));
    fleet.server.kill();
    fleet.server.start_and_wait_until_ready();
    harness::eventually(
        "the end", [&] { return fleet.stage(id) == "done"; }, std::chrono::seconds(90));
    CHECK(fleet.job(id).at("counts").at("completed").to_number<int>() == 3);
    CHECK(text_of(marks) == "x\nx\nx\n");
}

}  // namespace
}  // namespace muster::integration
