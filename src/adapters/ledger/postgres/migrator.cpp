#include "adapters/ledger/postgres/migrator.h"

#include <string>
#include <vector>

namespace muster::ledger_postgres {
namespace {

using ledger_sql::dialect;

constexpr int collisions_max = 20;

// Fails with errc::conflict when another session makes the same table at the same moment.
result<void> prepare_books(connection& on, instant deadline) {
    for (const auto& text : ledger_sql::bookkeeping(dialect::postgres)) {
        CHECK_OK(on.run(text, deadline));
    }
    return on.run(
        "INSERT INTO muster_identity (singleton, name) "
        "SELECT 1, replace(gen_random_uuid()::text, '-', '') ON CONFLICT DO NOTHING",
        deadline);
}

result<std::vector<table::applied_migration>> applied(connection& on, instant deadline) {
    const ledger_sql::statement query{
        .text = "SELECT version, digest FROM muster_migrations ORDER BY version", .parameters = {}};
    TRY(const answer found, on.execute(query, deadline));
    std::vector<table::applied_migration> all;
    for (int row = 0; row < found.rows(); ++row)
        all.push_back(
            {.version = found.integer(row, 0), .digest = std::string(found.cell(row, 1))});
    return all;
}

result<void> apply_in_transaction(
    connection& on, const table::migration& change, instant deadline) {
    CHECK_OK(on.run("BEGIN; SET LOCAL statement_timeout = 0", deadline));
    const ledger_sql::statement claim{
        .text = "INSERT INTO muster_migrations (version, what, digest) VALUES ($1, $2, $3)",
        .parameters = {change.version, change.what, table::digest(change)}};
    CHECK_OK(on.execute(claim, deadline));
    for (const auto& text : ledger_sql::statements_for(dialect::postgres, change)) {
        if (auto done = on.run(text, deadline); !done)
            return fail(done.error().within("schema version " + std::to_string(change.version)));
    }
    return on.run("COMMIT", deadline);
}

// False: nothing was left to do.
result<bool> apply_next(connection& on, const table::schema& wanted, instant deadline) {
    TRY(const auto done, applied(on, deadline));
    TRY(const auto left, table::pending(wanted, done));
    if (left.empty()) return false;
    auto taken = apply_in_transaction(on, left.front(), deadline);
    if (taken) return true;
    if (!on.broken())
        ignore_error(on.run("ROLLBACK", deadline), "a broken connection is not used again");
    // Another server was faster, or a table of that name is there: pending() tells which.
    if (taken.error().code() == errc::conflict) {
        TRY(const auto now, applied(on, deadline));
        if (now.size() > done.size()) return true;
    }
    return fail(taken.error());
}

}  // namespace

result<void> migrate(connection& on, const table::schema& wanted, instant deadline) {
    auto books = prepare_books(on, deadline);
    for (int tries = 0; tries < collisions_max && !books; ++tries) {
        if (books.error().code() != errc::conflict) return books;
        books = prepare_books(on, deadline);
    }
    CHECK_OK(std::move(books));
    while (true) {
        TRY(const bool again, apply_next(on, wanted, deadline));
        if (!again) return {};
    }
}

result<table::schema> standing(connection& on, const table::schema& known, instant deadline) {
    const ledger_sql::statement books{
        .text =
            "SELECT 1 FROM information_schema.tables WHERE table_name = 'muster_migrations' "
            "AND table_schema = current_schema()",
        .parameters = {}};
    TRY(const answer begun, on.execute(books, deadline));
    if (begun.rows() == 0) return table::schema();
    TRY(const auto done, applied(on, deadline));
    return table::standing(known, done);
}

result<ledger_identity> read_identity(connection& on, instant deadline) {
    const ledger_sql::statement query{
        .text = "SELECT name, (SELECT max(version) FROM muster_migrations) FROM muster_identity",
        .parameters = {}};
    TRY(const answer found, on.execute(query, deadline));
    if (found.rows() != 1 || found.is_null(0, 1))
        return fail(errc::corrupt, "the database has lost its identity");
    return ledger_identity{
        .engine = "PostgreSQL " + on.server_version(),
        .database = std::string(found.cell(0, 0)),
        .version = found.integer(0, 1)};
}

}  // namespace muster::ledger_postgres
