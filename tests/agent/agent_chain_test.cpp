#include "tests/agent/attached_agent.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <fstream>

namespace muster::agent_test {
namespace {

namespace json = boost::json;
using agent_protocol::Report;

json::object command(const std::string& line) {
    return {{"function", "cmd.run"}, {"arguments", {{"cmd", line}}}};
}

std::string chain_of(json::array steps) {
    return json::serialize(json::object{{"steps", std::move(steps)}});
}

// The entries of a chain's return.
json::array steps_in(const Report& report) {
    return json::parse(report.inline_payload()).at("steps").as_array();
}

std::string outcome_of(const json::value& step) {
    return json::value_to<std::string>(step.at("outcome"));
}

std::string held_at(const fake_cluster& cluster) {
    const auto held = cluster.saw().held;
    return held.empty() || held.back().held().empty() ? "" : held.back().held(0).where();
}

void ask(fake_cluster& cluster, std::int64_t job, agent_protocol::TaskSignal::Kind kind) {
    agent_protocol::Frame frame;
    frame.mutable_task_signal()->mutable_task()->set_job(job);
    frame.mutable_task_signal()->mutable_task()->set_attempt(1);
    frame.mutable_task_signal()->set_kind(kind);
    cluster.say(frame);
}

TEST_CASE("a chain runs its steps in order and ends with the first that fails") {
    attached_agent agent;
    const auto mark = agent.file("mark").string();

    const auto well = agent.result_of(
        1,
        "chain.run",
        chain_of(
            {command("echo one > " + mark), {{"function", "test.ping"}}, command("cat " + mark)}));
    const auto failed = agent.result_of(
        2, "chain.run", chain_of({command("exit 3"), command("touch " + mark + "2")}));

    CHECK(well.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(well.reason().empty());
    REQUIRE(steps_in(well).size() == 3);
    CHECK(steps_in(well)[2].at("output").at("stdout").as_string() == "one\n");
    CHECK(failed.outcome() == Report::OUTCOME_FAILED);
    CHECK(failed.exit_code() == 3);
    CHECK(failed.reason() == "step 1 of 2 (cmd.run): exit code 3");
    CHECK(outcome_of(steps_in(failed)[1]) == "not_run");
    CHECK_FALSE(std::filesystem::exists(mark + "2"));
}

TEST_CASE("a chain goes on with its next step after the machine was started anew") {
    const harness::temporary_directory machine("boot");
    const auto boot_id = machine.path() / "boot_id";
    std::ofstream(boot_id) << "first";
    attached_agent agent(
        {"--tasks-boot-id-file", boot_id.string(), "--tasks-reboot-command", "true"});
    const auto count = agent.file("count").string();
    agent.cluster.say_task(
        3,
        "chain.run",
        chain_of(
            {command("echo before >> " + count),
             {{"function", "system.reboot"}, {"timeout", "10m"}},
             command("echo after >> " + count)}));
    agent.until("the reboot", [&] {
        ask(agent.cluster, 3, agent_protocol::TaskSignal::KIND_ASK);
        return held_at(agent.cluster) == "step 2 of 3";
    });

    agent.system->kill();
    std::ofstream(boot_id) << "second";
    agent.system->start();

    const auto report = agent.report_of(3);
    CHECK(report.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(text_of(count) == "before\nafter\n");
    CHECK(outcome_of(steps_in(report)[1]) == "succeeded");
}

TEST_CASE("a chain whose agent was killed in a step is interrupted, and says in which one") {
    attached_agent agent;
    const auto mark = agent.file("mark").string();
    agent.cluster.say_task(
        4,
        "chain.run",
        chain_of(
            {{{"function", "test.ping"}},
             command("touch " + mark + "; sleep 600"),
             command("touch " + mark + "2")}));
    agent.until("the second step", [&] { return std::filesystem::exists(mark); });

    agent.system->kill();
    agent.system->start();

    const auto report = agent.report_of(4);
    CHECK(report.outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK(
        report.reason()
        == "interrupted in step 2 of 3 (cmd.run): the agent stopped while the step was running");
    CHECK(outcome_of(steps_in(report)[0]) == "succeeded");
    CHECK_FALSE(std::filesystem::exists(mark + "2"));
}

TEST_CASE("a chain that may be run again repeats the step it was killed in, and no other") {
    attached_agent agent;
    const auto count = agent.file("count").string();
    const auto gate = agent.file("gate").string();
    agent_protocol::Task task;
    task.set_job(5);
    task.set_attempt(1);
    task.set_function("chain.run");
    task.set_may_run_again(true);
    task.set_arguments(chain_of(
        {command("echo first >> " + count),
         command("echo second >> " + count + "; test -e " + gate + " || sleep 600")}));
    agent.cluster.say_task(task);
    agent.until("the second step", [&] { return text_of(count) == "first\nsecond\n"; });

    agent.system->kill();
    std::ofstream(gate) << "open";
    agent.system->start();

    CHECK(agent.report_of(5).outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(text_of(count) == "first\nsecond\nsecond\n");
}

TEST_CASE("a step has its own time limit, and cancelling ends the step that runs") {
    attached_agent agent;
    auto slow = command("exec sleep 600");
    slow["timeout"] = "100ms";

    const auto late = agent.result_of(6, "chain.run", chain_of({slow, command("true")}));
    const auto mark = agent.file("mark").string();
    agent.cluster.say_task(
        7, "chain.run", chain_of({command("touch " + mark + "; exec sleep 600"), command("true")}));
    agent.until("the step", [&] { return std::filesystem::exists(mark); });
    ask(agent.cluster, 7, agent_protocol::TaskSignal::KIND_CANCEL);
    const auto cancelled = agent.report_of(7);

    CHECK(late.outcome() == Report::OUTCOME_TIMED_OUT);
    CHECK(late.reason() == "step 1 of 2 (cmd.run): time limit exceeded");
    CHECK(cancelled.outcome() == Report::OUTCOME_CANCELLED);
    CHECK(cancelled.reason() == "cancelled while running, step 1 of 2");
    CHECK(outcome_of(steps_in(cancelled)[1]) == "not_run");
}

TEST_CASE("a chain whose last step ends well although it was told to end has succeeded") {
    attached_agent agent;
    const auto mark = agent.file("mark").string();
    const auto patient =
        command("trap 'exit 0' TERM; touch " + mark + "; while :; do sleep 0.02; done");
    const auto told_to_end = [&](std::int64_t job, json::array steps) {
        std::filesystem::remove(mark);
        agent.cluster.say_task(job, "chain.run", chain_of(std::move(steps)));
        agent.until("the step", [&] { return std::filesystem::exists(mark); });
        ask(agent.cluster, job, agent_protocol::TaskSignal::KIND_TERM);
        return agent.report_of(job);
    };

    const auto last = told_to_end(10, {command("true"), patient});
    const auto first = told_to_end(11, {patient, command("true")});

    CHECK(last.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(first.outcome() == Report::OUTCOME_CANCELLED);
    CHECK(first.reason().ends_with("chain cancelled"));
    CHECK(outcome_of(steps_in(first)[1]) == "not_run");
}

TEST_CASE("a chain in a chain is refused") {
    attached_agent agent;

    const auto report = agent.result_of(
        8,
        "chain.run",
        chain_of({{{"function", "chain.run"}, {"arguments", {{"steps", json::array()}}}}}));

    CHECK(report.outcome() == Report::OUTCOME_REFUSED);
    CHECK(report.reason() == "step 1: chains cannot be nested");
}

TEST_CASE("what a command started does not outlive an agent that was killed") {
    attached_agent agent;
    const auto mark = agent.file("mark").string();
    const auto alive = agent.file("alive").string();
    agent.cluster.say_task(
        9,
        "cmd.run",
        R"({"cmd": "(while :; do touch )" + alive + R"(; sleep 0.05; done) & echo $! > )" + mark
            + R"(~; mv )" + mark + "~ " + mark + R"(; wait"})");
    agent.until("the command", [&] { return std::filesystem::exists(mark); });
    const auto process = std::stoi(text_of(mark));

    agent.system->kill();
    CHECK(std::filesystem::exists("/proc/" + std::to_string(process)));
    agent.system->start();

    CHECK(agent.report_of(9).outcome() == Report::OUTCOME_INTERRUPTED);
    const auto stat = text_of("/proc/" + std::to_string(process) + "/stat");
    const bool gone = stat.empty() || stat.contains(") Z ");
    CHECK(gone);
    CHECK(agent.system->log().contains("leftover processes"));
}

}  // namespace
}  // namespace muster::agent_test
