// What operators ask about jobs, over TLS against the real parts on embedded engines. Nodes are
// what the test writes into the ledger.

#include "roles/gateway/jobs_api.h"

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
#include "roles/gateway/returns_api.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"
#include "tests/net/site.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using harness::answer_of;

async<http::answer> fetch(http::client::options how, http::outgoing what) {
    http::client through(std::move(how));
    co_return co_await through.send(std::move(what));
}

// A gateway with web1, web2 and db3, of which the first two are attached, and an admin.
struct site {
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
    jobs::job_ledger ledgered{*records, time};
    jobs::task_board board{ledgered, log, {}};
    job_targets targets{{.known = known, .seen = seen, .resolve = [this](const std::string& query) {
                             return resolve(query);
                         }}};
    job_reader reader{ledgered, board, time};
    jobs::job_desk makes{
        {.records = ledgered,
         .board = board,
         .store = *store,
         .attached =
             [this](const fleet::system_set& among) {
                 return targets.attached(among);
             }},
        {}};
    jobs_api jobs_part{
        {.desk = desk, .makes = makes, .reads = reader, .targets = targets, .time = time}};
    returns_api returns_part{
        {.desk = desk, .reads = reader, .targets = targets, .places = places, .time = time}};
    std::unique_ptr<http::server> listening;
    std::string token;

    site() {
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
        REQUIRE(jobs_part.add_routes(*routes));
        REQUIRE(returns_part.add_routes(*routes));
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

std::int64_t number_at(const json::object& of, const char* name) {
    return of.at(name).to_number<std::int64_t>();
}

TEST_CASE("a job is made for whom a query means, and its counts sum to that as it goes on") {
    site on;
    const auto made = on.call(
        "POST",
        "/api/v1/jobs",
        {{"query", "web*"},
         {"function", "cmd.run"},
         {"arguments", json::object{{"cmd", "uptime"}}},
         {"batch", "50%"},
         {"timeout", "90s"},
         {"note", "why not"}});
    CHECK(number_at(made, "targets") == 2);
    CHECK(number_at(made.at("counts").as_object(), "queued") == 2);
    CHECK(made.at("options").at("batch").as_string() == "50%");
    CHECK(made.at("by").as_string() == "admin");
    const auto path = json::value_to<std::string>(made.at("href"));
    const auto id = json::value_to<std::string>(made.at("id"));
    CHECK(on.call("GET", path).at("stage").as_string() == "open");

    on.record(on.row(id, 1, task_state::picked_up));
    on.record(on.row(id, 2, task_state::failed));
    const auto now = on.call("GET", path);
    CHECK(number_at(now.at("counts").as_object(), "picked_up") == 1);
    CHECK(number_at(now, "failed") == 1);
    CHECK(number_at(now, "ended") == 1);
    const auto listed = on.call("GET", "/api/v1/jobs").at("items").as_array();
    REQUIRE(listed.size() == 1);
    CHECK(number_at(listed.at(0).as_object(), "ended") == 1);
}

TEST_CASE("what cannot be done is refused with what is wrong, and nothing is made") {
    site on;
    const auto refused = [&](const json::object& body) {
        const auto answered = on.send("POST", "/api/v1/jobs", body);
        CHECK(answered.status == 400);
        return answered.body;
    };
    CHECK(refused({{"function", "test.ping"}}).contains("`query`"));
    CHECK(refused({{"query", "*"}, {"function", "test.pong"}}).contains("test.pong"));
    CHECK(refused({{"query", "tga:x"}, {"function", "test.ping"}}).contains("at 1"));
    CHECK(refused({{"query", "nobody*"}, {"function", "test.ping"}}).contains("no system"));
    CHECK(refused({{"query", "*"}, {"function", "test.ping"}, {"timeout", "9"}})
              .contains("`timeout`"));
    CHECK(refused({{"query", "*"}, {"function", "test.ping"}, {"bacth", "9"}}).contains("`bacth`"));
    CHECK(refused({{"query", "*"}, {"function", "test.ping"}, {"at", "noon"}}).contains("`at`"));
    CHECK(on.call("GET", "/api/v1/jobs").at("items").as_array().empty());
    CHECK(on.send("GET", "/api/v1/jobs/20261116051234123456").status == 404);
    on.token = "nobody's";
    CHECK(on.send("GET", "/api/v1/jobs").status == 401);
}

TEST_CASE("a preview says whom it would be for and makes nothing") {
    site on;
    const auto shown = on.call(
        "POST",
        "/api/v1/jobs/preview",
        {{"query", "*"}, {"function", "test.ping"}, {"canary", 1}, {"batch", 2}});
    CHECK(number_at(shown, "targets") == 3);
    CHECK(number_at(shown, "present") == 2);
    CHECK(number_at(shown, "away") == 1);
    CHECK(number_at(shown, "canaries") == 1);
    CHECK(number_at(shown, "batch") == 2);
    CHECK(on.call("GET", "/api/v1/jobs").at("items").as_array().empty());
}

TEST_CASE("the same Idempotency-Key is the same job") {
    site on;
    const json::object body{{"systems", json::array{"web1", "3"}}, {"function", "test.ping"}};
    const auto first = on.send("POST", "/api/v1/jobs", body, "k1");
    const auto second = on.send("POST", "/api/v1/jobs", body, "k1");
    CHECK(first.status == 201);
    CHECK(second.status == 200);
    CHECK(json::parse(first.body).at("id") == json::parse(second.body).at("id"));
    CHECK(
        on.send("POST", "/api/v1/jobs", {{"query", "*"}, {"function", "test.ping"}}, "k1").status
        == 409);
    CHECK(on.call("GET", "/api/v1/jobs").at("items").as_array().size() == 1);
}

TEST_CASE("tasks are listed by state, those without a record too, and every change is audited") {
    site on;
    const auto id = on.make();
    const auto path = "/api/v1/jobs/" + id;
    on.record(on.row(id, 1, task_state::completed));
    auto queued = on.call("GET", path + "/tasks?state=queued&limit=1");
    CHECK(number_at(queued, "total") == 2);
    CHECK(queued.at("items").at(0).at("name").as_string() == "web2");
    const auto after = json::value_to<std::string>(queued.at("next"));
    queued = on.call("GET", path + "/tasks?state=queued&limit=1&after=" + after);
    CHECK(queued.at("items").at(0).at("name").as_string() == "db3");
    CHECK(queued.at("next").is_null());

    CHECK(on.call("POST", path + "/pause", {{"note", "tea"}}).at("stage").as_string() == "paused");
    CHECK(on.call("POST", path + "/resume").at("stage").as_string() == "open");
    CHECK(on.send("POST", path + "/retry").status == 409);
    on.record(on.row(id, 2, task_state::failed));
    const auto again = on.call("POST", path + "/retry");
    CHECK(again.at("id").as_string() != json::string(id));
    CHECK(number_at(again, "targets") == 1);
    const auto gone = on.call("POST", path + "/cancel", {{"force", true}});
    CHECK(gone.at("stage").as_string() == "cancelling");
    CHECK(gone.at("kill_running").as_bool());
    CHECK(on.send("POST", path + "/resume").status == 409);

    const auto trail = answer_of(on.records->read({.table = "audit"})).value();
    std::vector<std::string> deeds;
    for (const auto& each : trail.rows) deeds.push_back(std::get<std::string>(each.at(3)));
    for (const auto* const what :
         {"job.make", "job.pause", "job.resume", "job.retry", "job.cancel"})
        CHECK(std::ranges::count(deeds, what) >= 1);
}

TEST_CASE("what tasks returned is shown, one by one and alike ones together") {
    site on;
    const auto id = on.make();
    const auto path = "/api/v1/jobs/" + id;
    auto first = on.row(id, 1, task_state::completed);
    first.inline_payload = R"({"stdout":"same","stderr":""})";
    on.record(first);
    auto second = first;
    second.system = 2;
    on.record(second);
    auto third = on.row(id, 3, task_state::failed);
    third.exit_code = 3;
    third.digest = pki::sha256("much");
    on.record(third);

    CHECK(on.call("GET", path + "/tasks/web1").at("output").at("stdout").as_string() == "same");
    const auto pending = on.call("GET", path + "/tasks/3");
    CHECK(number_at(pending, "exit_code") == 3);
    CHECK(pending.at("output_pending").as_bool());
    CHECK(on.send("GET", path + "/payloads/" + to_hex(third.digest)).status == 404);
    const auto groups = on.call("GET", path + "/results").at("items").as_array();
    REQUIRE(groups.size() == 2);
    CHECK(groups.at(0).at("state").as_string() == "failed");
    CHECK(groups.at(1).at("count").to_number<int>() == 2);
    CHECK(groups.at(1).at("examples").at(0).at("name").as_string() == "web1");
    const auto history = on.call("GET", "/api/v1/systems/web1/tasks").at("items").as_array();
    REQUIRE(history.size() == 1);
    CHECK(history.at(0).at("job").as_string() == json::string(id));
}

TEST_CASE("why a task is where it is, in a sentence") {
    site on;
    const auto id = on.make();
    const auto path = "/api/v1/jobs/" + id + "/tasks/";
    CHECK(on.call("GET", path + "web1/why").at("cause").as_string() == "turn");
    CHECK(on.call("GET", path + "db3/why").at("cause").as_string() == "away");
    on.record(on.row(id, 1, task_state::picked_up));
    const auto running = on.call("GET", path + "web1/why");
    CHECK(running.at("cause").as_string() == "running");
    CHECK(json::value_to<std::string>(running.at("sentence")).contains("through node n1"));
    on.call("POST", "/api/v1/jobs/" + id + "/pause");
    CHECK(on.call("GET", path + "web2/why").at("cause").as_string() == "paused");
    CHECK(on.send("GET", path + "nobody/why").status == 404);
}

std::vector<json::object> events_in(const http::answer& answered) {
    std::vector<json::object> events;
    std::size_t at = 0;
    while (true) {
        at = answered.body.find("data: ", at);
        if (at == std::string::npos) return events;
        at += 6;
        const auto end = answered.body.find('\n', at);
        events.push_back(json::parse(answered.body.substr(at, end - at)).as_object());
    }
}

TEST_CASE("events tell every return, failures before successes, and go on where a client was") {
    site on;
    const auto id = on.make();
    const auto path = "/api/v1/jobs/" + id + "/events?tasks=all";
    on.record(on.row(id, 1, task_state::completed));
    on.record(on.row(id, 2, task_state::failed));
    auto early = events_in(on.send("GET", path + "&for=1ms"));
    REQUIRE(early.size() == 3);
    CHECK(early.at(0).at("name").as_string() == "web2");
    CHECK(early.at(1).at("name").as_string() == "web1");
    CHECK(early.at(2).at("kind").as_string() == "progress");
    const auto at = json::value_to<std::string>(early.back().at("at"));

    on.record(on.row(id, 3, task_state::completed));
    const auto late = events_in(on.send("GET", path + "&from=" + at));
    REQUIRE(late.size() == 2);
    CHECK(late.at(0).at("name").as_string() == "db3");
    CHECK(late.at(1).at("kind").as_string() == "end");
    CHECK(number_at(late.at(1), "ended") == 3);
    const auto all = events_in(on.send("GET", path));
    CHECK(all.size() == 4);
    const auto failures = events_in(on.send("GET", "/api/v1/jobs/" + id + "/events"));
    CHECK(failures.size() == 2);
    CHECK(on.send("GET", path + "&from=x").status == 400);
}

}  // namespace
}  // namespace muster::gateway
