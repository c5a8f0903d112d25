#pragma once

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "adapters/os/file.h"
#include "adapters/os/password.h"
#include "adapters/os/zone_files.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/search.h"
#include "roles/gateway/rest_door.h"
#include "roles/gateway/schedules_api.h"
#include "roles/gateway/windows_api.h"
#include "tests/gateway/staff.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/net/site.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::gateway::test {

namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

inline constexpr auto nights =
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Core\r\n"
    "DTSTART;TZID=Europe/Berlin:20201116T220000\r\nDURATION:PT4H\r\nRRULE:FREQ=DAILY\r\n"
    "END:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Always\r\nDTSTART;VALUE=DATE:20200101\r\n"
    "RRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

inline async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

inline async<http::response> serve_nights(http::request /*asked*/) {
    co_return http::response{.status = 200, .body = nights};
}

// A server with three systems, and an admin who is logged in.
struct windows_site {
    harness::temporary_directory where{"windows-api"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<sqlite_metastore> store =
        sqlite_metastore::open(where.path() / "metastore.db", {}).value();
    std::unique_ptr<ledger> records =
        ledger_sqlite::open({.file = where.path() / "ledger.db"}).value();
    memory_bus doorbell{time};
    cluster::announcer bell{doorbell, log};
    cluster::topology_cell places;
    fleet::fleet known;
    fleet::search search{known};
    os::zone_files zones;
    windows::window_book book{
        {.records = *records,
         .time = time,
         .zones = [this](std::string_view name) { return zones.find(name); },
         .log = log}};
    front_desk desk{time};
    staff people;
    std::vector<windows::planned_start> plans;
    std::vector<windows::replanned> replanned;
    std::string failing;  // why nothing that is planned can be changed; empty: it can
    windows_api windows_part{
        {.book = book,
         .known = known,
         .resolve = [this](const std::string& query) { return resolve(query); },
         .time = time,
         .planned = {
             .planned = [this](const std::string&) { return plans; },
             .carry_out = [this](
                              replanned_schedules by, std::string) { return note(std::move(by)); },
             .cancel =
                 [this](fleet::system_set, std::string) {
                     return take_back();
                 }},
         .authorities = where.path() / "authorities.pem"}};
    schedules_api schedules_part{book, time};
    registry operations{time, {}};
    rest_door rest{operations, desk};
    std::unique_ptr<http::server> listening;
    std::string token;

    result<fleet::system_set> resolve(const std::string& query) const {
        TRY(const auto parsed, targeting::query::parse(query));
        return search.resolve(parsed, {});
    }

    async<std::vector<replaced_job>> note(replanned_schedules by) {
        for (const auto& [schedule, some] : by)
            replanned.insert(replanned.end(), some.begin(), some.end());
        if (!failing.empty())
            co_return std::vector{replaced_job{.job = "job-7", .failed = failing}};
        co_return std::vector{replaced_job{.job = "job-7", .by = {"job-8"}}};
    }
    async<std::vector<replaced_job>> take_back() {
        if (!failing.empty()) co_return fail(errc::unavailable, failing);
        co_return std::vector<replaced_job>();
    }

    // The audit trail's lines about this deed, all their texts in one.
    std::vector<std::string> deeds(const std::string& what) {
        std::vector<std::string> told;
        for (const auto& row : answer_of(records->read({.table = "audit"})).value().rows) {
            std::string all;
            for (const auto& cell : row)
                if (const auto* const text = std::get_if<std::string>(&cell)) all += *text + " ";
            if (all.contains(what)) told.push_back(std::move(all));
        }
        return told;
    }

    windows_site() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        REQUIRE(answer_of(book.catch_up()).has_value());
        add_systems();
        listen();
        log_in();
    }

    void add_systems() {
        std::vector<system_record> all;
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
        }
        known.begin_reading();
        known.apply(all);
        known.end_reading();
    }

    void listen() {
        REQUIRE(os::save_file(
            {.file = where.path() / "authorities.pem",
             .text = http::test::cluster_ca().certificate().to_pem()}));
        auto routes = std::make_shared<http::router>();
        REQUIRE(windows_part.declare(operations));
        REQUIRE(schedules_part.declare(operations));
        REQUIRE(rest.add_routes(*routes));
        REQUIRE(routes->add("GET", "/nights.ics", {serve_nights}));
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

    std::string address() const {
        return "https://127.0.0.1:" + std::to_string(listening->port(0));
    }
    http::answer send(const std::string& method, const std::string& path, json::object body = {}) {
        http::outgoing what{
            .method = method,
            .url = address() + path,
            .body = body.empty() ? "" : json::serialize(body)};
        if (!token.empty()) what.fields.emplace_back("Authorization", "Bearer " + token);
        const http::client::options through{.time = &time, .tls = http::test::client_tls()};
        return answer_of(fetch(through, std::move(what))).value();
    }
    json::object call(const std::string& method, const std::string& path, json::object body = {}) {
        const auto answered = send(method, path, std::move(body));
        INFO(answered.body);
        REQUIRE(answered.status < 300);
        return json::parse(answered.body).as_object();
    }

    void make_schedules() {
        call("POST", "/api/v1/windows/calendars", {{"label", "nights"}, {"text", nights}});
        for (const auto* const name : {"Core", "Always"})
            call(
                "POST",
                "/api/v1/windows/schedules",
                {{"name", name}, {"type", "multi"}, {"calendar", "nights"}});
    }
};

}  // namespace muster::gateway::test
