#pragma once

// What systems and admins ask about systems, over TLS against the real parts on embedded engines.
#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "adapters/os/password.h"
#include "adapters/pki/agent_proof.h"
#include "core/placement/slot_table.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/fact_follower.h"
#include "roles/fleet/follower.h"
#include "roles/fleet/operations.h"
#include "roles/gateway/groups_api.h"
#include "roles/gateway/rest_door.h"
#include "roles/gateway/rules_api.h"
#include "roles/gateway/system_api.h"
#include "roles/gateway/systems_api.h"
#include "roles/gateway/tags_api.h"
#include "tests/gateway/staff.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/net/site.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace muster::gateway::test {

namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

struct agent {
    pki::private_key key = pki::private_key::make(pki::key_kind::ed25519).value();
    fingerprint print =
        fingerprint::parse(pki::pem_fingerprint(key.public_half().to_pem()).value().str()).value();
};

// The client and its connections end on the event loop that they were made on.
inline async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

// A server of one cluster with one node, and a door for agents and admins.
struct entry {
    harness::temporary_directory where{"entry"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    runtime::metrics counted;
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    cluster::engines engines{.metadata = *store, .records = *records, .doorbell = doorbell};
    cluster::topology_cell places;
    presence::presence seen;
    fleet::fleet known;
    fleet::search found{known};
    fleet::fact_follower facts{
        {.records = *records, .known = known, .fed = found, .time = time, .log = log}, {}};
    fleet::group_book groups{*records, time, log};
    fleet::follower follows{*records, known, time, log, {}};
    fleet::registrar keys{{.engines = engines, .known = known, .bell = bell, .time = time}};
    fleet::rule_book rules{*store, time, log};
    fleet::enroller door{keys, rules, {}};
    fleet::operations running{time};
    front_desk desk{time};
    staff people;
    std::optional<system_api> for_systems;
    systems_api for_admins{
        {.known = known,
         .keys = keys,
         .running = running,
         .seen = seen,
         .places = places,
         .time = time,
         .found = found,
         .groups = groups}};
    groups_api for_groups{groups, time};
    tags_api for_tags{found};
    registry operations{time, {}};
    rest_door rest{operations, desk};
    rules_api for_rules{rules, time};
    std::unique_ptr<http::server> listening;
    boost::asio::io_context control{1};
    boost::asio::cancellation_signal enough;
    std::thread controlling;
    std::string token;

    explicit entry(system_api::options how = {}) {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        for_systems.emplace(
            system_api::surroundings{
                .known = known, .door = door, .places = places, .time = time, .counted = counted},
            std::move(how));
        auto routes = std::make_shared<http::router>();
        REQUIRE(for_systems->add_routes(*routes).has_value());
        REQUIRE(for_admins.declare(operations).has_value());
        REQUIRE(for_rules.declare(operations).has_value());
        REQUIRE(for_groups.declare(operations).has_value());
        REQUIRE(for_tags.declare(operations).has_value());
        operations.relate();
        REQUIRE(rest.add_routes(*routes).has_value());
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.where = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .what = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .time = &time, .loops = 1})
                .value();
        boost::asio::co_spawn(
            control,
            running.run(),
            boost::asio::bind_cancellation_slot(enough.slot(), [](const std::exception_ptr&) {}));
        controlling = std::thread([this] { control.run(); });
    }
    entry(const entry&) = delete;
    entry& operator=(const entry&) = delete;
    ~entry() {
        boost::asio::post(
            control, [this] { enough.emit(boost::asio::cancellation_type::terminal); });
        controlling.join();
    }

    void read_fleet() { REQUIRE(answer_of(follows.catch_up()).has_value()); }

    // Zone `default` with one node that has every slot.
    void place_node(bool there = true) {
        auto now = std::make_shared<cluster::topology>();
        now->zones["default"] = {.name = "default"};
        now->nodes["n1"] = {
            .number = node_number(1),
            .name = "n1",
            .zone = "default",
            .state = membership::node_state::serving};
        now->node_names[node_number(1)] = "n1";
        if (there) now->servers["n1"] = {.name = "n1", .address = "n1.acme.org:8443"};
        std::vector<placement::move> all;
        for (std::size_t number = 0; number < slot::count; ++number)
            all.push_back({.what = slot(number), .from = {}, .to = node_number(1)});
        now->slots["default"] = std::make_shared<const placement::slot_table>(
            placement::slot_table().after(all).value());
        places.publish(std::move(now));
    }

    void log_in() {
        desk.open(people.open(
            {.engines = engines,
             .bell = bell,
             .topology = places,
             .people = people.known,
             .cluster = {}},
            time));
        token = people.token;
    }

    http::answer send(
        const std::string& method,
        const std::string& path,
        const std::string& body = "",
        const std::optional<pki::private_key>& as = std::nullopt) {
        http::outgoing what{
            .method = method,
            .url = "https://127.0.0.1:" + std::to_string(listening->port(0)) + path,
            .body = body};
        if (!as && !token.empty()) what.fields.emplace_back("Authorization", "Bearer " + token);
        const http::client::options through{
            .time = &time, .tls = http::test::client_tls(), .agent = as};
        return answer_of(fetch(through, std::move(what))).value();
    }
    std::string status(const agent& who) {
        return send("GET", "/system/status?fp=" + who.print.str()).body;
    }
    http::answer enrol(const agent& who, const std::string& name, const std::string& more = "") {
        return send("POST", "/system/enroll", R"({"name":")" + name + "\"" + more + "}", who.key);
    }
    http::answer place(const agent& who) {
        return send("GET", "/system/orphan?fp=" + who.print.str(), "", who.key);
    }
    json::object call(const std::string& method, const std::string& path, json::object body = {}) {
        const auto answered = send(method, path, body.empty() ? "" : json::serialize(body));
        INFO(answered.body);
        REQUIRE(answered.status < 300);
        return json::parse(answered.body).as_object();
    }
};

}  // namespace muster::gateway::test
