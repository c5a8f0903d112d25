#include "runtime/clock.h"
#include "tests/harness/free_port.h"
#include "tests/integration/three_server_fixture.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t agents = 30;

// deploy/haproxy/haproxy.cfg as it stands, with the ports of this test.
class proxy {
public:
    proxy(three_servers& behind, std::uint16_t entry, const std::vector<std::uint16_t>& nodes)
        : entry_(entry) {
        auto configuration = text_of(HAPROXY_CONFIGURATION);
        for (std::size_t n = 0; n < 3; ++n) {
            replace(configuration, ":" + std::to_string(8443 + n), behind[n].port());
            replace(configuration, ":" + std::to_string(9001 + n), nodes[n]);
        }
        replace(configuration, ":9443", entry);
        // Two descriptors a connection must fit into this machine's limit.
        const std::string_view many = "maxconn 20000";
        configuration.replace(configuration.find(many), many.size(), "maxconn 2000");
        std::ofstream(home_.path() / "haproxy.cfg") << configuration;
        running_ = std::make_unique<harness::process>(harness::command{
            .argv = {"haproxy", "-db", "-f", home_.path() / "haproxy.cfg"},
            .environment = {},
            .output = home_.path() / "log",
            .user = {}});
        harness::eventually(
            "HAProxy listens",
            [this] { return harness::listening(entry_); },
            10s,
            home_.path() / "log");
    }

    std::string url() const { return "https://127.0.0.1:" + std::to_string(entry_); }

private:
    static void replace(std::string& in, const std::string& text, std::uint16_t port) {
        const auto with = ":" + std::to_string(port);
        REQUIRE(in.find(text) != std::string::npos);
        for (auto at = in.find(text); at != std::string::npos; at = in.find(text, at + with.size()))
            in.replace(at, text.size(), with);
    }

    harness::temporary_directory home_{"haproxy"};
    std::uint16_t entry_;
    std::unique_ptr<harness::process> running_;
};

void onboard(const muster_server& by) {
    wait_until_new(by, agents);
    accept_all(by);
    wait_until_attached(by, agents);
}

// How many systems have completed a job.
std::int64_t completed(const muster_server& muster_server, const std::string& job) {
    const auto json = json_of(muster_server.cli({"job", job, "-o", "json"}));
    return json.at("counts").at("completed").to_number<std::int64_t>();
}

// Gives all systems something to remember; everything that is known of them by then.
std::map<std::string, std::string> remembered(const muster_server& by) {
    const auto request =
        by.cli({"run", "*", "--yes", "--async", "--function", "test.ping", "-o", "json"});
    REQUIRE(request.exit_code == 0);
    const std::string job(json_of(request).at("id").as_string());
    harness::eventually("all have run it", [&] { return completed(by, job) == agents; }, 60s);
    const auto channel = subscribe_all(by);
    std::map<std::string, std::string> existing;
    harness::eventually("all of it is known", [&] {
        existing = whole_records(by);
        return existing.size() == agents && std::ranges::all_of(existing, [&](const auto& each) {
                   return each.second.contains(job) && each.second.contains("\"shop\"")
                          && each.second.contains(" found by facts {\"os")
                          && each.second.contains(" with channels [\"" + channel + "\"]");
               });
    });
    return existing;
}

TEST_CASE("one server: agents knock, enrol, are accepted and attach; deleted ones stop for ever") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    swarm fleet(
        {.servers = {"https://127.0.0.1:" + std::to_string(server.port())},
         .ca = server.data() / "ca.pem",
         .count = agents});
    onboard(server);
    const auto before = records(server);
    CHECK(before.size() == agents);

    REQUIRE(server.cli({"keys", "delete", "name:swarm-7", "--yes"}).exit_code == 0);
    wait_until_attached(server, agents - 1);
    server.kill();
    server.start_and_wait_until_ready();
    wait_until_attached(server, agents - 1);

    auto after = records(server);
    CHECK(after.size() == agents - 1);
    for (const auto& [name, record] : after) CHECK(record == before.at(name));
    fleet.stop();
    CHECK(fleet.log().contains("agents deleted 1"));
}

TEST_CASE("three servers: a killed node's agents attach elsewhere, and no record changes") {
    three_servers all;
    REQUIRE(all[0].cli({"zones", "set", "default", "--disaster-timeout", "10s"}).exit_code == 0);
    const swarm fleet({.servers = all.urls(), .ca = all[0].data() / "ca.pem", .count = agents});
    onboard(all[0]);
    const auto before = remembered(all[0]);
    const auto placed = attached_by_node(all[0]);
    CHECK(placed.at("muster-3") > 0);

    all[2].kill();
    harness::eventually(
        "all are attached to the other two",
        [&] {
            const auto now = attached_by_node(all[0]);
            return now.at("muster-3") == 0 && now.at("muster-1") + now.at("muster-2") == agents;
        },
        120s);

    CHECK(whole_records(all[0]) == before);
    REQUIRE(all[1].login((all[0].data() / "first-password").string()).exit_code == 0);
    CHECK(whole_records(all[1]) == before);
    CHECK(all[0].cli({"nodes", "show", "muster-3"}).output.contains("faulty"));
}

bool stands_as(
    const muster_server& muster_server, const std::string& node, const std::string& state) {
    return json_of(muster_server.cli({"nodes", "show", node, "-o", "json"})).at("state").as_string()
           == state;
}

// The one server whose driver leads; none, or a second one for a moment: not decided.
std::optional<std::size_t> active_driver(three_servers& all) {
    std::optional<std::size_t> leads;
    for (std::size_t index = 0; index < 3; ++index) {
        if (!all[index].running()) continue;
        if (!all[index].health("/metrics").output.contains("\nmuster_driver_active 1")) continue;
        if (leads) return std::nullopt;
        leads = index;
    }
    return leads;
}

std::size_t wait_for_active_driver(three_servers& all) {
    std::optional<std::size_t> leads;
    harness::eventually(
        "a driver leads",
        [&] {
            leads = active_driver(all);
            return leads.has_value();
        },
        60s);
    return *leads;
}

std::string name_of(std::size_t index) {
    return "muster-" + std::to_string(index + 1);
}

// Whoever leads is killed, and then whoever has taken over: what is left places all systems.
TEST_CASE("three servers: when the active driver is killed another goes on placing systems") {
    three_servers all;
    REQUIRE(all[0].cli({"zones", "set", "default", "--disaster-timeout", "10s"}).exit_code == 0);
    const swarm fleet({.servers = all.urls(), .ca = all[0].data() / "ca.pem", .count = agents});
    onboard(all[0]);
    const auto before = records(all[0]);
    for (const std::size_t index : {1U, 2U})
        REQUIRE(all[index].login((all[0].data() / "first-password").string()).exit_code == 0);

    std::set<std::size_t> left{0, 1, 2};
    while (left.size() > 1) {
        const auto leads = wait_for_active_driver(all);
        REQUIRE(left.erase(leads) == 1);
        all[leads].kill();
        const auto next = wait_for_active_driver(all);
        CHECK(next != leads);
        const auto& request = all[*left.begin()];
        harness::eventually(
            "all are attached to those that are left",
            [&] {
                const auto now = attached_by_node(request);
                std::int64_t there = 0;
                for (const auto each : left) there += now.at(name_of(each));
                return now.at(name_of(leads)) == 0 && there == agents;
            },
            150s);
        CHECK(stands_as(request, name_of(leads), "faulty"));
    }

    CHECK(records(all[*left.begin()]) == before);
}

TEST_CASE("three servers: after a planned stop the same systems come back and nobody else moved") {
    three_servers all;
    const swarm fleet({.servers = all.urls(), .ca = all[0].data() / "ca.pem", .count = agents});
    onboard(all[0]);
    const auto existing = remembered(all[0]);
    const auto before = nodes_of_systems(all[0]);
    REQUIRE(before.size() == agents);

    CHECK(all[2].stop() == 0);
    std::map<std::string, std::string> others;
    for (const auto& [system, node] : before)
        if (node != "muster-3") others[system] = node;
    harness::eventually(
        "only those of the stopped node are away",
        [&] { return nodes_of_systems(all[0]) == others; },
        60s);
    all[2].start_and_wait_until_ready();
    wait_until_attached(all[0], agents);

    CHECK(nodes_of_systems(all[0]) == before);
    CHECK(whole_records(all[0]) == existing);
}

TEST_CASE("three servers: a node that is cut off from etcd fences itself: it starts nothing") {
    three_servers all;
    REQUIRE(all[0].cli({"zones", "set", "default", "--disaster-timeout", "10s"}).exit_code == 0);
    const swarm fleet({.servers = all.urls(), .ca = all[0].data() / "ca.pem", .count = agents});
    onboard(all[0]);
    const auto before = records(all[0]);
    const auto there = attached_by_node(all[0]).at("muster-3");
    REQUIRE(there > 0);

    all.etcd_link(2).stall();
    // Its peers still reach it over HTTPS, so nobody declares it faulty: it only must not act.
    all[2].wait_until_not_ready();
    harness::eventually(
        "it is fenced",
        [&] { return all[2].health("/metrics").output.contains("muster_agents_fenced 1"); },
        60s);
    const auto request =
        all[0].cli({"run", "*", "--yes", "--async", "--function", "test.ping", "-o", "json"});
    REQUIRE(request.exit_code == 0);
    const std::string job(json_of(request).at("id").as_string());
    harness::eventually(
        "the other two have done theirs",
        [&] { return completed(all[0], job) >= agents - there; },
        60s);
    CHECK(completed(all[0], job) == agents - there);
    harness::eventually("it is suspect", [&] { return stands_as(all[0], "muster-3", "suspect"); });
    const runtime::system_clock clock;
    const auto suspect_since = clock.now();
    harness::eventually(
        "the disaster timeout is long over",
        [&] { return clock.now() - suspect_since > 25s; },
        30s);
    CHECK(stands_as(all[0], "muster-3", "suspect"));

    all.etcd_link(2).heal();
    all[2].wait_until_ready();
    harness::eventually("all have", [&] { return completed(all[0], job) == agents; }, 60s);
    wait_until_attached(all[0], agents);

    CHECK(records(all[0]) == before);
}

TEST_CASE("three servers: a node that an admin gave up keeps nobody when its link is back") {
    three_servers all;
    const swarm fleet({.servers = all.urls(), .ca = all[0].data() / "ca.pem", .count = agents});
    onboard(all[0]);
    const auto before = records(all[0]);
    REQUIRE(attached_by_node(all[0]).at("muster-3") > 0);
    CHECK(all[0].cli({"nodes", "evict", "muster-3"}).output.contains("is serving"));
    all.etcd_link(2).stall();
    harness::eventually(
        "it is suspect", [&] { return stands_as(all[0], "muster-3", "suspect"); }, 60s);

    REQUIRE(all[0].cli({"nodes", "evict", "muster-3"}).exit_code == 0);

    CHECK(stands_as(all[0], "muster-3", "faulty"));
    all.etcd_link(2).heal();
    harness::eventually(
        "it is pooled", [&] { return stands_as(all[0], "muster-3", "pooled"); }, 60s);
    harness::eventually(
        "all are attached to the other two",
        [&] {
            const auto now = attached_by_node(all[0]);
            return now.at("muster-3") == 0 && now.at("muster-1") + now.at("muster-2") == agents;
        },
        120s);
    CHECK(records(all[0]) == before);
}

TEST_CASE("behind HAProxy, which passes TLS through, everything is as without it") {
    const std::vector<std::uint16_t> node_ports{
        harness::free_port(), harness::free_port(), harness::free_port()};
    const auto entry = harness::free_port();
    // The servers join one after the other and reach each other at their advertised addresses,
    // which are the proxy's.
    three_servers all(node_ports);
    const proxy front(all, entry, node_ports);
    const swarm fleet({.servers = {front.url()}, .ca = all[0].data() / "ca.pem", .count = agents});
    onboard(all[0]);
    const auto before = records(all[0]);

    all[0].kill();
    all[0].start_and_wait_until_ready();
    wait_until_attached(all[0], agents);

    CHECK(records(all[0]) == before);
}

}  // namespace
}  // namespace muster::integration
