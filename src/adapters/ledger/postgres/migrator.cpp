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

result<std::vector<table::applied_migration>> applied(connection& on, instant deadline) {
    const ledger_sql::statement query{
        .text = "SELECT version, digest FROM muster_migrations ORDER BY version", .parameters = {}};
    TRY(const answer answer, on.execute(query, deadline));
    std::vector<table::applied_migration> all;
    for (int row = 0; row < answer.rows(); ++row)
        all.push_back(
            {.version = answer.integer(row, 0), .digest = std::string(answer.cell(row, 1))});
    return all;
}

class migration final : liveness_probe::listener {
public:
    migration(connection& on, const settings& settings, instant deadline)
        : on_(on), options_(settings), deadline_(deadline), beside_(on, settings, this) {}

    result<void> run(const table::schema& schema);

private:
    using stage = migration_progress::stage;

    result<void> prepare_books();
    result<bool> apply_next(const table::schema& schema);
    result<void> apply(const table::migration& change);
    result<void> claim(const table::migration& change);
    void tell(stage at);
    void still_waiting() override;

    connection& on_;
    const settings& options_;
    instant deadline_;
    migration_progress now_;  // of the version at hand; none: zero
    instant since_;
    liveness_probe beside_;
};

result<void> migration::run(const table::schema& schema) {
    // A session whose client is gone ends in the middle of its work, not after it: whoever comes
    // next waits for it.
    ignore_error(
        on_.run("SET client_connection_check_interval = '2s'", deadline_),
        "servers before 14 do not know it; a lost connection shows in the next step");
    auto books = prepare_books();
    for (int tries = 0; tries < collisions_max && !books; ++tries) {
        if (books.error().code() != errc::conflict) return books;
        books = prepare_books();
    }
    CHECK_OK(std::move(books));
    while (true) {
        TRY(const bool again, apply_next(schema));
        if (!again) return {};
    }
}

// Fails with errc::conflict when another session makes the same table at the same moment.
result<void> migration::prepare_books() {
    for (const auto& text : ledger_sql::bookkeeping(dialect::postgres)) {
        CHECK_OK(on_.run(text, deadline_));
    }
    return on_.run(
        "INSERT INTO muster_identity (singleton, name) "
        "SELECT 1, replace(gen_random_uuid()::text, '-', '') ON CONFLICT DO NOTHING",
        deadline_);
}

// False: nothing was left to do.
result<bool> migration::apply_next(const table::schema& schema) {
    TRY(const auto done, applied(on_, deadline_));
    TRY(const auto left, table::pending(schema, done));
    if (left.empty()) return false;
    auto reserved = apply(left.front());
    if (reserved) return true;
    if (!on_.broken())
        ignore_error(on_.run("ROLLBACK", deadline_), "a broken connection is not used again");
    // Another server was faster, or a table of that name is there: pending() tells which.
    if (reserved.error().code() == errc::conflict) {
        TRY(const auto now, applied(on_, deadline_));
        if (now.size() > done.size()) return true;
    }
    return fail(reserved.error());
}

result<void> migration::apply(const table::migration& change) {
    since_ = runtime::monotonic_now();
    now_ = {.at = stage::waiting, .version = change.version, .what = change.what};
    CHECK_OK(claim(change));
    tell(stage::begun);
    for (const auto& text : ledger_sql::statements_for(dialect::postgres, change)) {
        if (auto done = on_.run(text, deadline_); !done)
            return fail(done.error().within("schema version " + std::to_string(change.version)));
    }
    CHECK_OK(on_.run("COMMIT", deadline_));
    tell(stage::done);
    return {};
}

// Another server's migration may take as long as it likes; its tables' locks may not, because
// whoever reads and writes them waits behind us.
result<void> migration::claim(const table::migration& change) {
    CHECK_OK(
        on_.run("BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0", deadline_));
    const ledger_sql::statement row{
        .text = "INSERT INTO muster_migrations (version, what, digest) VALUES ($1, $2, $3)",
        .parameters = {change.version, change.what, table::digest(change)}};
    CHECK_OK(on_.execute(row, deadline_));
    return on_.run("SET LOCAL lock_timeout TO DEFAULT", deadline_);
}

void migration::tell(stage at) {
    now_.at = at;
    now_.taken = std::chrono::floor<std::chrono::seconds>(runtime::monotonic_now() - since_);
    if (options_.on_migration) options_.on_migration(now_);
}

void migration::still_waiting() {
    if (now_.version == 0 || now_.at == stage::done) return;
    tell(now_.at == stage::begun ? stage::working : now_.at);
}

}  // namespace

result<void> migrate(
    connection& on, const table::schema& schema, const settings& settings, instant deadline) {
    return migration(on, settings, deadline).run(schema);
}

result<table::schema> standing(connection& on, const table::schema& schema, instant deadline) {
    const ledger_sql::statement books{
        .text =
            "SELECT 1 FROM information_schema.tables WHERE table_name = 'muster_migrations' "
            "AND table_schema = current_schema()",
        .parameters = {}};
    TRY(const answer begun, on.execute(books, deadline));
    if (begun.rows() == 0) return table::schema();
    TRY(const auto done, applied(on, deadline));
    return table::standing(schema, done);
}

result<ledger_identity> read_identity(connection& on, instant deadline) {
    const ledger_sql::statement query{
        .text = "SELECT name, (SELECT max(version) FROM muster_migrations) FROM muster_identity",
        .parameters = {}};
    TRY(const answer answer, on.execute(query, deadline));
    if (answer.rows() != 1 || answer.is_null(0, 1))
        return fail(errc::corrupt, "the database has lost its identity");
    return ledger_identity{
        .engine = "PostgreSQL " + on.server_version(),
        .database = std::string(answer.cell(0, 0)),
        .version = answer.integer(0, 1)};
}

}  // namespace muster::ledger_postgres
