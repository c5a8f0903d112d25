#pragma once

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "adapters/os/password.h"
#include "adapters/pki/fingerprint.h"
#include "base/hex.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/search.h"
#include "roles/gateway/jobs_api.h"
#include "roles/gateway/rest_door.h"
#include "roles/gateway/returns_api.h"
#include "tests/gateway/staff.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/net/site.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::gateway::test {

namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

inline async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

// A gateway with web1, web2 and db3, of which the first two are attached, and an admin.
struct jobs_site {
    harness::temporary_directory where{"jobs-api"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    cluster::topology_cell places;
    presence::presence seen;
    fleet::fleet known;
    fleet::search search{known};
    front_desk desk{time};
    staff people;
    jobs::job_ledger ledgered{*records, time};
    jobs::task_board board{ledgered, log, {}};
    job_targets targets{{.known = known, .seen = seen, .resolve = [this](const std::string& query) {
                             return resolve(query);
                         }}};
    job_reader reader{ledgered, board, time};
    bool emergencies = true;
    jobs::job_desk makes{
        {.records = ledgered,
         .board = board,
         .store = *store,
         .attached = [this](const fleet::system_set& among) { return targets.attached(among); },
         .allowed = [this](const job_spec& spec) -> result<void> {
             if (spec.windows != job_spec::window_rule::override || emergencies) return {};
             return fail(errc::denied, "forbidden by policy");
         }},
        {}};
    jobs_api jobs_part{{.makes = makes, .reads = reader, .targets = targets, .time = time}};
    returns_api returns_part{{.reads = reader, .targets = targets, .places = places, .time = time}};
    registry operations{time, {}};
    rest_door rest{operations, desk};
    std::unique_ptr<http::server> listening;
    std::string token;

    jobs_site() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
        add_systems();
        listen();
        log_in();
    }

    result<fleet::system_set> resolve(const std::string& query) const {
        TRY(const auto parsed, targeting::query::parse(query));
        return search.resolve(parsed, {});
    }

    void add_systems() {
        std::vector<system_record> all;
        presence::report there{
            .node = node_number(1), .zone = "default", .start = 1, .sequence = 1};
        there.at = presence::seconds_of(time.wall());
        for (const int number : {1, 2, 3}) {
            fingerprint::bytes_type bytes{};
            bytes.front() = static_cast<unsigned char>(number);
            system_record made{.print = fingerprint(bytes)};
            made.name = (number == 3 ? "db" : "web") + std::to_string(number);
            made.number = system_number(number);
            made.stage = enrolment::accepted;
            made.zone = "default";
            made.version = 1;
            all.push_back(std::move(made));
            if (number != 3)
                there.arrivals.push_back({.system = system_number(number), .since = there.at});
        }
        known.begin_reading();
        known.apply(all);
        known.end_reading();
        REQUIRE(seen.apply(there, time.now()));
    }

    void listen() {
        auto routes = std::make_shared<http::router>();
        REQUIRE(jobs_part.declare(operations));
        REQUIRE(returns_part.declare(operations));
        REQUIRE(rest.add_routes(*routes));
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.where = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .what = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .time = &time, .loops = 1})
                .value();
    }

    void log_in() {
        desk.open(people.open(
            {.engines = {.metadata = *store, .records = *records, .doorbell = doorbell},
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
        const json::object& body = {},
        const std::string& key = "") {
        http::outgoing what{
            .method = method,
            .url = "https://127.0.0.1:" + std::to_string(listening->port(0)) + path,
            .body = body.empty() ? "" : json::serialize(body)};
        what.fields.emplace_back("Authorization", "Bearer " + token);
        if (!key.empty()) what.fields.emplace_back("Idempotency-Key", key);
        const http::client::options through{.time = &time, .tls = http::test::client_tls()};
        return answer_of(fetch(through, std::move(what))).value();
    }
    json::object call(const std::string& method, const std::string& path, json::object body = {}) {
        const auto answered = send(method, path, body);
        INFO(answered.body);
        REQUIRE(answered.status < 300);
        return json::parse(answered.body).as_object();
    }

    std::string make(json::object more = {}) {
        more["query"] = "*";
        more["function"] = "test.ping";
        return json::value_to<std::string>(call("POST", "/api/v1/jobs", more).at("id"));
    }
    task_record row(const std::string& job, std::int64_t system, task_state state) const {
        task_record task;
        task.job = parse_job_id(job).value();
        task.system = system;
        task.state = state;
        task.picked_up = time.wall();
        if (is_end(state)) task.ended = time.wall();
        task.node = "n1";
        return task;
    }
    // As a node does.
    void record(const task_record& task, std::vector<table::write> more = {}) {
        table::batch one;
        one.writes = std::move(more);
        one.writes.push_back(
            {.table = std::string(cluster::tasks_table),
             .rows = {jobs::encode_task(task)},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(answer_of(records->write(std::move(one))).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
    }
};

inline std::int64_t number_at(const json::object& of, const char* name) {
    return of.at(name).to_number<std::int64_t>();
}

}  // namespace muster::gateway::test
