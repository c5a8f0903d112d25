#include "runtime/clock.h"
#include "tests/agent/attached_agent.h"
#include "tests/harness/faulty_tcp_proxy.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>

// What a node sees of an agent's tasks.
namespace muster::agent_test {
namespace {

using behaviour = fake_cluster::behaviour;
using agent_protocol::Report;

boost::json::object payload_of(const Report& report) {
    return boost::json::parse(report.inline_payload()).as_object();
}

std::string text_in(const Report& report, const char* member) {
    return std::string(payload_of(report).at(member).as_string());
}

TEST_CASE("a ping is answered with true, and what is unknown is refused by its name") {
    attached_agent attached_agent;

    const auto pong = attached_agent.result_of(1, "test.ping", "{}");
    const auto unknown = attached_agent.result_of(2, "tset.ping", "{}");

    CHECK(pong.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(pong.inline_payload() == "true");
    CHECK(pong.digest().size() == 32);
    CHECK(unknown.outcome() == Report::OUTCOME_REFUSED);
    CHECK(unknown.reason() == "function \"tset.ping\" is not supported by this agent");
}

TEST_CASE("a task that takes longer than the agreed silence to come over a slow link comes once") {
    fake_cluster cluster;
    harness::faulty_tcp_proxy link(cluster.port());
    cluster.behave([&link](behaviour& behaviour) {
        behaviour.state = '2';
        behaviour.place = "127.0.0.1:" + std::to_string(link.port());
        behaviour.silence_ms = 600;
    });
    const agent_process system(cluster.url());
    system.eventually("a channel", [&cluster] { return cluster.saw().channels_now == 1; });

    link.slow(300'000);
    cluster.say_task(1, "test.ping", R"({"nothing": ")" + std::string(900'000, 'x') + R"("})");
    system.eventually("its report", [&cluster] { return cluster.saw().reports_of(1) > 0; });

    CHECK(cluster.saw().report_of(1)->outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(cluster.saw().channels == 1);
}

TEST_CASE("a command's outputs and exit code come back") {
    attached_agent attached_agent;

    const auto line =
        attached_agent.result_of(1, "cmd.run", R"({"cmd": "echo out; echo err >&2; exit 3"})");
    const auto words = attached_agent.result_of(
        2,
        "cmd.run",
        R"({"cmd": ["sh", "-c", "cat; echo $0 $COLOUR; pwd; exit 3", "a b"], "cwd": "/usr",
            "env": {"COLOUR": "red"}, "stdin": "fed ", "success_codes": [3]})");

    CHECK(line.outcome() == Report::OUTCOME_FAILED);
    CHECK(line.exit_code() == 3);
    CHECK(line.reason() == "exit code 3");
    CHECK(text_in(line, "stdout") == "out\n");
    CHECK(text_in(line, "stderr") == "err\n");
    CHECK(words.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(text_in(words, "stdout") == "fed a b red\n/usr\n");
}

TEST_CASE("arguments that make no sense are refused with their name, and nothing is run") {
    attached_agent attached_agent;
    auto refused = [&attached_agent, job = 0](const std::string& arguments) mutable {
        const auto report = attached_agent.result_of(++job, "cmd.run", arguments);
        CHECK(report.outcome() == Report::OUTCOME_REFUSED);
        return report.reason();
    };

    CHECK(refused(R"({"cmd": "true", "colour": 1})") == "colour: unknown argument");
    CHECK(refused(R"({"cmd": 5})") == "cmd: string required");
    CHECK(refused(R"({})") == "cmd: command required");
    CHECK(refused(R"([1])") == "arguments are not a JSON object");
    CHECK(
        refused(R"({"cmd": "true", "user": "nosuchuser"})")
        == "user: user \"nosuchuser\" not found");
    CHECK(refused(R"({"cmd": "true", "cwd": "/nowhere"})").starts_with("cwd: /nowhere: "));
    CHECK(refused(R"({"cmd": ["/bin/nothing"]})").starts_with("cannot run /bin/nothing: "));
    CHECK(refused(R"({"cmd": "true", "umask": "9"})").starts_with("umask: "));
}

TEST_CASE("a task that comes again is answered and not run again, also after a restart") {
    attached_agent attached_agent;
    const auto mark = attached_agent.file("mark");
    const auto arguments = R"({"cmd": "echo once >> )" + mark.string() + R"("})";

    const auto first = attached_agent.result_of(1, "cmd.run", arguments);
    attached_agent.cluster.say_task(1, "cmd.run", arguments);
    const auto again = attached_agent.report_of(1, 2);
    attached_agent.system->kill();
    attached_agent.system->start();
    attached_agent.until(
        "a new channel", [&] { return attached_agent.cluster.saw().channels == 2; });
    attached_agent.cluster.say_task(1, "cmd.run", arguments);
    const auto restarted = attached_agent.report_of(1, 3);

    CHECK(first.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(again.ended_us() == first.ended_us());
    CHECK(restarted.ended_us() == first.ended_us());
    CHECK(text_of(mark) == "once\n");
}

TEST_CASE("kill -9 in the middle of a command: it is interrupted, said once more, not run again") {
    attached_agent attached_agent;
    const auto mark = attached_agent.file("mark");
    const auto arguments = R"({"cmd": "echo begun >> )" + mark.string() + R"(; exec sleep 300"})";
    attached_agent.cluster.say_task(1, "cmd.run", arguments);
    attached_agent.until("it runs", [&] { return text_of(mark) == "begun\n"; });
    attached_agent.until("it is held", [&] { return attached_agent.cluster.saw().holds(1); });

    attached_agent.system->kill();
    attached_agent.system->start();
    const auto report = attached_agent.report_of(1);
    attached_agent.cluster.say_task(1, "cmd.run", arguments);
    const auto again = attached_agent.report_of(1, 2);

    CHECK(report.outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK(again.outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK(text_of(mark) == "begun\n");
}

TEST_CASE("a task that may be run again is, after kill -9") {
    attached_agent attached_agent;
    const auto mark = attached_agent.file("mark");
    agent_protocol::Task task;
    task.set_job(1);
    task.set_attempt(1);
    task.set_function("cmd.run");
    task.set_may_run_again(true);
    // The second time the file is there.
    task.set_arguments(
        R"({"cmd": "test -e )" + mark.string() + R"( && exit 0; touch )" + mark.string()
        + R"(; exec sleep 300"})");
    attached_agent.cluster.say_task(task);
    attached_agent.until("it runs", [&] { return std::filesystem::exists(mark); });

    attached_agent.system->kill();
    attached_agent.system->start();

    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_SUCCEEDED);
}

TEST_CASE("a report that nobody took is said on the next channel, until it is taken") {
    attached_agent attached_agent;
    attached_agent.cluster.behave([](behaviour& behaviour) { behaviour.takes_reports = false; });
    const auto first = attached_agent.result_of(1, "cmd.run", R"({"cmd": "echo hello"})");

    attached_agent.system->kill();
    attached_agent.system->start();
    const auto second = attached_agent.report_of(1, 2);
    attached_agent.cluster.behave([](behaviour& behaviour) { behaviour.takes_reports = true; });
    attached_agent.system->kill();
    attached_agent.system->start();
    const auto third = attached_agent.report_of(1, 3);

    CHECK(second.inline_payload() == first.inline_payload());
    CHECK(third.ended_us() == first.ended_us());
    // Words keep their order: whoever answers this has heard that the report was taken.
    CHECK(attached_agent.result_of(3, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    attached_agent.system->kill();
    attached_agent.system->start();
    attached_agent.until(
        "a new channel", [&] { return attached_agent.cluster.saw().channels == 4; });
    CHECK(attached_agent.result_of(2, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(attached_agent.cluster.saw().reports_of(1) == 3);
}

bool alive(const std::string& pid) {
    return !pid.empty() && ::kill(static_cast<pid_t>(std::stol(pid)), 0) == 0;
}

TEST_CASE("a timeout ends the whole process group") {
    attached_agent attached_agent;
    const auto pids = attached_agent.file("pids");
    agent_protocol::Task task;
    task.set_job(1);
    task.set_attempt(1);
    task.set_function("cmd.run");
    task.set_timeout_ms(2000);
    task.set_arguments(
        R"({"cmd": "echo said; sleep 300 & echo $! > )" + pids.string() + R"(; wait"})");

    attached_agent.cluster.say_task(task);
    const auto report = attached_agent.report_of(1);

    CHECK(report.outcome() == Report::OUTCOME_TIMED_OUT);
    CHECK(report.reason() == "task timed out");
    CHECK(text_in(report, "stdout") == "said\n");
    attached_agent.until("the group's end", [&] { return !alive(text_of(pids)); });
}

TEST_CASE("a task can be cancelled while it runs and while it waits") {
    attached_agent attached_agent({"--tasks-running-max", "1"});
    attached_agent.cluster.say_task(1, "cmd.run", R"({"cmd": "sleep 300"})");
    attached_agent.cluster.say_task(2, "cmd.run", R"({"cmd": "sleep 300"})");
    attached_agent.until("both are held", [&] {
        return attached_agent.cluster.saw().holds(1) && attached_agent.cluster.saw().holds(2);
    });

    for (const std::int64_t job : {2, 1}) {
        agent_protocol::Frame frame;
        frame.mutable_task_signal()->mutable_task()->set_job(job);
        frame.mutable_task_signal()->mutable_task()->set_attempt(1);
        frame.mutable_task_signal()->set_kind(agent_protocol::TaskSignal::KIND_CANCEL);
        attached_agent.cluster.say(frame);
    }

    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_CANCELLED);
    CHECK(attached_agent.report_of(2).outcome() == Report::OUTCOME_CANCELLED);
    CHECK(attached_agent.report_of(2).reason() == "cancelled before the task started");
}

TEST_CASE("a task that could not start in its time is not begun, not even by the next start") {
    attached_agent attached_agent({"--tasks-running-max", "1"});
    const auto mark = attached_agent.file("mark");
    attached_agent.cluster.say_task(1, "cmd.run", R"({"cmd": "sleep 300"})");
    attached_agent.until(
        "the first one runs", [&] { return attached_agent.cluster.saw().holds(1); });
    const auto say = [&](std::int64_t job, std::uint64_t within_ms) {
        agent_protocol::Task task;
        task.set_job(job);
        task.set_attempt(1);
        task.set_function("cmd.run");
        task.set_arguments(R"({"cmd": "touch )" + mark.string() + R"("})");
        task.set_start_within_ms(within_ms);
        attached_agent.cluster.say_task(task);
    };

    say(2, 200);
    CHECK(attached_agent.report_of(2).outcome() == Report::OUTCOME_NOT_STARTED);
    CHECK(
        attached_agent.report_of(2).reason()
        == "maintenance window closed before the task started");
    say(3, 1);
    CHECK(attached_agent.report_of(3).outcome() == Report::OUTCOME_NOT_STARTED);
    say(4, 2000);
    attached_agent.until("it is held", [&] { return attached_agent.cluster.saw().holds(4); });
    attached_agent.system->kill();
    const runtime::system_clock clock;
    const auto over = clock.now() + std::chrono::seconds(2);
    attached_agent.until("its time is over", [&] { return clock.now() >= over; });
    attached_agent.system->start();

    CHECK(attached_agent.report_of(4).outcome() == Report::OUTCOME_NOT_STARTED);
    CHECK(attached_agent.report_of(1).outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("an agent says how many tasks it runs at once, whenever it is taken in") {
    attached_agent attached_agent({"--tasks-running-max", "3"});
    const auto message = [&attached_agent](std::size_t times) {
        attached_agent.until("what it holds", [&] {
            return std::ranges::count_if(
                       attached_agent.cluster.saw().held,
                       [](const auto& each) { return each.all(); })
                   == static_cast<std::ptrdiff_t>(times);
        });
        return attached_agent.cluster.saw().held.back().running_max();
    };

    CHECK(message(1) == 3);
    attached_agent.system->kill();
    attached_agent.system->start();
    CHECK(message(2) == 3);
}

TEST_CASE("a machine without enough memory begins nothing, says why, and refuses in the end") {
    attached_agent attached_agent(
        {"--tasks-free-memory-min", "1TiB", "--tasks-queue-timeout", "2s"});
    const auto mark = attached_agent.file("mark");
    attached_agent.cluster.say_task(1, "cmd.run", R"({"cmd": "touch )" + mark.string() + R"("})");
    attached_agent.until(
        "it is held", [&attached_agent] { return attached_agent.cluster.saw().holds(1); });

    CHECK(
        attached_agent.cluster.saw().held.back().held(0).where().contains("tasks.free_memory_min"));
    CHECK(attached_agent.result_of(2, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    const auto refused = attached_agent.report_of(1);
    CHECK(refused.outcome() == Report::OUTCOME_REFUSED);
    CHECK(refused.reason().contains("tasks.free_memory_min"));
    CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("somebody who holds the pipe of an ended command does not hold its task") {
    attached_agent attached_agent;

    const auto report =
        attached_agent.result_of(1, "cmd.run", R"({"cmd": "setsid sleep 5 & echo done"})");

    CHECK(report.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(text_in(report, "stdout") == "done\n");
    CHECK(report.ended_us() - report.started_us() < 4'000'000);
}

TEST_CASE("a full disk refuses a task and runs nothing") {
    attached_agent attached_agent;
    const auto mark = attached_agent.file("mark");
    // From here on no file of the agent can grow.
    const auto size =
        std::filesystem::file_size(attached_agent.system->data() / "journal" / "journal");
    const rlimit none{.rlim_cur = size, .rlim_max = size};
    REQUIRE(::prlimit(attached_agent.system->pid(), RLIMIT_FSIZE, &none, nullptr) == 0);

    const auto report =
        attached_agent.result_of(1, "cmd.run", R"({"cmd": "touch )" + mark.string() + R"("})");

    CHECK(report.outcome() == Report::OUTCOME_REFUSED);
    CHECK(report.reason().starts_with("cannot write "));
    CHECK(attached_agent.system->running());
    CHECK(!std::filesystem::exists(mark));
}

}  // namespace
}  // namespace muster::agent_test
