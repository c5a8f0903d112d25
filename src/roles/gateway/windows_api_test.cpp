// What admins ask about windows and schedules, over TLS against the real parts on embedded engines.

#include "roles/gateway/windows_api.h"

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
#include "roles/gateway/schedules_api.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/net/site.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

constexpr auto nights =
    "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Core\r\n"
    "DTSTART;TZID=Europe/Berlin:20201116T220000\r\nDURATION:PT4H\r\nRRULE:FREQ=DAILY\r\n"
    "END:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Always\r\nDTSTART;VALUE=DATE:20200101\r\n"
    "RRULE:FREQ=DAILY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";

async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

async<http::response> serve_nights(http::request /*asked*/) {
    co_return http::response{.status = 200, .body = nights};
}

// A server with three systems, and an admin who is logged in.
struct site {
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
    std::vector<windows::planned_start> plans;
    std::vector<windows::replanned> replanned;
    windows_api windows_part{
        {.desk = desk,
         .book = book,
         .known = known,
         .resolve = [this](const std::string& query) { return resolve(query); },
         .time = time,
         .planned = {
             .planned = [this](const std::string&) { return plans; },
             .carry_out = [this](
                              replanned_schedules by, std::string) { return note(std::move(by)); },
             .cancel = nullptr},
         .authorities = where.path() / "authorities.pem"}};
    schedules_api schedules_part{desk, book, time};
    std::unique_ptr<http::server> listening;
    std::string token;

    result<fleet::system_set> resolve(const std::string& query) const {
        TRY(const auto parsed, targeting::query::parse(query));
        return search.resolve(parsed, {});
    }

    async<std::vector<replaced_job>> note(replanned_schedules by) {
        for (const auto& [schedule, some] : by)
            replanned.insert(replanned.end(), some.begin(), some.end());
        co_return std::vector{replaced_job{.job = "job-7", .by = {"job-8"}}};
    }

    site() {
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
        REQUIRE(windows_part.add_routes(*routes));
        REQUIRE(schedules_part.add_routes(*routes));
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
        const cluster::user_record admin{
            .name = "admin", .password_hash = os::hash_password("correct horse").value()};
        kv::transaction add;
        add.then.push_back(kv::put{.key = cluster::keys::user("admin"), .value = encode(admin)});
        REQUIRE(answer_of(store->commit(add)).value().committed);
        auto opened = std::make_shared<office>(
            office::surroundings{
                .engines = {.metadata = *store, .records = *records, .doorbell = doorbell},
                .bell = bell,
                .topology = places,
                .cluster = {}},
            time,
            accounts::options());
        desk.open(opened);
        token =
            answer_of(opened->people.login({"admin", "correct horse", "192.0.2.7"})).value().token;
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

TEST_CASE("a calendar is uploaded, schedules made of it, and systems given them by a query") {
    site here;
    here.make_schedules();

    const auto done =
        here.call("POST", "/api/v1/windows/schedules/Core/assign", {{"query", "name:web*"}});
    CHECK(done.at("systems").to_number<int>() == 2);
    const auto moved =
        here.call("POST", "/api/v1/windows/schedules/Always/assign", {{"query", "name:web2"}});
    CHECK(moved.at("had_another").to_number<int>() == 1);

    const auto listed = here.call("GET", "/api/v1/windows").at("items").as_array();
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].at("name").as_string() == "Always");
    CHECK(listed[0].at("open").as_bool());
    CHECK(listed[1].at("systems").to_number<int>() == 1);
    const auto of_core = here.call("GET", "/api/v1/windows/systems?schedule=Core");
    CHECK(of_core.at("items").at(0).at("name").as_string() == "web1");
    const auto next = here.call("GET", "/api/v1/windows/schedules/Core/times?count=3");
    CHECK(next.at("items").as_array().size() == 3);
    const auto between = here.call(
        "GET",
        "/api/v1/windows/schedules/Core/times?from=2026-11-16T12:00:00Z&to=2026-11-17T00:00:00Z");
    CHECK(
        between.at("items").at(0)
        == json::value{{"opens", "2026-11-16T21:00:00Z"}, {"closes", "2026-11-17T01:00:00Z"}});
    here.call("POST", "/api/v1/windows/unassign", {{"query", "name:*"}});
    CHECK(here.send("DELETE", "/api/v1/windows/schedules/Core").status == 200);
}

TEST_CASE("who is in a window now is told") {
    site here;
    here.make_schedules();
    here.call("POST", "/api/v1/windows/schedules/Always/assign", {{"query", "name:db*"}});

    const auto open = here.call("GET", "/api/v1/windows/systems");

    CHECK(open.at("systems").to_number<int>() == 1);
    CHECK(open.at("items").at(0).at("name").as_string() == "db3");
}

TEST_CASE("a calendar is fetched over https from a server that can be trusted") {
    site here;

    here.call(
        "POST",
        "/api/v1/windows/calendars",
        {{"label", "remote"}, {"url", here.address() + "/nights.ics"}});

    CHECK(here.call("GET", "/api/v1/windows/calendars/remote").at("text").as_string() == nights);
    CHECK(here.send("POST", "/api/v1/windows/calendars/remote/refresh").status == 200);
    const auto refused = [&](const std::string& url) {
        return here.send("POST", "/api/v1/windows/calendars", {{"label", "other"}, {"url", url}})
            .status;
    };
    CHECK(refused(here.address() + "/nothing.ics") == 503);
    CHECK(refused("http://127.0.0.1/nights.ics") == 400);
    CHECK(refused("file:///etc/passwd") == 400);
    std::filesystem::remove(here.where.path() / "authorities.pem");
    CHECK(refused(here.address() + "/nights.ics") == 503);
}

TEST_CASE("replacing a calendar moves what is planned in its windows, by the strategies given") {
    site here;
    here.make_schedules();
    here.plans = {
        {.job = "job-7",
         .at = std::chrono::sys_days(std::chrono::year(2090) / 11 / 16) + std::chrono::hours(22)}};
    std::string later = nights;
    later.erase(
        later.find("BEGIN:VEVENT\r\nSUMMARY:Always"),
        later.rfind("END:VCALENDAR") - later.find("BEGIN:VEVENT\r\nSUMMARY:Always"));
    later.replace(later.find("T220000"), 7, "T010000");

    const auto path = "/api/v1/windows/calendars/nights";
    CHECK(here.send("PUT", path, {{"text", later}}).status == 409);
    CHECK(here.replanned.empty());
    const auto done =
        here.call("PUT", path, {{"text", later}, {"resolve_strategy", "Next,Cancel"}});

    CHECK(done.at("replanned").as_array().size() == 2);  // of both schedules
    CHECK(
        json::serialize(done.at("replaced_jobs")) == R"([{"job":"job-7","goes_on_as":["job-8"]}])");
    REQUIRE(here.replanned.size() == 2);
    CHECK(std::holds_alternative<windows::cancelled>(here.replanned[0].verdict));  // Always is gone
    CHECK(std::holds_alternative<windows::moved>(here.replanned[1].verdict));
}

TEST_CASE("a schedule is made, shown with its runs, paused and removed") {
    site here;

    here.call(
        "POST",
        "/api/v1/schedules",
        {{"name", "nightly"},
         {"cron", "30 2 * * *"},
         {"zone", "Europe/Berlin"},
         {"query", "name:web*"},
         {"function", "cmd.run"},
         {"arguments", json::array{"uptime"}}});

    const auto shown = here.call("GET", "/api/v1/schedules/nightly");
    CHECK(shown.at("runs").as_array().size() == 5);
    CHECK(shown.at("arguments") == json::array{"uptime"});
    const auto paused = here.call("PATCH", "/api/v1/schedules/nightly", {{"active", false}});
    CHECK(paused.at("next").is_null());
    CHECK(paused.at("cron").as_string() == "30 2 * * *");
    CHECK(here.call("GET", "/api/v1/schedules").at("items").as_array().size() == 1);
    here.call("DELETE", "/api/v1/schedules/nightly");
    CHECK(here.send("GET", "/api/v1/schedules/nightly").status == 404);
}

TEST_CASE("what is wrong with a request about windows is said") {
    site here;
    here.make_schedules();
    const auto post = [&](const std::string& path, json::object body) {
        const auto answered = here.send("POST", path, std::move(body));
        return std::to_string(answered.status) + " " + answered.body;
    };

    CHECK(post("/api/v1/windows/calendars", {{"label", "x"}, {"text", "BEGIN:VCALENDAR"}})
              .contains("line 1: BEGIN:VCALENDAR is never closed"));
    CHECK(post("/api/v1/windows/calendars", {{"label", "nights"}, {"text", nights}})
              .starts_with("409"));
    CHECK(post(
              "/api/v1/windows/schedules",
              {{"name", "Sap"}, {"type", "multi"}, {"calendar", "nights"}})
              .starts_with("400"));
    CHECK(
        post("/api/v1/windows/schedules/Nobody/assign", {{"query", "name:*"}}).starts_with("404"));
    CHECK(post("/api/v1/windows/schedules/Core/assign", {{"query", "name:("}}).starts_with("400"));
    CHECK(post(
              "/api/v1/schedules",
              {{"name", "x"}, {"cron", "61 * * * *"}, {"query", "*"}, {"function", "f"}})
              .contains("minute"));
    CHECK(here.send("GET", "/api/v1/windows/schedules/Core/times?count=0").status == 400);
    CHECK(here.send("DELETE", "/api/v1/windows/calendars/nights").status == 409);
    here.token = "nobody";
    CHECK(here.send("GET", "/api/v1/windows").status == 401);
    CHECK(here.send("POST", "/api/v1/schedules", {{"name", "x"}}).status == 401);
}

TEST_CASE("starting outside of windows can be disabled by policy") {
    site here;

    CHECK(here.call("GET", "/api/v1/windows/policy").at("emergency_override").as_bool());
    here.call("PUT", "/api/v1/windows/policy", {{"emergency_override", false}});
    CHECK_FALSE(here.call("GET", "/api/v1/windows/policy").at("emergency_override").as_bool());
}

}  // namespace
}  // namespace muster::gateway
