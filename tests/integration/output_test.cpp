#include "tests/integration/three_server_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

// What a command writes is seen while it runs, on real servers with real agents.
namespace muster::integration {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

std::string trimmed(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

std::string url_of(const muster_server& of) {
    return "https://127.0.0.1:" + std::to_string(of.port());
}

// `muster job ID --follow SYSTEM`, beside the test.
class follower {
public:
    follower(const muster_server& request, const muster_server& login, const std::string& job)
        : running_(
              {.argv =
                   {"sh",
                    "-c",
                    R"(exec "$@" 2>"$0")",
                    home_.path() / "remarks",
                    MUSTER_PROGRAM,
                    "job",
                    job,
                    "--follow",
                    "web1",
                    "--server",
                    url_of(request),
                    "--ca",
                    login.data() / "ca.pem",
                    "--token-file",
                    login.token()},
               .environment = {},
               .output = home_.path() / "output",
               .user = {}}) {}

    std::string text() const { return text_of(home_.path() / "output"); }
    std::string remarks() const { return text_of(home_.path() / "remarks"); }
    void wait_for(const std::string& observed) const {
        harness::eventually(
            "the follower shows " + observed,
            [&] { return text().contains(observed) || remarks().contains(observed); },
            60s,
            home_.path() / "remarks");
    }
    int wait() {
        const auto code = running_.wait(60s);
        if (!code) throw std::runtime_error("the follower goes on: " + remarks());
        return *code;
    }
    harness::process& running() { return running_; }

private:
    harness::temporary_directory home_{"follower"};
    harness::process running_;
};

// web1, attached.
class one_agent {
public:
    one_agent(const muster_server& by, const std::string& servers) {
        const std::vector<std::string> argv{
            MUSTER_AGENT_PROGRAM,
            "run",
            "--server",
            servers,
            "--ca",
            by.data() / "ca.pem",
            "--data",
            home_.path() / "web1",
            "--name",
            "web1",
            "--poll-interval",
            "1s",
            "--retry-max",
            "1s"};
        running_ = std::make_unique<harness::process>(harness::command{
            .argv = argv, .environment = {}, .output = home_.path() / "log", .user = {}});
        wait_until_new(by, 1);
        REQUIRE(by.cli({"keys", "accept", "*", "--zone", "default", "--yes"}).exit_code == 0);
        wait_until_attached(by, 1);
    }

private:
    harness::temporary_directory home_{"output"};
    std::unique_ptr<harness::process> running_;
};

std::string run_async(const muster_server& by, const std::string& line) {
    const auto request = by.cli({"run", "web1", "--async", "--", line});
    REQUIRE_MESSAGE(request.exit_code == 0, request.output);
    return trimmed(request.output);
}

double metric(const muster_server& of, const std::string& name) {
    const auto text = of.health("/metrics").output;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

std::string node_of_web1(const muster_server& muster_server) {
    const auto output = json_of(muster_server.cli({"systems", "show", "web1", "-o", "json"}));
    const auto* const node = output.as_object().if_contains("node");
    return node != nullptr && node->is_string() ? json::value_to<std::string>(*node) : "";
}

std::string lines(int first, int last) {
    std::string all;
    for (int n = first; n <= last; ++n) all += "line " + std::to_string(n) + "\n";
    return all;
}

void follow_one_that_waits(const muster_server& server) {
    const auto job =
        trimmed(server.cli({"run", "web1", "--async", "--at", "+1h", "--", "true"}).output);
    follower watcher(server, server, job);
    watcher.wait_for("[queued]");
    CHECK(server.cli({"job", job, "cancel"}).exit_code == 0);
    CHECK(watcher.wait() == 5);
    CHECK(watcher.remarks().contains("cancelled"));
}

void follow_one_that_ended(const muster_server& server) {
    const auto job = run_async(server, "seq 1 20000; printf '\\303\\274\\n' >&2; exit 3");
    follower watcher(server, server, job);
    CHECK(watcher.wait() == 1);
    follower late(server, server, job);
    CHECK(late.wait() == 1);
    CHECK(late.text().starts_with("1\n2\n3\n"));
    CHECK(late.text().ends_with("\n19999\n20000\nü\n"));
    CHECK(late.remarks().contains("failed: exit code 3"));
}

void follow_and_signal(const muster_server& server) {
    const auto job = run_async(server, "printf '\\377\\n'; echo begun; sleep 300");
    follower watcher(server, server, job);
    watcher.wait_for("\xff\nbegun\n");
    CHECK(metric(server, "muster_output_watchers") == 1);
    watcher.running().send_signal(SIGINT);
    harness::eventually(
        "nobody watches", [&] { return metric(server, "muster_output_watchers") == 0; });

    const auto running =
        json::serialize(json_of(server.cli({"systems", "running", "web1", "-o", "json"})));
    CHECK_MESSAGE(running.contains(job), running);
    CHECK_MESSAGE(running.contains("cmd.run"), running);
    const auto sent = server.cli({"job", job, "signal", "--on", "web1", "--signal", "kill"});
    CHECK_MESSAGE(sent.exit_code == 0, sent.output);
    follower end(server, server, job);
    CHECK(end.wait() == 1);
    // As it was written, if the end is seen live, or as it is on record.
    const auto observed = end.text();
    CHECK((observed == "\xff\nbegun\n" || observed == "\xef\xbf\xbd\nbegun\n"));
    CHECK(end.remarks().contains("signal 9"));
    CHECK(server.cli({"job", job, "signal", "--on", "web1"}).exit_code == 2);
}

TEST_CASE(
    "a task is followed before it starts, while it runs and after its end; what runs is listed "
    "and signalled") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const one_agent web1(server, url_of(server));

    follow_one_that_waits(server);
    follow_one_that_ended(server);
    follow_and_signal(server);
}

// The server that holds web1, and two others.
struct roles_of_servers {
    muster_server& login;
    muster_server& holder;
    muster_server& other;
    muster_server& third;
    std::string node;
};

void two_see_every_line(const roles_of_servers& of) {
    const auto job =
        run_async(of.login, "n=1; while [ $n -le 6 ]; do echo line $n; n=$((n+1)); sleep 1; done");
    follower one(of.other, of.login, job);
    follower two(of.third, of.login, job);
    one.wait_for(lines(1, 3));
    two.wait_for(lines(1, 3));
    CHECK_FALSE(one.text().contains("line 6"));
    CHECK_FALSE(two.text().contains("line 6"));
    CHECK(metric(of.holder, "muster_output_watchers") == 2);
    CHECK(one.wait() == 0);
    CHECK(two.wait() == 0);
    CHECK(one.text() == lines(1, 6));
    CHECK(two.text() == lines(1, 6));
}

void one_that_reads_nothing(const roles_of_servers& of) {
    const auto job = run_async(
        of.login,
        "n=1; while [ $n -le 40 ]; do head -c 300000 /dev/zero | tr '\\0' x; echo; "
        "n=$((n+1)); sleep 0.1; done; echo the end; sleep 1");
    follower asleep(of.other, of.login, job);
    asleep.wait_for("xxx");
    asleep.running().send_signal(SIGSTOP);
    follower awake(of.other, of.login, job);
    awake.wait_for("the end");
    CHECK(awake.wait() == 0);
    asleep.running().kill();
}

void the_agent_moves(const roles_of_servers& of) {
    const auto job =
        run_async(of.login, "n=1; while [ $n -le 15 ]; do echo line $n; n=$((n+1)); sleep 1; done");
    follower watcher(of.other, of.login, job);
    watcher.wait_for(lines(1, 2));
    REQUIRE(of.login.cli({"nodes", "drain", of.node}).exit_code == 0);
    CHECK(watcher.wait() == 0);
    CHECK(watcher.text() == lines(1, 15));
    CHECK(node_of_web1(of.login) != of.node);
}

TEST_CASE(
    "output is seen on any server as it comes, whoever else reads or does not, and follows its "
    "agent to another node") {
    three_servers all;
    std::string servers;
    for (const auto& url : all.urls()) servers += (servers.empty() ? "" : ",") + url;
    const one_agent web1(all[0], servers);
    const auto node = node_of_web1(all[0]);
    const std::size_t holder = node == "muster-1" ? 0 : node == "muster-2" ? 1 : 2;
    const roles_of_servers of{
        .login = all[0],
        .holder = all[holder],
        .other = all[(holder + 1) % 3],
        .third = all[(holder + 2) % 3],
        .node = node};

    two_see_every_line(of);
    one_that_reads_nothing(of);
    the_agent_moves(of);
}

}  // namespace
}  // namespace muster::integration
