#pragma once

// The compatible API over TLS against the real parts on embedded engines, and a client that writes
// its calls by hand.
#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/server.h"
#include "core/presence/report.h"
#include "roles/cluster/keys.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/compat/compatible_api.h"
#include "roles/fleet/follower.h"
#include "roles/gateway/jobs_api.h"
#include "roles/gateway/schedules_api.h"
#include "roles/gateway/windows_api.h"
#include "tests/gateway/staff.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/net/site.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::compat::test {

namespace http = net::http;
using harness::answer_of;

inline async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

inline std::string text(const std::string& of) {
    return "<string>" + of + "</string>";
}
inline std::string number(std::int64_t of) {
    return "<i4>" + std::to_string(of) + "</i4>";
}
inline std::string flag(bool of) {
    return of ? "<boolean>1</boolean>" : "<boolean>0</boolean>";
}
inline std::string numbers(const std::vector<std::int64_t>& all) {
    std::string made = "<array><data>";
    for (const auto each : all) made += "<value>" + number(each) + "</value>";
    return made + "</data></array>";
}

inline std::size_t count(const std::string& within, const std::string& what) {
    std::size_t found = 0;
    for (auto at = within.find(what); at != std::string::npos; at = within.find(what, at + 1))
        ++found;
    return found;
}

// Where a request goes to, and how.
struct wish {
    std::string path = "/rpc/api";
    std::string method = "POST";
    std::string cookie = {};
    net::http::field_list fields = {};
};

// A gateway with zones default and, below no other, far; web1, web2 and db3 in the first, far4 in
// the second, of which web1 is attached.
struct compat_site {
    harness::temporary_directory where{"compat"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
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
    fleet::group_book groups{*records, time, log};
    fleet::registrar keys{{.engines = engines, .known = known, .bell = bell, .time = time}};
    gateway::front_desk desk{time};
    gateway::test::staff people;
    std::shared_ptr<gateway::office> office;
    gateway::registry checks{time, {.missing_nodes = [this] {
                                 return presence::missing_nodes(
                                     *places.read(), seen, time.now() - std::chrono::minutes(1));
                             }}};
    jobs::job_ledger job_records{*records, time};
    jobs::job_book open_jobs{job_records, log, {}};
    jobs::task_board board{job_records, log, {}};
    gateway::job_targets targets{
        {.known = known,
         .seen = seen,
         .resolve = [this](const std::string& query) { return meant_by(query); },
         .in_zones =
             [this](const std::set<std::string>& zones, const fleet::system_set& among) {
                 return found.in_zones(zones, among);
             }}};
    gateway::job_reader job_reader{job_records, board, time};
    jobs::job_desk job_desk{
        {.records = job_records,
         .board = board,
         .store = *store,
         .attached =
             [this](const fleet::system_set& among) {
                 return targets.attached(among);
             }},
        {}};
    gateway::jobs_api native_jobs{
        {.makes = job_desk, .reads = job_reader, .targets = targets, .time = time}};
    windows::window_book windows{
        {.records = *records,
         .time = time,
         .zones = [](std::string_view) -> result<muster::windows::zone_pointer> {
             return fail(errc::not_found, "only UTC is known");
         },
         .log = log}};
    gateway::windows_api native_windows{
        {.book = windows,
         .known = known,
         .resolve = [this](const std::string& query) { return meant_by(query); },
         .in_zones = [this](
                         const std::set<std::string>& zones,
                         const fleet::system_set& among) { return found.in_zones(zones, among); },
         .time = time}};
    gateway::schedules_api native_schedules{windows, time};
    cluster::number_book numbers_of{*records, *store};
    config::config_office configuration{{.engines = engines, .time = time, .log = log}};
    content::content_office software{
        {.engines = engines,
         .time = time,
         .log = log,
         .repositories = {.directories = {where.path()}}}};
    fleet::rule_book rules{*store, time, log};
    compatible_api api{
        {.checks = checks,
         .desk = desk,
         .fleet =
             {.known = known,
              .found = found,
              .seen = seen,
              .groups = groups,
              .profiles = &configuration.profiles},
         .groups = groups,
         .keys = keys,
         .places = places,
         .time = time,
         .work =
             {.numbers = numbers_of,
              .reads = job_reader,
              .targets = targets,
              .makes = job_desk,
              .open = open_jobs,
              .windows = windows,
              .records = *records},
         .configuration = {.kept = configuration, .rules = rules},
         .software = software}};
    std::unique_ptr<http::server> listening;

    compat_site() {
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        place();
        known.begin_reading();
        add({system(1, "web1"), system(2, "web2"), system(3, "db3"), system(4, "far4", "far")});
        known.end_reading();
        attach_first();
        REQUIRE(answer_of(windows.catch_up()).has_value());
        REQUIRE(answer_of(configuration.records.catch_up()).has_value());
        REQUIRE(answer_of(board.catch_up()).has_value());
        REQUIRE(native_jobs.declare(checks).has_value());
        REQUIRE(native_windows.declare(checks).has_value());
        REQUIRE(native_schedules.declare(checks).has_value());
        auto routes = std::make_shared<http::router>();
        REQUIRE(api.add_routes(*routes).has_value());
        std::vector<http::listener> listeners;
        listeners.push_back(
            {.where = {.host = "127.0.0.1", .port = 0},
             .tls = std::make_shared<net::rotating_tls_server>(
                 http::test::server_tls(http::test::server_identity())),
             .what = {.routes = std::move(routes)}});
        listening =
            http::server::start({.listeners = std::move(listeners), .time = &time, .loops = 1})
                .value();
        office = people.open(
            {.engines = engines,
             .bell = bell,
             .topology = places,
             .people = people.known,
             .cluster = {}},
            time);
        desk.open(office);
    }

    result<fleet::system_set> meant_by(const std::string& query) const {
        TRY(const auto wanted, groups.parse(query));
        return found.resolve(wanted, {});
    }

    void place() {
        auto now = std::make_shared<cluster::topology>();
        now->zones["default"] = {.name = "default"};
        now->zones["far"] = {.name = "far"};
        kv::transaction add;
        add.then.emplace_back(kv::put{
            .key = cluster::keys::zone("far"), .value = cluster::encode(now->zones.at("far"))});
        REQUIRE(answer_of(store->commit(add)).value().committed);
        places.publish(std::move(now));
    }

    static system_record system(
        std::uint32_t value, std::string name, std::string zone = "default") {
        fingerprint::bytes_type bytes{};
        for (std::size_t at = 0; at < 4; ++at)
            bytes.at(at) = static_cast<unsigned char>(value >> (8 * at));
        system_record made{.print = fingerprint(bytes)};
        made.public_key = std::string(32, 'k');
        made.name = std::move(name);
        made.number = system_number(value);
        made.stage = enrolment::accepted;
        made.zone = std::move(zone);
        return made;
    }

    // To the ledger as well, as somebody else's server would.
    void add(std::vector<system_record> all) {
        REQUIRE(answer_of(keys.table().write(all)).has_value());
        known.apply(all);
    }

    void attach_first() {
        presence::report there{
            .node = node_number(1), .zone = "default", .start = 1, .sequence = 1};
        there.at = presence::seconds_of(time.wall());
        there.arrivals.push_back({.system = system_number(1), .since = there.at});
        REQUIRE(seen.apply(there, time.now()));
    }

    // What the trail calls all that was done, in order.
    std::vector<std::string> audited() const {
        const auto schema = table::catalog::of(cluster::ledger_schema()).value();
        const std::string name(cluster::audit_table);
        const auto place = schema.find(name).value()->find("what").value();
        std::vector<std::string> cells;
        for (const auto& row : answer_of(records->read({.table = name})).value().rows)
            cells.push_back(std::get<std::string>(row[place]));
        return cells;
    }

    void add_user(const std::string& name, std::vector<access::grant> grants) const {
        const people::user_record user{
            .name = name,
            .password_hash = os::hash_password("correct horse").value(),
            .grants = std::move(grants)};
        kv::transaction add;
        add.then.push_back(kv::put{.key = people::keys::user(name), .value = people::encode(user)});
        REQUIRE(answer_of(store->commit(add)).value().committed);
    }

    http::answer send(std::string body, const wish& how = {}) {
        http::outgoing what{
            .method = how.method,
            .url = "https://127.0.0.1:" + std::to_string(listening->port(0)) + how.path,
            .body = std::move(body)};
        if (!how.cookie.empty()) what.fields.emplace_back("Cookie", how.cookie);
        what.fields.insert(what.fields.end(), how.fields.begin(), how.fields.end());
        const http::client::options through{.time = &time, .tls = http::test::client_tls()};
        return answer_of(fetch(through, std::move(what))).value();
    }

    std::string call(
        const std::string& method,
        const std::vector<std::string>& arguments = {},
        const wish& how = {}) {
        std::string body = "<methodCall><methodName>" + method + "</methodName><params>";
        for (const auto& each : arguments) body += "<param><value>" + each + "</value></param>";
        const auto answered = send(body + "</params></methodCall>", how);
        CHECK(answered.status == 200);
        return answered.body;
    }

    // Its session's key, as an argument.
    std::string log_in(const std::string& user = "admin") {
        const auto told = call("auth.login", {text(user), text("correct horse")});
        const auto from = told.find("<string>");
        const auto to = told.find("</string>");
        REQUIRE(from != std::string::npos);
        return told.substr(from, to - from) + "\n</string>";
    }
};

}  // namespace muster::compat::test
