// What systems and admins ask about systems, over TLS against the real parts on embedded engines.

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "adapters/os/password.h"
#include "adapters/pki/agent_proof.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/fact_follower.h"
#include "roles/fleet/follower.h"
#include "roles/fleet/operations.h"
#include "roles/gateway/groups_api.h"
#include "roles/gateway/rules_api.h"
#include "roles/gateway/system_api.h"
#include "roles/gateway/systems_api.h"
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

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;
using namespace std::chrono_literals;

struct agent {
    pki::private_key key = pki::private_key::make(pki::key_kind::ed25519).value();
    fingerprint print =
        fingerprint::parse(pki::pem_fingerprint(key.public_half().to_pem()).value().str()).value();
};

// The client and its connections end on the event loop that they were made on.
async<http::answer> fetch(http::client::options how, http::outgoing what) {
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
    std::optional<system_api> for_systems;
    systems_api for_admins{
        {.desk = desk,
         .known = known,
         .keys = keys,
         .running = running,
         .seen = seen,
         .places = places,
         .time = time,
         .found = found,
         .groups = groups}};
    groups_api for_groups{desk, groups, time};
    rules_api for_rules{desk, rules, places, time};
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
        REQUIRE(for_admins.add_routes(*routes).has_value());
        REQUIRE(for_rules.add_routes(*routes).has_value());
        REQUIRE(for_groups.add_routes(*routes).has_value());
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
        const cluster::user_record admin{
            .name = "admin", .password_hash = os::hash_password("correct horse").value()};
        kv::transaction add;
        add.then.push_back(kv::put{.key = cluster::keys::user("admin"), .value = encode(admin)});
        REQUIRE(answer_of(store->commit(add)).value().committed);
        auto opened = std::make_shared<office>(
            office::surroundings{
                .engines = engines, .bell = bell, .topology = places, .cluster = {}},
            time,
            accounts::options());
        desk.open(opened);
        token =
            answer_of(opened->people.login({"admin", "correct horse", "192.0.2.7"})).value().token;
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

TEST_CASE("a system knocks, enrols, is accepted and is sent to its node") {
    entry cluster;
    cluster.read_fleet();
    cluster.place_node();
    cluster.log_in();
    const agent web1;

    CHECK(cluster.status(web1) == "0");
    CHECK(cluster.place(web1).status == 403);
    CHECK(cluster.enrol(web1, "web1", R"(,"facts":{"os.name":"Debian"})").body == "0");
    CHECK(cluster.place(web1).status == 403);
    const auto listed = cluster.call("GET", "/api/v1/keys?state=pooled&q=web*");
    REQUIRE(listed.at("items").as_array().size() == 1);
    CHECK(listed.at("items").at(0).at("fingerprint").as_string() == json::string(web1.print.str()));

    const auto done = cluster.call(
        "POST",
        "/api/v1/keys/accept",
        {{"query", "name:web*"}, {"zone", "default"}, {"tags", json::array{"db"}}});
    CHECK(done.at("changed").to_number<int>() == 1);
    CHECK(done.at("state").as_string() == "done");
    CHECK(cluster.status(web1) == "2");
    const auto placed = cluster.place(web1);
    CHECK(placed.status == 200);
    CHECK(placed.body == "n1.acme.org:8443");
    const auto system = cluster.call("GET", "/api/v1/systems/web1");
    CHECK(system.at("state").as_string() == "orphan");
    CHECK(system.at("tags") == json::array{"db"});

    const auto path = "/api/v1/keys/" + web1.print.str();
    CHECK(cluster.call("DELETE", path).at("changed").to_number<int>() == 1);
    CHECK(cluster.status(web1) == "3");
    CHECK(cluster.place(web1).status == 410);
    CHECK(cluster.enrol(web1, "web1").body == "3");
}

TEST_CASE("systems are found, counted and listed in pages by an expression that may name groups") {
    entry cluster;
    cluster.read_fleet();
    cluster.place_node();
    cluster.log_in();
    for (const char* const name : {"web1", "web2", "db1"}) cluster.enrol(agent(), name);
    cluster.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    cluster.call("POST", "/api/v1/groups", {{"name", "pair"}, {"members", {"web1", "db1"}}});
    CHECK(cluster.call("GET", "/api/v1/systems/count?q=web*").at("count").to_number<int>() == 2);
    const auto counted = cluster.call("GET", "/api/v1/systems/count?q=L@web1,web9");
    CHECK(counted.at("missing") == json::array{"web9"});
    const auto first = cluster.call("GET", "/api/v1/systems?q=N@pair&limit=1");
    CHECK(first.at("total").to_number<int>() == 2);
    const std::string next(first.at("next").as_string());
    const auto second = cluster.call("GET", "/api/v1/systems?q=N@pair&limit=1&after=" + next);
    CHECK(second.at("items").as_array().size() == 1);
    CHECK(second.at("next").is_null());
    CHECK(second.at("items").at(0).at("name") != first.at("items").at(0).at("name"));
    const auto wrong = cluster.send("GET", "/api/v1/systems?q=web1%20and");
    CHECK(wrong.status == 400);
    CHECK(wrong.body.contains("at 9"));
    CHECK(cluster.send("PUT", "/api/v1/groups/pair", R"({"expression":"N@pair"})").status == 400);
    CHECK(cluster.call("DELETE", "/api/v1/groups/pair").at("removed").as_string() == "pair");
    CHECK(cluster.call("GET", "/api/v1/groups").at("items").as_array().empty());
}

TEST_CASE("nobody is believed without a proof that holds on this connection") {
    entry cluster;
    cluster.read_fleet();
    cluster.place_node();
    const agent web1;
    const agent mallory;
    REQUIRE(cluster.enrol(web1, "web1").body == "0");

    CHECK(cluster.send("POST", "/system/enroll", R"({"name":"x"})").status == 403);
    const auto forged =
        cluster.send("GET", "/system/orphan?fp=" + web1.print.str(), "", mallory.key);
    CHECK(forged.status == 403);
    // A proof that was made on another connection.
    const auto replayed = pki::make_agent_authorization(web1.key, pki::channel_binding{}).value();
    http::outgoing what{
        .method = "POST",
        .url = "https://127.0.0.1:" + std::to_string(cluster.listening->port(0)) + "/system/enroll",
        .fields = {{"Authorization", replayed}},
        .body = R"({"name":"web1"})"};
    const http::client::options through{.time = &cluster.time, .tls = http::test::client_tls()};
    CHECK(answer_of(fetch(through, std::move(what))).value().status == 403);
}

TEST_CASE("bad questions are refused with what is wrong") {
    entry cluster;
    cluster.read_fleet();
    const agent web1;

    CHECK(cluster.send("GET", "/system/status").status == 400);
    CHECK(cluster.send("GET", "/system/status?fp=zz").status == 400);
    CHECK(cluster.enrol(web1, "two words").body.contains("`name`"));
    CHECK(cluster.enrol(web1, "web1", R"(,"facts":[1])").body.contains("`facts`"));
    CHECK(cluster.send("POST", "/system/enroll", "{", web1.key).status == 400);
    CHECK(cluster.send("GET", "/api/v1/keys").status == 503);  // the office is closed
    cluster.log_in();
    CHECK(cluster.send("GET", "/api/v1/keys?q=tga:x").body.contains("at 1: there is no field"));
    CHECK(cluster.send("POST", "/api/v1/keys/accept", "{}").body.contains("`query`"));
    CHECK(cluster.send("GET", "/api/v1/systems/nobody").status == 404);
    cluster.token = "nobody's";
    CHECK(cluster.send("GET", "/api/v1/keys").status == 401);
}

TEST_CASE("while the fleet is being read an unknown system is told to wait, not that it is new") {
    entry cluster;
    const agent web1;

    const auto early = cluster.send("GET", "/system/status?fp=" + web1.print.str());

    CHECK(early.status == 503);
    CHECK(early.field("retry-after").has_value());
    CHECK(cluster.enrol(web1, "web1").status == 503);
}

TEST_CASE("who asks too often and who has no place yet is told when to come again") {
    system_api::options how;
    how.status.each = {.interval = 1h, .burst = 2};
    entry cluster(how);
    cluster.read_fleet();
    cluster.place_node(false);
    cluster.log_in();
    const agent web1;
    cluster.status(web1);
    cluster.status(web1);

    const auto limited = cluster.send("GET", "/system/status?fp=" + web1.print.str());
    CHECK(limited.status == 429);
    CHECK(limited.field("retry-after").has_value());
    REQUIRE(cluster.enrol(web1, "web1").body == "0");
    cluster.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto homeless = cluster.place(web1);
    CHECK(homeless.status == 204);
    CHECK(homeless.field("retry-after").has_value());
    CHECK(cluster.counted.text().contains("muster_system_requests_total"));
}

TEST_CASE("rules and tokens take systems in, and their secrets are told once") {
    entry cluster;
    cluster.read_fleet();
    cluster.place_node();
    cluster.log_in();
    const agent shop;
    const agent lab;
    const auto rule = cluster.call(
        "POST",
        "/api/v1/accept-rules",
        {{"name", "shop"}, {"names", json::array{"pos-*"}}, {"activation_key", "s3cret"}});
    CHECK_FALSE(json::serialize(rule).contains("s3cret"));
    const auto token =
        cluster.call("POST", "/api/v1/enrolment-tokens", {{"tags", json::array{"t"}}});

    CHECK(cluster.enrol(shop, "pos-1", R"(,"activation_key":"wrong")").body == "0");
    CHECK(cluster.enrol(shop, "pos-1", R"(,"activation_key":"s3cret")").body == "2");
    const auto shown = json::value_to<std::string>(token.at("token"));
    CHECK(cluster.enrol(lab, "lab1", ",\"token\":\"" + shown + "\"").body == "2");
    CHECK(cluster.known.find(lab.print)->tags == std::vector<std::string>{"t"});
    CHECK(cluster.call("DELETE", "/api/v1/accept-rules/shop").contains("removed"));
    CHECK(cluster.call("GET", "/api/v1/accept-rules").at("items").as_array().empty());
}

TEST_CASE("systems are moved, labelled and unregistered by query, and every change is audited") {
    entry cluster;
    cluster.read_fleet();
    cluster.place_node();
    cluster.log_in();
    const agent web1;
    REQUIRE(cluster.enrol(web1, "web1").body == "0");
    cluster.call("POST", "/api/v1/keys/accept", {{"query", "*"}});
    const auto before = cluster.known.find(web1.print).value();

    cluster.call("POST", "/api/v1/systems/label", {{"query", "web1"}, {"tags", json::array{"a"}}});
    cluster.call("POST", "/api/v1/systems/1/unregister");
    CHECK(cluster.send("POST", "/api/v1/systems/1/move", R"({"zone":"none"})").status == 400);

    const auto after = cluster.known.find(web1.print).value();
    CHECK(after.tags == std::vector<std::string>{"a"});
    CHECK(after.unregistered == before.unregistered + 1);
    CHECK(after.number == before.number);
    const auto trail = answer_of(cluster.records->read({.table = "audit"})).value();
    std::vector<std::string> deeds;
    for (const auto& each : trail.rows) deeds.push_back(std::get<std::string>(each.at(3)));
    CHECK(std::ranges::count(deeds, "key.accept") >= 1);
    CHECK(std::ranges::count(deeds, "key.label") >= 1);
    CHECK(std::ranges::count(deeds, "system.unregister") == 1);
}

}  // namespace
}  // namespace muster::gateway
