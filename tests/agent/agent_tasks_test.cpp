#include "runtime/clock.h"
#include "tests/agent/attached_agent.h"
#include "tests/harness/cut_link.h"

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

using behaviour = toy_cluster::behaviour;
using agent_protocol::Report;

boost::json::object payload_of(const Report& report) {
    return boost::json::parse(report.inline_payload()).as_object();
}

std::string text_in(const Report& report, const char* member) {
    return std::string(payload_of(report).at(member).as_string());
}

TEST_CASE("a ping is answered with true, and what is unknown is refused by its name") {
    attached_agent one;

    const auto pong = one.result_of(1, "test.ping", "{}");
    const auto unknown = one.result_of(2, "tset.ping", "{}");

    CHECK(pong.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(pong.inline_payload() == "true");
    CHECK(pong.digest().size() == 32);
    CHECK(unknown.outcome() == Report::OUTCOME_REFUSED);
    CHECK(unknown.reason() == "this agent has no function tset.ping");
}

TEST_CASE("a task that takes longer than the agreed silence to come over a slow link comes once") {
    toy_cluster cluster;
    harness::cut_link link(cluster.port());
    cluster.behave([&link](behaviour& how) {
        how.state = '2';
        how.place = "127.0.0.1:" + std::to_string(link.port());
        how.silence_ms = 600;
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
    attached_agent one;

    const auto line = one.result_of(1, "cmd.run", R"({"cmd": "echo out; echo err >&2; exit 3"})");
    const auto words = one.result_of(
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
    attached_agent one;
    auto refused = [&one, job = 0](const std::string& arguments) mutable {
        const auto report = one.result_of(++job, "cmd.run", arguments);
        CHECK(report.outcome() == Report::OUTCOME_REFUSED);
        return report.reason();
    };

    CHECK(refused(R"({"cmd": "true", "colour": 1})") == "colour: there is no such argument");
    CHECK(refused(R"({"cmd": 5})") == "cmd: a text is needed");
    CHECK(refused(R"({})") == "cmd: what is to be run is needed");
    CHECK(refused(R"([1])") == "the arguments are not a JSON object");
    CHECK(
        refused(R"({"cmd": "true", "user": "nosuchuser"})") == "user: there is no user nosuchuser");
    CHECK(refused(R"({"cmd": "true", "cwd": "/nowhere"})").starts_with("cwd: /nowhere: "));
    CHECK(refused(R"({"cmd": ["/bin/nothing"]})").starts_with("cannot run /bin/nothing: "));
    CHECK(refused(R"({"cmd": "true", "umask": "9"})").starts_with("umask: "));
}

TEST_CASE("a task that comes again is answered and not run again, also after a restart") {
    attached_agent one;
    const auto mark = one.file("mark");
    const auto arguments = R"({"cmd": "echo once >> )" + mark.string() + R"("})";

    const auto first = one.result_of(1, "cmd.run", arguments);
    one.cluster.say_task(1, "cmd.run", arguments);
    const auto again = one.report_of(1, 2);
    one.system->kill();
    one.system->start();
    one.until("a new channel", [&] { return one.cluster.saw().channels == 2; });
    one.cluster.say_task(1, "cmd.run", arguments);
    const auto restarted = one.report_of(1, 3);

    CHECK(first.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(again.ended_us() == first.ended_us());
    CHECK(restarted.ended_us() == first.ended_us());
    CHECK(text_of(mark) == "once\n");
}

TEST_CASE("kill -9 in the middle of a command: it is interrupted, said once more, not run again") {
    attached_agent one;
    const auto mark = one.file("mark");
    const auto arguments = R"({"cmd": "echo begun >> )" + mark.string() + R"(; exec sleep 300"})";
    one.cluster.say_task(1, "cmd.run", arguments);
    one.until("it runs", [&] { return text_of(mark) == "begun\n"; });
    one.until("it is held", [&] { return one.cluster.saw().holds(1); });

    one.system->kill();
    one.system->start();
    const auto report = one.report_of(1);
    one.cluster.say_task(1, "cmd.run", arguments);
    const auto again = one.report_of(1, 2);

    CHECK(report.outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK(again.outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK(text_of(mark) == "begun\n");
}

TEST_CASE("a task that may be run again is, after kill -9") {
    attached_agent one;
    const auto mark = one.file("mark");
    agent_protocol::Task task;
    task.set_job(1);
    task.set_attempt(1);
    task.set_function("cmd.run");
    task.set_may_run_again(true);
    // The second time the file is there.
    task.set_arguments(
        R"({"cmd": "test -e )" + mark.string() + R"( && exit 0; touch )" + mark.string()
        + R"(; exec sleep 300"})");
    one.cluster.say_task(task);
    one.until("it runs", [&] { return std::filesystem::exists(mark); });

    one.system->kill();
    one.system->start();

    CHECK(one.report_of(1).outcome() == Report::OUTCOME_SUCCEEDED);
}

TEST_CASE("a report that nobody took is said on the next channel, until it is taken") {
    attached_agent one;
    one.cluster.behave([](behaviour& how) { how.takes_reports = false; });
    const auto first = one.result_of(1, "cmd.run", R"({"cmd": "echo hello"})");

    one.system->kill();
    one.system->start();
    const auto second = one.report_of(1, 2);
    one.cluster.behave([](behaviour& how) { how.takes_reports = true; });
    one.system->kill();
    one.system->start();
    const auto third = one.report_of(1, 3);

    CHECK(second.inline_payload() == first.inline_payload());
    CHECK(third.ended_us() == first.ended_us());
    // Words keep their order: whoever answers this has heard that the report was taken.
    CHECK(one.result_of(3, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    one.system->kill();
    one.system->start();
    one.until("a new channel", [&] { return one.cluster.saw().channels == 4; });
    CHECK(one.result_of(2, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(one.cluster.saw().reports_of(1) == 3);
}

bool alive(const std::string& pid) {
    return !pid.empty() && ::kill(static_cast<pid_t>(std::stol(pid)), 0) == 0;
}

TEST_CASE("a timeout ends the whole process group") {
    attached_agent one;
    const auto pids = one.file("pids");
    agent_protocol::Task task;
    task.set_job(1);
    task.set_attempt(1);
    task.set_function("cmd.run");
    task.set_timeout_ms(2000);
    task.set_arguments(
        R"({"cmd": "echo said; sleep 300 & echo $! > )" + pids.string() + R"(; wait"})");

    one.cluster.say_task(task);
    const auto report = one.report_of(1);

    CHECK(report.outcome() == Report::OUTCOME_TIMED_OUT);
    CHECK(report.reason() == "ended after its time limit");
    CHECK(text_in(report, "stdout") == "said\n");
    one.until("the group's end", [&] { return !alive(text_of(pids)); });
}

TEST_CASE("a task can be cancelled while it runs and while it waits") {
    attached_agent one({"--tasks-running-max", "1"});
    one.cluster.say_task(1, "cmd.run", R"({"cmd": "sleep 300"})");
    one.cluster.say_task(2, "cmd.run", R"({"cmd": "sleep 300"})");
    one.until(
        "both are held", [&] { return one.cluster.saw().holds(1) && one.cluster.saw().holds(2); });

    for (const std::int64_t job : {2, 1}) {
        agent_protocol::Frame frame;
        frame.mutable_task_signal()->mutable_task()->set_job(job);
        frame.mutable_task_signal()->mutable_task()->set_attempt(1);
        frame.mutable_task_signal()->set_kind(agent_protocol::TaskSignal::KIND_CANCEL);
        one.cluster.say(frame);
    }

    CHECK(one.report_of(1).outcome() == Report::OUTCOME_CANCELLED);
    CHECK(one.report_of(2).outcome() == Report::OUTCOME_CANCELLED);
    CHECK(one.report_of(2).reason() == "cancelled before it was begun");
}

TEST_CASE("a task that could not start in its time is not begun, not even by the next start") {
    attached_agent one({"--tasks-running-max", "1"});
    const auto mark = one.file("mark");
    one.cluster.say_task(1, "cmd.run", R"({"cmd": "sleep 300"})");
    one.until("the first one runs", [&] { return one.cluster.saw().holds(1); });
    const auto say = [&](std::int64_t job, std::uint64_t within_ms) {
        agent_protocol::Task task;
        task.set_job(job);
        task.set_attempt(1);
        task.set_function("cmd.run");
        task.set_arguments(R"({"cmd": "touch )" + mark.string() + R"("})");
        task.set_start_within_ms(within_ms);
        one.cluster.say_task(task);
    };

    say(2, 200);
    CHECK(one.report_of(2).outcome() == Report::OUTCOME_NOT_STARTED);
    CHECK(one.report_of(2).reason() == "its window closed before it could start");
    say(3, 1);
    CHECK(one.report_of(3).outcome() == Report::OUTCOME_NOT_STARTED);
    say(4, 2000);
    one.until("it is held", [&] { return one.cluster.saw().holds(4); });
    one.system->kill();
    const runtime::system_clock time;
    const auto over = time.now() + std::chrono::seconds(2);
    one.until("its time is over", [&] { return time.now() >= over; });
    one.system->start();

    CHECK(one.report_of(4).outcome() == Report::OUTCOME_NOT_STARTED);
    CHECK(one.report_of(1).outcome() == Report::OUTCOME_INTERRUPTED);
    CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("an agent says how many tasks it runs at once, whenever it is taken in") {
    attached_agent one({"--tasks-running-max", "3"});
    const auto said = [&one](std::size_t times) {
        one.until("what it holds", [&] {
            return std::ranges::count_if(
                       one.cluster.saw().held, [](const auto& each) { return each.all(); })
                   == static_cast<std::ptrdiff_t>(times);
        });
        return one.cluster.saw().held.back().running_max();
    };

    CHECK(said(1) == 3);
    one.system->kill();
    one.system->start();
    CHECK(said(2) == 3);
}

TEST_CASE("a machine without enough memory begins nothing, says why, and refuses in the end") {
    attached_agent one({"--tasks-free-memory-min", "1TiB", "--tasks-wait-max", "2s"});
    const auto mark = one.file("mark");
    one.cluster.say_task(1, "cmd.run", R"({"cmd": "touch )" + mark.string() + R"("})");
    one.until("it is held", [&one] { return one.cluster.saw().holds(1); });

    CHECK(one.cluster.saw().held.back().held(0).where().contains("of free memory, less than"));
    CHECK(one.result_of(2, "test.ping", "{}").outcome() == Report::OUTCOME_SUCCEEDED);
    const auto refused = one.report_of(1);
    CHECK(refused.outcome() == Report::OUTCOME_REFUSED);
    CHECK(refused.reason().contains("of free memory, less than"));
    CHECK_FALSE(std::filesystem::exists(mark));
}

TEST_CASE("somebody who holds the pipe of an ended command does not hold its task") {
    attached_agent one;

    const auto report = one.result_of(1, "cmd.run", R"({"cmd": "setsid sleep 5 & echo done"})");

    CHECK(report.outcome() == Report::OUTCOME_SUCCEEDED);
    CHECK(text_in(report, "stdout") == "done\n");
    CHECK(report.ended_us() - report.started_us() < 4'000'000);
}

TEST_CASE("a full disk refuses a task and runs nothing") {
    attached_agent one;
    const auto mark = one.file("mark");
    // From here on no file of the agent can grow.
    const auto size = std::filesystem::file_size(one.system->data() / "journal" / "journal");
    const rlimit none{.rlim_cur = size, .rlim_max = size};
    REQUIRE(::prlimit(one.system->pid(), RLIMIT_FSIZE, &none, nullptr) == 0);

    const auto report = one.result_of(1, "cmd.run", R"({"cmd": "touch )" + mark.string() + R"("})");

    CHECK(report.outcome() == Report::OUTCOME_REFUSED);
    CHECK(report.reason().starts_with("cannot write "));
    CHECK(one.system->running());
    CHECK(!std::filesystem::exists(mark));
}

}  // namespace
}  // namespace muster::agent_test
