// Third parties follow what happens on real servers with real engines, which are killed meanwhile.

#include "adapters/net/http/server.h"
#include "runtime/clock.h"
#include "tests/integration/three_server_fixture.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

constexpr std::int64_t agents = 20;

std::string text(const json::object& of, const char* name) {
    const auto* const found = of.if_contains(name);
    return found == nullptr ? std::string() : json::value_to<std::string>(*found);
}

// What was told to one listener, in its order. An event that is told again counts once.
struct heard {
    std::vector<json::object> all;
    std::set<std::string> ids;

    void take(const json::object& event) {
        if (ids.insert(text(event, "id")).second) all.push_back(event);
    }
    std::size_t count(const std::string& kind, const std::string& job) const {
        return static_cast<std::size_t>(std::ranges::count_if(all, [&](const auto& each) {
            return text(each, "kind") == kind && text(each, "job") == job;
        }));
    }
    // Nothing of a job comes after its end.
    void check_order() const {
        std::set<std::string> ended;
        for (const auto& each : all) {
            const auto job = text(each, "job");
            const auto kind = text(each, "kind");
            if (kind == "return") CHECK_FALSE(ended.contains(job));
            if (kind == "job.done") ended.insert(job);
        }
    }
};

// A consumer that keeps nothing but its cursor, and asks whichever server it is told to.
class consumer {
public:
    void read(const muster_server& from) {
        const auto answer = from.cli(
            {"events", "--since", cursor_.empty() ? "0.0" : cursor_, "--kind", "*", "-o", "json"});
        REQUIRE_MESSAGE(answer.exit_code == 0, answer.output);
        std::istringstream lines(answer.output);
        for (std::string line; std::getline(lines, line);) {
            const std::string next = "next: --since ";
            if (line.starts_with(next)) cursor_ = line.substr(next.size());
            if (line.starts_with('{')) told_.take(json::parse(line).as_object());
        }
    }
    const heard& told() const { return told_; }

private:
    std::string cursor_;
    heard told_;
};

// Somebody else's program behind a webhook.
class receiver {
public:
    receiver() {
        auto routes = std::make_shared<http::router>();
        const http::handler handle = [this](http::request request) {
            return take(std::move(request));
        };
        REQUIRE(routes->add("POST", "/", {handle}));
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.address = {.host = "127.0.0.1", .port = 0},
             .tls = nullptr,
             .service = {.routes = std::move(routes)}});
        running_ =
            http::server::start({.listeners = std::move(listeners), .clock = &clock_, .loops = 1})
                .value();
    }
    std::string url() const {
        return "http://127.0.0.1:" + std::to_string(running_->port(0)) + "/";
    }
    heard told() const {
        const std::lock_guard lock(mutex_);
        return told_;
    }

    std::atomic<bool> well = false;
    std::atomic<int> refused = 0;

private:
    async<http::response> take(http::request request) {
        CO_TRY(const auto body, co_await request.body());
        if (!well) {
            ++refused;
            co_return http::text(503, "not now");
        }
        const auto parcel = json::parse(body);
        const std::lock_guard lock(mutex_);
        for (const auto& each : parcel.at("events").as_array()) told_.take(each.as_object());
        co_return http::text(204, "");
    }

    runtime::system_clock clock_;
    mutable std::mutex mutex_;
    heard told_;
    std::unique_ptr<http::server> running_;
};

struct followed_cluster {
    three_servers servers{{}, {"--webhooks-plain-http", "true"}};
    std::unique_ptr<swarm> fleet;
    receiver hook;
    consumer reads;
    std::vector<std::string> jobs;

    followed_cluster() {
        const auto password = (servers[0].data() / "first-password").string();
        REQUIRE(servers[1].login(password).exit_code == 0);
        const auto added = servers[1].cli(
            {"webhooks", "add", "receiver", hook.url(), "--kind", "*", "--since", "0.0"});
        REQUIRE_MESSAGE(added.exit_code == 0, added.output);
        fleet = std::make_unique<swarm>(swarm::options{
            .servers = servers.urls(), .ca = servers[0].data() / "ca.pem", .count = agents});
        wait_until_new(servers[1], agents);
        accept_all(servers[1]);
        wait_until_attached(servers[1], agents);
    }

    void run_job(const muster_server& at) {
        const auto result =
            at.cli({"run", "name:swarm-*", "--yes", "--async", "--function", "test.ping"});
        REQUIRE_MESSAGE(result.exit_code == 0, result.output);
        jobs.push_back(result.output.substr(0, result.output.find('\n')));
    }
    bool all_done(const heard& response) const {
        return std::ranges::all_of(
            jobs, [&](const auto& job) { return response.count("job.done", job) == 1; });
    }
    void check(const heard& response) const {
        for (const auto& job : jobs) {
            CAPTURE(job);
            CHECK(response.count("job.made", job) == 1);
            CHECK(response.count("job.done", job) == 1);
            CHECK(response.count("return", job) == static_cast<std::size_t>(agents));
        }
        response.check_order();
        CHECK(std::ranges::any_of(response.all, [](const auto& each) {
            return text(each, "kind") == "system.accepted";
        }));
        CHECK(std::ranges::any_of(response.all, [](const auto& each) {
            return text(each, "kind") == "node.serving" && text(each, "node") == "muster-3";
        }));
    }
};

TEST_CASE(
    "a consumer by cursor and a webhook miss nothing though their server is killed, and the "
    "receiver refused until then") {
    followed_cluster on;
    on.run_job(on.servers[0]);
    on.reads.read(on.servers[0]);
    on.run_job(on.servers[0]);
    on.servers[0].kill();

    on.run_job(on.servers[1]);
    on.reads.read(on.servers[1]);
    on.servers[0].start_and_wait_until_ready();
    on.run_job(on.servers[0]);
    harness::eventually(
        "the consumer has seen every job's end",
        [&] {
            on.reads.read(on.servers[0]);
            return on.all_done(on.reads.told());
        },
        120s);
    on.check(on.reads.told());

    harness::eventually("the receiver refused", [&] { return on.hook.refused > 0; }, 60s);
    CHECK(on.servers[1].cli({"webhooks", "-o", "json"}).output.contains("HTTP status 503"));
    on.hook.well = true;
    harness::eventually(
        "the receiver has seen every job's end", [&] { return on.all_done(on.hook.told()); }, 120s);
    on.check(on.hook.told());
    harness::eventually(
        "the webhook is well",
        [&] {
            return on.servers[1]
                .cli({"webhooks", "-o", "json"})
                .output.contains(R"("state":"delivering")");
        },
        30s);
}

}  // namespace
}  // namespace muster::integration
