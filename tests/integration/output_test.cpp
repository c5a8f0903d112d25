#include "tests/integration/layout_cluster.h"

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

// `muster job ID --follow SYSTEM`, beside the test. What it writes to both outputs is one text.
class follower {
public:
    follower(const muster_server& asked, const muster_server& login, const std::string& job)
        : running_(
              {.argv =
                   {MUSTER_PROGRAM,
                    "job",
                    job,
                    "--follow",
                    "web1",
                    "--server",
                    url_of(asked),
                    "--ca",
                    login.data() / "ca.pem",
                    "--token-file",
                    login.token()},
               .environment = {},
               .output = home_.path() / "output",
               .user = {}}) {}

    std::string text() const { return text_of(home_.path() / "output"); }
    void wait_for(const std::string& seen) const {
        harness::eventually(
            "the follower shows " + seen, [&] { return text().contains(seen); }, 60s, log());
    }
    int wait() {
        const auto code = running_.wait(60s);
        if (!code) throw std::runtime_error("the follower goes on: " + text());
        return *code;
    }
    harness::process& running() { return running_; }

private:
    std::filesystem::path log() const { return home_.path() / "output"; }

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
            "--poll",
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
    const auto asked = by.cli({"run", "web1", "--async", "--", line});
    REQUIRE_MESSAGE(asked.exit_code == 0, asked.output);
    return trimmed(asked.output);
}

double metric(const muster_server& of, const std::string& name) {
    const auto text = of.health("/metrics").output;
    const auto at = text.find("\n" + name + " ");
    return at == std::string::npos ? -1 : std::stod(text.substr(at + name.size() + 2));
}

std::string node_of_web1(const muster_server& asked) {
    const auto shown = json_of(asked.cli({"systems", "show", "web1", "-o", "json"}));
    const auto* const node = shown.as_object().if_contains("node");
    return node != nullptr && node->is_string() ? json::value_to<std::string>(*node) : "";
}

std::string lines(int first, int last) {
    std::string all;
    for (int n = first; n <= last; ++n) all += "line " + std::to_string(n) + "\n";
    return all;
}

TEST_CASE("a task is followed before it starts, while it runs, and after it has ended") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    const one_agent web1(server, url_of(server));

    SUBCASE("one that waits is said to wait, and its end is told") {
        const auto job =
            trimmed(server.cli({"run", "web1", "--async", "--at", "+1h", "--", "true"}).output);
        follower watcher(server, server, job);
        watcher.wait_for("[queued]");
        CHECK(server.cli({"job", job, "cancel"}).exit_code == 0);
        CHECK(watcher.wait() == 5);
        CHECK(watcher.text().contains("cancelled"));
    }
    SUBCASE("one that ended is shown as it is on record, and its outcome is the exit code") {
        const auto job = run_async(server, "seq 1 20000; echo '\\303\\274' >&2; exit 3");
        follower watcher(server, server, job);
        CHECK(watcher.wait() == 1);
        follower late(server, server, job);
        CHECK(late.wait() == 1);
        CHECK(late.text().starts_with("1\n2\n3\n"));
        CHECK(late.text().contains("\n19999\n20000\n"));
        CHECK(late.text().contains("failed: exit code 3"));
    }
    SUBCASE("who goes away is watched for no more, and what runs is listed and signalled") {
        const auto job = run_async(server, "printf '\\377\\n'; echo begun; sleep 300");
        follower watcher(server, server, job);
        watcher.wait_for("\xff\nbegun\n");
        CHECK(metric(server, "muster_output_watchers") == 1);
        watcher.running().send_signal(SIGINT);
        harness::eventually(
            "nobody watches", [&] { return metric(server, "muster_output_watchers") == 0; });

        const auto running = json_of(server.cli({"systems", "running", "web1", "-o", "json"}));
        const auto text = json::serialize(running);
        CHECK_MESSAGE(text.contains(job), text);
        CHECK_MESSAGE(text.contains("cmd.run"), text);
        const auto sent = server.cli({"job", job, "signal", "--on", "web1", "--signal", "kill"});
        CHECK_MESSAGE(sent.exit_code == 0, sent.output);
        follower end(server, server, job);
        CHECK(end.wait() == 1);
        CHECK(end.text().contains("signal 9"));
        CHECK(server.cli({"job", job, "signal", "--on", "web1"}).exit_code == 2);
    }
}

TEST_CASE("output is seen on any server while it comes, and follows its agent to another node") {
    three_servers all;
    std::string servers;
    for (const auto& each : all.urls()) servers += (servers.empty() ? "" : ",") + each;
    const one_agent web1(all[0], servers);
    const auto node = node_of_web1(all[0]);
    const std::size_t holder = node == "muster-1" ? 0 : node == "muster-2" ? 1 : 2;
    auto& other = all[(holder + 1) % 3];
    auto& third = all[(holder + 2) % 3];

    SUBCASE("two watchers see every line as it is written, and the end") {
        const auto job = run_async(
            all[0], "n=1; while [ $n -le 8 ]; do echo line $n; n=$((n+1)); sleep 1; done");
        follower one(other, all[0], job);
        follower two(third, all[0], job);
        one.wait_for(lines(1, 3));
        two.wait_for(lines(1, 3));
        CHECK_FALSE(one.text().contains("line 8"));
        CHECK_FALSE(two.text().contains("line 8"));
        CHECK(metric(all[holder], "muster_output_watchers") == 2);
        CHECK(one.wait() == 0);
        CHECK(two.wait() == 0);
        CHECK(one.text().contains(lines(1, 8)));
        CHECK(two.text().contains(lines(1, 8)));
    }
    SUBCASE("one that reads nothing slows nobody") {
        const auto job = run_async(
            all[0],
            "n=1; while [ $n -le 60 ]; do head -c 300000 /dev/zero | tr '\\0' x; echo; "
            "n=$((n+1)); sleep 0.1; done; echo the end; sleep 1");
        follower asleep(other, all[0], job);
        asleep.wait_for("xxx");
        asleep.running().send_signal(SIGSTOP);
        follower awake(other, all[0], job);
        awake.wait_for("the end");
        CHECK(awake.wait() == 0);
        asleep.running().kill();
    }
    SUBCASE("the agent moves while its task runs") {
        const auto job = run_async(
            all[0], "n=1; while [ $n -le 20 ]; do echo line $n; n=$((n+1)); sleep 1; done");
        follower watcher(other, all[0], job);
        watcher.wait_for(lines(1, 2));
        REQUIRE(all[0].cli({"nodes", "drain", node}).exit_code == 0);
        CHECK(watcher.wait() == 0);
        CHECK_MESSAGE(watcher.text().contains(lines(1, 20)), watcher.text());
        CHECK(node_of_web1(all[0]) != node);
    }
}

}  // namespace
}  // namespace muster::integration
