#include "adapters/ledger/postgres/migrator.h"

#include "adapters/ledger/postgres/liveness_probe.h"
#include "runtime/clock.h"

#include <string>
#include <utility>
#include <vector>

namespace muster::ledger_postgres {
namespace {

using ledger_sql::dialect;

constexpr int collisions_max = 20;

result<std::vector<table::applied_migration>> read_applied(
    connection& connection, instant deadline) {
    const ledger_sql::statement query{
        .text = "SELECT version, digest FROM muster_migrations ORDER BY version", .parameters = {}};
    TRY(const query_result query_result, connection.execute(query, deadline));
    std::vector<table::applied_migration> migrations;
    for (int row = 0; row < query_result.rows(); ++row)
        migrations.push_back(
            {.version = query_result.integer(row, 0),
             .digest = std::string(query_result.cell(row, 1))});
    return migrations;
}

class migration final : liveness_probe::listener {
public:
    migration(connection& connection, const settings& settings, instant deadline)
        : connection_(connection),
          options_(settings),
          deadline_(deadline),
          probe_(connection, settings, this) {}

    result<void> run(const table::schema& schema);

private:
    using stage = migration_progress::stage;

    result<void> create_bookkeeping();
    result<bool> apply_next(const table::schema& schema);
    result<void> apply(const table::migration& change);
    result<void> insert_version(const table::migration& change);
    void report_progress(stage at);
    void still_waiting() override;

    connection& connection_;
    const settings& options_;
    instant deadline_;
    migration_progress progress_;  // of the version at hand; none: zero
    instant started_;
    liveness_probe probe_;
};

result<void> migration::run(const table::schema& schema) {
    // Ends the session of a lost client during a statement, not after it: the next server waits for
    // its locks.
    ignore_error(
        connection_.run("SET client_connection_check_interval = '2s'", deadline_),
        "PostgreSQL before 14 lacks this setting; the next step detects a lost connection");
    auto created = create_bookkeeping();
    for (int tries = 0; tries < collisions_max && !created; ++tries) {
        if (created.error().code() != errc::conflict) return created;
        created = create_bookkeeping();
    }
    CHECK_OK(std::move(created));
    while (true) {
        TRY(const bool applied, apply_next(schema));
        if (!applied) return {};
    }
}

// Fails with errc::conflict when another session makes the same table at the same moment.
result<void> migration::create_bookkeeping() {
    for (const auto& text : ledger_sql::bookkeeping_statements(dialect::postgres)) {
        CHECK_OK(connection_.run(text, deadline_));
    }
    return connection_.run(
        "INSERT INTO muster_identity (singleton, name) "
        "SELECT 1, replace(gen_random_uuid()::text, '-', '') ON CONFLICT DO NOTHING",
        deadline_);
}

// False: the database is up to date.
result<bool> migration::apply_next(const table::schema& schema) {
    TRY(const auto done, read_applied(connection_, deadline_));
    TRY(const auto pending, table::pending(schema, done));
    if (pending.empty()) return false;
    auto applied = apply(pending.front());
    if (applied) return true;
    if (!connection_.broken())
        ignore_error(connection_.run("ROLLBACK", deadline_), "a broken connection is not reused");
    // Another server applied the version first, or a table of that name exists.
    if (applied.error().code() == errc::conflict) {
        TRY(const auto current, read_applied(connection_, deadline_));
        if (current.size() > done.size()) return true;
    }
    return fail(applied.error());
}

result<void> migration::apply(const table::migration& change) {
    started_ = runtime::monotonic_now();
    progress_ = {.at = stage::waiting, .version = change.version, .what = change.description};
    CHECK_OK(insert_version(change));
    report_progress(stage::begun);
    for (const auto& text : ledger_sql::migration_statements(dialect::postgres, change)) {
        if (auto done = connection_.run(text, deadline_); !done)
            return fail(
                done.error().with_context("schema version " + std::to_string(change.version)));
    }
    CHECK_OK(connection_.run("COMMIT", deadline_));
    report_progress(stage::done);
    return {};
}

// The wait for another server's migration has no limit. Waits for locks of tables have one, because
// readers and writers of the table queue behind them.
result<void> migration::insert_version(const table::migration& change) {
    CHECK_OK(connection_.run(
        "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0", deadline_));
    const ledger_sql::statement row{
        .text = "INSERT INTO muster_migrations (version, what, digest) VALUES ($1, $2, $3)",
        .parameters = {change.version, change.description, table::digest(change)}};
    CHECK_OK(connection_.execute(row, deadline_));
    return connection_.run("SET LOCAL lock_timeout TO DEFAULT", deadline_);
}

void migration::report_progress(stage at) {
    progress_.at = at;
    progress_.taken = std::chrono::floor<std::chrono::seconds>(runtime::monotonic_now() - started_);
    if (options_.on_migration) options_.on_migration(progress_);
}

void migration::still_waiting() {
    if (progress_.version == 0 || progress_.at == stage::done) return;
    report_progress(progress_.at == stage::begun ? stage::working : progress_.at);
}

}  // namespace

result<void> migrate(
    connection& connection,
    const table::schema& schema,
    const settings& settings,
    instant deadline) {
    return migration(connection, settings, deadline).run(schema);
}

result<table::schema> applied_schema(
    connection& connection, const table::schema& schema, instant deadline) {
    const ledger_sql::statement query{
        .text =
            "SELECT 1 FROM information_schema.tables WHERE table_name = 'muster_migrations' "
            "AND table_schema = current_schema()",
        .parameters = {}};
    TRY(const query_result tables, connection.execute(query, deadline));
    if (tables.rows() == 0) return table::schema();
    TRY(const auto done, read_applied(connection, deadline));
    return table::applied_schema(schema, done);
}

result<ledger_identity> read_identity(connection& connection, instant deadline) {
    const ledger_sql::statement query{
        .text = "SELECT name, (SELECT max(version) FROM muster_migrations) FROM muster_identity",
        .parameters = {}};
    TRY(const query_result query_result, connection.execute(query, deadline));
    if (query_result.rows() != 1 || query_result.is_null(0, 1))
        return fail(errc::corrupt, "database identity row is missing");
    return ledger_identity{
        .engine = "PostgreSQL " + connection.server_version(),
        .database = std::string(query_result.cell(0, 0)),
        .version = query_result.integer(0, 1)};
}

}  // namespace muster::ledger_postgres
