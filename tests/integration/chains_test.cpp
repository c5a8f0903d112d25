#include "tests/integration/small_fleet.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <fstream>

// Chains, jobs that wait for jobs, and planned work, as an operator meets them.
namespace muster::integration {
namespace {

namespace json = boost::json;

TEST_CASE("a chain goes its own way on each system, and says which step failed") {
    const small_fleet fleet;
    const auto once = (fleet.home.path() / "once").string();

    const auto ran = fleet.server.cli(
        {"run",
         "*",
         "--yes",
         "--step",
         "echo begin",
         "--step",
         "mkdir " + once,
         "--step",
         "test.ping"});

    CAPTURE(ran.output);
    CHECK(ran.exit_code == 1);
    CHECK(ran.output.contains("1/3 in "));
    CHECK(ran.output.contains("step 2 of 3 (cmd.run): exit code 1"));
    CHECK(ran.output.contains("1 cmd.run: succeeded"));
    CHECK(ran.output.contains("3 test.ping: not run"));
    const auto refused = fleet.server.cli({"run", "*", "--yes", "--chain", "/dev/null"});
    CHECK(refused.exit_code == 2);
}

TEST_CASE("a chain is told where it is, and goes on after the machine was started anew") {
    const harness::temporary_directory machine("boot");
    const auto boot_id = machine.path() / "boot_id";
    std::ofstream(boot_id) << "first";
    small_fleet fleet({"--tasks-boot-id-file", boot_id.string(), "--tasks-reboot-command", "true"});
    const auto chain = machine.path() / "chain.yaml";
    const auto diary = (machine.path() / "diary").string();
    std::ofstream(chain) << "- cmd: echo before >> " << diary << "\n"
                         << "- function: system.reboot\n  timeout: 10m\n"
                         << "- cmd: echo after >> " << diary << "\n";
    const auto job =
        fleet.told({"run", "web1", "--chain", chain.string(), "--window", "ignore", "--async"});
    harness::eventually(
        "the second step",
        [&] { return fleet.why(job, "web1").contains("no result yet: step 2 of 3"); },
        std::chrono::seconds(30));

    fleet.agents[0]->kill();
    std::ofstream(boot_id) << "second";
    fleet.agents[0] = fleet.start_agent("web1");

    harness::eventually(
        "the end", [&] { return fleet.stage(job) == "done"; }, std::chrono::seconds(60));
    CHECK(text_of(diary) == "before\nafter\n");
    const auto output = fleet.told({"job", job, "web1"});
    CHECK(output.contains("2 system.reboot: succeeded"));
    CHECK(output.contains("3 cmd.run: succeeded"));
    CHECK(fleet.told({"job", job}).contains("echo before"));
}

TEST_CASE("a job that waits for a job that failed never starts, and why names the parent") {
    const small_fleet fleet;
    const auto gate = (fleet.home.path() / "gate").string();
    const auto mark = (fleet.home.path() / "mark").string();
    const auto parent = fleet.told(
        {"run",
         "web*",
         "--async",
         "--",
         "while ! test -e " + gate + "; do sleep 0.1; done; exit 1"});
    const auto child =
        fleet.told({"run", "web*", "--async", "--after", parent, "--", "touch " + mark});
    CHECK(fleet.why(child, "web1").contains("waits for job " + parent));

    std::ofstream(gate) << "open";

    harness::eventually(
        "the child is halted",
        [&] { return fleet.stage(child) == "halted"; },
        std::chrono::seconds(60));
    const auto why = fleet.why(child, "web1");
    CHECK(why.contains("halted before the task started"));
    CHECK(why.contains(parent));
    CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("the rest waits after the canaries, and why says until when") {
    const small_fleet fleet;
    const auto job = fleet.told(
        {"run", "*", "--yes", "--canary", "1", "--canary-wait", "4s", "--async", "--", "true"});

    harness::eventually(
        "somebody waits after the canary",
        [&] {
            const auto one = fleet.why(job, "web1") + fleet.why(job, "web2");
            return one.contains("the canaries succeeded; the other systems start at");
        },
        std::chrono::seconds(30));

    harness::eventually(
        "the end", [&] { return fleet.stage(job) == "done"; }, std::chrono::seconds(60));
    CHECK(fleet.job(job).at("counts").at("completed").to_number<int>() == 3);
}

TEST_CASE("a task that its system has no place for says what it waits for") {
    const small_fleet fleet({"--tasks-running-max", "1"});
    const auto gate = (fleet.home.path() / "gate").string();
    const auto first = fleet.told(
        {"run", "web1", "--async", "--", "while ! test -e " + gate + "; do sleep 0.1; done"});
    harness::eventually(
        "the first one runs",
        [&] { return fleet.why(first, "web1").starts_with("picked up"); },
        std::chrono::seconds(30));

    const auto second = fleet.told({"run", "web1", "--async", "--", "true"});

    harness::eventually(
        "the second one waits",
        [&] { return fleet.why(second, "web1").contains("waiting for a free task slot"); },
        std::chrono::seconds(30));
    std::ofstream(gate) << "open";
    harness::eventually(
        "the end", [&] { return fleet.stage(second) == "done"; }, std::chrono::seconds(60));
}

std::string nights(const std::string& opens) {
    return "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Nights\r\nDTSTART:20900101T" + opens
           + "0000Z\r\nDURATION:PT1H\r\nRRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
}

TEST_CASE("replacing a calendar and changing a schedule re-plan what was planned") {
    const small_fleet fleet;
    const auto file = fleet.home.path() / "nights.ics";
    std::ofstream(file) << nights("20");
    fleet.told({"windows", "add", file.string()});
    fleet.told({"windows", "add", "--none", "frozen"});
    fleet.told({"windows", "assign", "nights", "web*"});
    const std::vector<std::string> planned{
        "run",
        "web*",
        "--window",
        "respect",
        "--async",
        "--at",
        "2090-01-05T20:00:00Z",
        "--",
        "true"};
    auto outside = planned;
    outside[6] = "2090-01-05T12:00:00Z";
    const auto refused = fleet.server.cli(outside);
    CHECK(refused.exit_code == 2);
    CHECK(refused.output.contains("2090-01-05T20:00:00Z"));
    const auto job = fleet.told(planned);

    std::ofstream(file, std::ios::trunc) << nights("22");
    CHECK(fleet.server.cli({"windows", "replace", file.string()}).exit_code != 0);
    const auto replaced = json::parse(
        fleet.told({"windows", "replace", file.string(), "--resolve", "Next", "-o", "json"}));

    const auto& jobs = replaced.at("replaced_jobs").as_array();
    REQUIRE(jobs.size() == 1);
    CHECK(jobs[0].at("job").as_string() == job);
    const auto next = json::value_to<std::string>(jobs[0].at("goes_on_as").at(0));
    CHECK(fleet.job(next).at("options").at("at").as_string() == "2090-01-05T22:00:00Z");
    CHECK(fleet.stage(next) == "open");
    harness::eventually("the old job ends", [&] { return fleet.stage(job) != "open"; });

    const auto assigned =
        json::parse(fleet.told({"windows", "assign", "frozen", "web1", "-o", "json"}));
    REQUIRE(assigned.at("cancelled_jobs").as_array().size() == 1);
    const auto rest =
        json::value_to<std::string>(assigned.at("cancelled_jobs").at(0).at("goes_on_as").at(0));
    CHECK(fleet.job(rest).at("targets").to_number<int>() == 1);
    harness::eventually("the job ends", [&] { return fleet.stage(next) != "open"; });
}

}  // namespace
}  // namespace muster::integration
