// The relations of Salt's PostgreSQL job cache, asked as Salt's own returner and other readers ask.
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/pki/fingerprint.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/system_row.h"
#include "roles/jobs/job_ledger.h"
#include "runtime/clock.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/postgres_server.h"

#include <boost/json.hpp>
#include <doctest/doctest.h>

#include <libpq-fe.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
#include <zstd.h>

namespace muster::retention {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;
using harness::answer_of;
using rows = std::vector<std::vector<std::string>>;

// A third party with a connection of its own, as psycopg2 would be.
class reader {
public:
    explicit reader(const std::string& address) : on_(PQconnectdb(address.c_str()), PQfinish) {
        if (PQstatus(on_.get()) != CONNECTION_OK) throw std::runtime_error("no connection");
    }

    rows ask(const std::string& text) {
        const std::unique_ptr<PGresult, decltype(&PQclear)> answer(
            PQexec(on_.get(), text.c_str()), PQclear);
        const auto status = PQresultStatus(answer.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            throw std::runtime_error(PQerrorMessage(on_.get()));
        rows found;
        for (int row = 0; row < PQntuples(answer.get()); ++row) {
            auto& cells = found.emplace_back();
            for (int column = 0; column < PQnfields(answer.get()); ++column)
                cells.emplace_back(PQgetvalue(answer.get(), row, column));
        }
        return found;
    }
    json::value document(const std::string& text) {
        const auto found = ask(text);
        REQUIRE(found.size() == 1);
        return json::parse(found.front().front());
    }

private:
    std::unique_ptr<PGconn, decltype(&PQfinish)> on_;
};

std::string packed(const std::string& text) {
    std::string into(ZSTD_compressBound(text.size()), '\0');
    into.resize(ZSTD_compress(into.data(), into.size(), text.data(), text.size(), 3));
    return into;
}

// A database with four systems, and one that has been given a new key.
struct world {
    harness::postgres_server server;
    runtime::system_clock time;
    std::unique_ptr<ledger> records;
    std::unique_ptr<jobs::job_ledger> jobs;

    world() {
        server.create_database("salt");
        records = ledger_postgres::open(
            {.address = server.address("salt"), .tls = ledger_postgres::tls_mode::off});
        REQUIRE(answer_of(records->migrate(cluster::ledger_schema())).has_value());
        jobs = std::make_unique<jobs::job_ledger>(*records, time);
        put_system("web1", 1, enrolment::accepted);
        put_system("web2", 2, enrolment::accepted);
        put_system("db1", 3, enrolment::accepted);
        put_system("old1", 4, enrolment::deleted);
        put_system("renewed", 5, enrolment::deleted);
        put_system("renewed.acme.org", 5, enrolment::accepted);
    }

    void put_system(const std::string& name, std::int64_t number, enrolment stage) {
        system_record record{.print = pki::sha256_fingerprint(name)};
        record.name = name;
        record.number = system_number(number);
        record.stage = stage;
        table::batch change;
        change.writes.push_back(
            {.table = std::string(cluster::systems_table),
             .rows = {fleet::encode_system(record, time.wall())}});
        REQUIRE(answer_of(records->write(std::move(change))).has_value());
    }

    job_id make(std::string function, std::string arguments) {
        job_record wanted;
        wanted.spec = {
            .function = std::move(function),
            .arguments = std::move(arguments),
            .query = "G@os:Debian",
            .by = "alice"};
        jobs::job_audience who{
            .targets = fleet::system_set::range(system_number(1), system_number(5)),
            .canaries = {}};
        return answer_of(jobs->make(std::move(wanted), std::move(who))).value().job;
    }

    void put(const task_record& task) {
        table::batch change;
        change.writes.push_back(
            {.table = std::string(cluster::tasks_table),
             .rows = {jobs::encode_task(task)},
             .existing = table::replace_if_grows{"rank"}});
        REQUIRE(answer_of(records->write(std::move(change))).has_value());
    }
    void put_payload(job_id job, const std::string& text) {
        const jobs::payload what{
            .digest = pki::sha256(text),
            .size = static_cast<std::int64_t>(text.size()),
            .content = packed(text)};
        table::batch change;
        change.writes = jobs::writes_of(job, what);
        REQUIRE(answer_of(records->write(std::move(change))).has_value());
    }

    task_record ended(job_id job, std::int64_t system, std::chrono::seconds after = 1s) const {
        task_record task{
            .job = job, .system = system, .attempt = 1, .state = task_state::completed};
        task.picked_up = made_at(job);
        task.ended = made_at(job) + after;
        task.node = "node-1";
        return task;
    }
    void complete(job_id job, std::int64_t system, const std::string& text) {
        auto task = ended(job, system);
        task.inline_payload = text;
        task.digest = pki::sha256(text);
        task.payload_size = static_cast<std::int64_t>(text.size());
        put(task);
    }
    void complete_apart(job_id job, std::int64_t system, const std::string& text) {
        auto task = ended(job, system);
        task.digest = pki::sha256(text);
        task.payload_size = static_cast<std::int64_t>(text.size());
        put(task);
        put_payload(job, text);
    }
    reader third_party() const { return reader(server.address("salt")); }
};

// One server for all: starting one takes seconds.
world& shared() {
    static world one;
    return one;
}

std::string quoted(job_id job) {
    return "'" + to_string(job) + "'";
}

std::string output(const std::string& text) {
    return json::serialize(
        json::object{{"stdout", text}, {"stderr", ""}, {"exit_code", 0}, {"truncated", false}});
}

TEST_CASE("a job's load is what Salt publishes") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("cmd.run", R"({"cmd":"uptime","user":"nobody"})");

    const auto load = salt.document("SELECT load FROM jids WHERE jid = " + quoted(job));

    CHECK(load.at("jid").as_string() == to_string(job));
    CHECK(load.at("fun").as_string() == "cmd.run");
    CHECK(load.at("tgt").as_string() == "G@os:Debian");
    CHECK(load.at("tgt_type").as_string() == "compound");
    CHECK(load.at("user").as_string() == "alice");
    CHECK(load.at("arg") == json::parse(R"(["uptime", {"user": "nobody", "__kwarg__": true}])"));
    CHECK(salt.ask("SELECT jid, load FROM jids WHERE jid = " + quoted(job)).size() == 1);
    const auto plain = on.make("test.ping", "{}");
    CHECK(
        salt.document("SELECT load FROM jids WHERE jid = " + quoted(plain)).at("arg")
        == json::array());
}

TEST_CASE("returns of a job are told by system, with success as a text") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("cmd.run", R"({"cmd":"uptime"})");
    on.complete(job, 1, output("up 3 days\n"));
    auto failed = on.ended(job, 2);
    failed.state = task_state::failed;
    failed.exit_code = 3;
    failed.reason = "exit code 3";
    on.put(failed);
    auto running = on.ended(job, 3);
    running.state = task_state::picked_up;
    running.ended.reset();
    on.put(running);

    const auto found = salt.ask(
        "SELECT id, full_ret FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    REQUIRE(found.size() == 2);
    CHECK(found[0][0] == "web1");
    const auto first = json::parse(found[0][1]);
    CHECK(first.at("return").as_string() == "up 3 days");
    CHECK(first.at("retcode") == 0);
    CHECK(first.at("success") == true);
    CHECK(first.at("id").as_string() == "web1");
    CHECK(first.at("jid").as_string() == to_string(job));
    CHECK(first.at("fun_args") == json::parse(R"(["uptime"])"));
    const auto second = json::parse(found[1][1]);
    CHECK(second.at("return").as_string() == "exit code 3");
    CHECK(second.at("retcode") == 3);
    const auto success = salt.ask(
        "SELECT id, success, fun, return, alter_time > now() - interval '1 day' FROM salt_returns "
        "WHERE jid = "
        + quoted(job) + " ORDER BY id");
    CHECK(success[0] == std::vector<std::string>{"web1", "true", "cmd.run", "\"up 3 days\"", "t"});
    CHECK(success[1][1] == "false");
}

TEST_CASE("a payload up to 64 KiB is shown whole, a larger one by digest, size and address") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("cmd.run", R"({"cmd":"dmesg"})");
    const std::string much(60'000, 'x');
    const std::string more(70'000, 'y');
    on.complete_apart(job, 1, output(much));
    on.complete_apart(job, 2, output(more));

    const auto found =
        salt.ask("SELECT id, return FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    REQUIRE(found.size() == 2);
    CHECK(json::parse(found[0][1]).as_string() == much);
    const auto told = json::parse(found[1][1]).at("muster");
    CHECK(told.at("size").to_number<std::size_t>() == output(more).size());
    CHECK(told.at("href").as_string().starts_with("/api/v1/jobs/" + to_string(job)));
    const auto kept = answer_of(on.jobs->find_payload(job, pki::sha256(output(much)))).value();
    REQUIRE(kept.has_value());
    CHECK(kept->content.empty());
}

TEST_CASE("the last return of a function on each system is by time") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto earlier = on.make("facts.get", "{}");
    const auto later = on.make("facts.get", "{}");
    on.put(on.ended(later, 1, 1s));
    on.put(on.ended(earlier, 1, 3600s));  // the older job came back last
    on.put(on.ended(later, 2, 1s));

    const auto found = salt.ask(
        "SELECT DISTINCT ON (id) id, jid, full_ret FROM salt_returns WHERE fun = 'facts.get' "
        "ORDER BY id, alter_time DESC");

    REQUIRE(found.size() == 2);
    CHECK(found[0][0] == "web1");
    CHECK(found[0][1] == to_string(earlier));
    CHECK(found[1][1] == to_string(later));
}

TEST_CASE("systems that are gone keep their name, and a number that got a new key counts once") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("test.ping", "{}");
    for (const std::int64_t system : {3, 4, 5}) on.complete(job, system, "true");

    const auto found =
        salt.ask("SELECT id, return FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    CHECK(found == rows{{"db1", "true"}, {"old1", "true"}, {"renewed.acme.org", "true"}});
    const auto minions = salt.ask("SELECT DISTINCT id FROM salt_returns WHERE id = 'db1'");
    CHECK(minions == rows{{"db1"}});
}

TEST_CASE("events are told under Salt's tags") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("test.ping", "{}");
    on.complete(job, 1, "true");

    const auto found = salt.ask(
        "SELECT tag, data->>'jid', data->>'fun', master_id FROM salt_events WHERE tag LIKE "
        "'salt/job/"
        + to_string(job) + "/%' ORDER BY tag");

    REQUIRE(found.size() == 2);
    CHECK(found[0][0] == "salt/job/" + to_string(job) + "/new");
    CHECK(found[0][1] == to_string(job));
    CHECK(found[1][0] == "salt/job/" + to_string(job) + "/ret/web1");
    CHECK(found[1][2] == "test.ping");
    CHECK(found[1][3] == "node-1");
    const auto ids = salt.ask("SELECT count(*), count(DISTINCT id) FROM salt_events");
    CHECK(ids[0][0] == ids[0][1]);
}

TEST_CASE("what is no document does not spoil the answer for others") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("cmd.run", R"({"cmd":"x"})");
    on.complete(job, 1, output("well"));
    on.complete(job, 2, std::string("\xff\x00\xfe", 3));
    on.complete(job, 3, R"({"stdout":"a\u0000b"})");
    const auto odd = on.make("cmd.run", R"({"cmd":"a\u0000b"})");

    const auto found =
        salt.ask("SELECT id, return FROM salt_returns WHERE jid = " + quoted(job) + " ORDER BY id");

    REQUIRE(found.size() == 3);
    CHECK(found[1] == std::vector<std::string>{"web1", "\"well\""});
    CHECK(json::parse(found[0][1]).as_object().contains("base64"));
    CHECK(json::parse(found[2][1]).at("base64").as_string() == "/wD+");
    CHECK(salt.ask("SELECT load FROM jids WHERE jid = " + quoted(odd)).size() == 1);
}

TEST_CASE("one job of many is found without a look at the others") {
    auto& on = shared();
    auto salt = on.third_party();
    const auto job = on.make("test.ping", "{}");
    salt.ask("SET enable_seqscan = off");

    std::string plan;
    for (const auto& each :
         salt.ask("EXPLAIN SELECT id, full_ret FROM salt_returns WHERE jid = " + quoted(job)))
        plan += each.front() + "\n";

    CAPTURE(plan);
    CHECK(plan.contains("jobs_by_jid"));
    CHECK(plan.contains("systems_by_number"));
    CHECK_FALSE(plan.contains("Seq Scan"));
}

}  // namespace
}  // namespace muster::retention
