#pragma once

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

// A ledger on PostgreSQL with a few systems, and somebody who reads it as Salt's job cache.
namespace muster::retention::salt {

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

inline std::string packed(const std::string& text) {
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
inline world& shared() {
    static world one;
    return one;
}

inline std::string quoted(job_id job) {
    return "'" + to_string(job) + "'";
}

}  // namespace muster::retention::salt
