#include "adapters/pki/fingerprint.h"
#include "adapters/pki/key.h"
#include "base/hex.h"
#include "tests/agent/attached_agent.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <unistd.h>
#include <zstd.h>

// What the functions do on a machine, and how large results come back.
namespace muster::agent_test {
namespace {

using agent_protocol::Frame;
using agent_protocol::Report;

void name(agent_protocol::TaskName& task, std::int64_t job) {
    task.set_job(job);
    task.set_attempt(1);
}

// Asks for the payload piece by piece, as a node does.
std::string payload_of(attached_agent& attached_agent, std::int64_t job) {
    std::string frame;
    for (std::size_t pieces = 1;; ++pieces) {
        Frame desired;
        name(*desired.mutable_payload_wanted()->mutable_task(), job);
        desired.mutable_payload_wanted()->set_offset(frame.size());
        desired.mutable_payload_wanted()->set_size_max(1000);
        attached_agent.cluster.say(desired);
        attached_agent.until(
            "a piece", [&] { return attached_agent.cluster.saw().parts.size() >= pieces; });
        const auto part = attached_agent.cluster.saw().parts.at(pieces - 1);
        REQUIRE_FALSE(part.missing());
        frame += part.content();
        if (part.last()) break;
    }
    const auto size = attached_agent.cluster.saw().report_of(job)->payload_size();
    std::string payload(size, '\0');
    REQUIRE(ZSTD_decompress(payload.data(), size, frame.data(), frame.size()) == size);
    return payload;
}

TEST_CASE("a large output is kept until the node has it, also over kill -9, and then dropped") {
    attached_agent attached_agent;
    const auto report = attached_agent.result_of(
        1, "cmd.run", R"({"cmd": "od -An -tx1 -N 20000 /dev/urandom; printf '\\377'"})");
    CHECK(report.inline_payload().empty());

    attached_agent.system->kill();
    attached_agent.system->start();
    attached_agent.until(
        "a new channel", [&] { return attached_agent.cluster.saw().channels == 2; });
    const auto payload = payload_of(attached_agent, 1);

    CHECK(pki::sha256(payload) == report.digest());
    const auto document = boost::json::parse(payload).as_object();
    CHECK(document.at("replaced").as_bool());
    CHECK(document.at("stdout").as_string().size() > 60'000);
    Frame frame;
    name(*frame.mutable_payload_taken()->mutable_task(), 1);
    attached_agent.cluster.say(frame);
    attached_agent.until("an empty store", [&] {
        return std::filesystem::is_empty(attached_agent.system->data() / "payloads");
    });
}

TEST_CASE("output over its limit is cut and said to be") {
    attached_agent attached_agent;

    const auto report = attached_agent.result_of(
        1, "cmd.run", R"({"cmd": "head -c 3000000 /dev/zero | tr '\\0' x", "output_max": 100})");

    CHECK(report.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(report.truncated());
    const auto document = boost::json::parse(report.inline_payload()).as_object();
    CHECK(document.at("stdout").as_string().size() == 100);
    CHECK(document.at("truncated").as_bool());
}

TEST_CASE("a program of a task has none of the agent's connections") {
    attached_agent attached_agent;

    const auto report =
        attached_agent.result_of(1, "cmd.run", R"({"cmd": "readlink /proc/$$/fd/*"})");

    CHECK(report.inline_payload().contains("pipe:"));
    CHECK_FALSE(report.inline_payload().contains("socket:"));
}

TEST_CASE("a script runs by its own interpreter and leaves no file") {
    attached_agent attached_agent;

    const auto report = attached_agent.result_of(
        1,
        "script.run",
        R"({"args": ["x"],
            "content": "#!/usr/bin/awk -f\nBEGIN { print ARGV[1], \"from awk\" }"})");
    const auto shell = attached_agent.result_of(2, "script.run", R"({"content": "echo $0"})");

    CHECK(report.inline_payload().contains("x from awk"));
    const auto document = boost::json::parse(shell.inline_payload()).as_object();
    std::string script(document.at("stdout").as_string());
    REQUIRE(script.ends_with('\n'));
    script.pop_back();
    CHECK(script.contains("muster-agent-"));
    CHECK_FALSE(std::filesystem::exists(script));
}

TEST_CASE("a script that was left by kill -9 is removed at the next start") {
    attached_agent attached_agent;
    const auto where = attached_agent.file("where");
    attached_agent.cluster.say_task(
        1, "script.run", R"({"content": "echo $0 > )" + where.string() + R"(; exec sleep 300"})");
    attached_agent.until("it runs", [&] { return text_of(where).ends_with('\n'); });
    auto script = text_of(where);
    script.pop_back();
    REQUIRE(std::filesystem::exists(script));

    attached_agent.system->kill();
    attached_agent.system->start();

    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK_FALSE(std::filesystem::exists(script));
}

TEST_CASE("facts come by their paths") {
    attached_agent attached_agent;

    const auto report =
        attached_agent.result_of(1, "facts.get", R"({"paths": ["kernel", "agent.version"]})");

    const auto document = boost::json::parse(report.inline_payload()).as_object();
    CHECK(document.contains("agent.version"));
    CHECK(document.size() > 1);
    CHECK(std::ranges::all_of(document, [](const auto& each) {
        return each.key() == "agent.version" || each.key().starts_with("kernel.");
    }));
}

TEST_CASE("output is shown while a command runs, and its end is") {
    attached_agent attached_agent;
    const auto continue_chain = attached_agent.file("go");
    attached_agent.cluster.say_task(
        1,
        "cmd.run",
        R"({"cmd": "echo first; while ! test -e )" + continue_chain.string()
            + R"(; do sleep 0.05; done; echo second"})");
    attached_agent.until("it runs", [&] { return attached_agent.cluster.saw().holds(1); });

    Frame frame;
    name(*frame.mutable_output_wanted()->mutable_task(), 1);
    attached_agent.cluster.say(frame);
    const auto output = [&attached_agent] {
        std::string all;
        for (const auto& each : attached_agent.cluster.saw().outputs) all += each.content();
        return all;
    };
    attached_agent.until("the first line", [&] { return output() == "first\n"; });
    std::ofstream(continue_chain) << "go";

    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_SUCCEEDED);
    attached_agent.until("the end", [&] {
        const auto observed = attached_agent.cluster.saw();
        return observed.outputs.back().ended();
    });
    CHECK(output() == "first\nsecond\n");
    CHECK(attached_agent.cluster.saw().outputs.back().offset() == 13);
}

TEST_CASE("a reboot is done when the machine has been started anew, and not before") {
    const harness::temporary_directory machine("agent");
    const auto boot_id = machine.path() / "boot_id";
    const auto request = machine.path() / "asked";
    std::ofstream(boot_id) << "first";
    attached_agent attached_agent(
        {"--tasks-boot-id-file",
         boot_id.string(),
         "--tasks-reboot-command",
         "echo reboot >> " + request.string()});

    attached_agent.cluster.say_task(1, "system.reboot", "{}");
    attached_agent.until("the command ran", [&] { return text_of(request) == "reboot\n"; });
    attached_agent.system->kill();
    attached_agent.system->start();  // only the agent
    attached_agent.until(
        "a new channel", [&] { return attached_agent.cluster.saw().channels == 2; });
    CHECK(attached_agent.result_of(2, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(attached_agent.cluster.saw().reports_of(1) == 0);
    attached_agent.system->kill();
    std::ofstream(boot_id) << "second";
    attached_agent.system->start();

    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(text_of(request) == "reboot\n");
}

TEST_CASE("a reboot whose command fails has failed") {
    attached_agent attached_agent({"--tasks-reboot-command", "echo no >&2; exit 1"});

    const auto report = attached_agent.result_of(1, "system.reboot", "{}");

    CHECK(report.outcome() == Report::OUTCOME_FAILED);
    CHECK(report.inline_payload().contains("no"));
}

TEST_CASE("what runs and waits is listed") {
    attached_agent attached_agent({"--tasks-running-max", "1"});
    attached_agent.cluster.say_task(1'700'000'000'000'001, "cmd.run", R"({"cmd": "sleep 300"})");
    attached_agent.cluster.say_task(1'700'000'000'000'002, "cmd.run", R"({"cmd": "sleep 300"})");
    attached_agent.until(
        "both are held", [&] { return attached_agent.cluster.saw().holds(1'700'000'000'000'002); });

    const auto out = attached_agent.file("list");
    harness::process listing(
        {.argv = {MUSTER_AGENT_PROGRAM, "tasks", "--data", attached_agent.system->data()},
         .environment = {},
         .output = out,
         .user = {}});
    REQUIRE(listing.wait(std::chrono::seconds(20)) == 0);

    const auto text = text_of(out);
    CHECK(text.contains("20231114221320000001"));
    CHECK(text.contains("running"));
    CHECK(text.contains("waiting"));
}

TEST_CASE("an agent that is stopped ends its commands and reports them as interrupted") {
    attached_agent attached_agent;
    const auto pid = attached_agent.file("pid");
    attached_agent.cluster.say_task(
        1, "cmd.run", R"({"cmd": "echo $$ > )" + pid.string() + R"(; exec sleep 300"})");
    attached_agent.until("it runs", [&] { return text_of(pid).ends_with('\n'); });

    CHECK(attached_agent.system->stop() == 0);
    const auto ended = ::kill(static_cast<pid_t>(std::stol(text_of(pid))), 0) != 0;
    attached_agent.system->start();

    CHECK(ended);
    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_INTERRUPTED);
}

}  // namespace
}  // namespace muster::agent_test
