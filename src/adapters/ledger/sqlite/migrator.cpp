#include "adapters/ledger/sqlite/migrator.h"

#include "adapters/ledger/sql/dialect.h"
#include "adapters/sqlite/transaction.h"

#include <vector>

namespace muster::ledger_sqlite {
namespace {

using ledger_sql::dialect;

result<void> create_bookkeeping(sqlite::database& db) {
    TRY(sqlite::transaction transaction, sqlite::transaction::begin(db));
    for (const auto& text : ledger_sql::bookkeeping_statements(dialect::sqlite)) {
        CHECK_OK(db.execute(text));
    }
    CHECK_OK(db.execute(
        "INSERT INTO muster_identity (singleton, name) VALUES (1, lower(hex(randomblob(16)))) "
        "ON CONFLICT DO NOTHING"));
    return transaction.commit();
}

result<std::vector<table::applied_migration>> read_applied(sqlite::database& db) {
    TRY(sqlite::statement query,
        db.prepare("SELECT version, digest FROM muster_migrations ORDER BY version"));
    std::vector<table::applied_migration> applied_migrations;
    while (true) {
        TRY(const bool more, query.step());
        if (!more) return applied_migrations;
        applied_migrations.push_back(
            {.version = query.integer(0), .digest = std::string(query.text(1))});
    }
}

result<void> apply(sqlite::database& db, const table::migration& change) {
    for (const auto& text : ledger_sql::migration_statements(dialect::sqlite, change)) {
        CHECK_OK(db.execute(text));
    }
    TRY(sqlite::statement record,
        db.prepare("INSERT INTO muster_migrations (version, what, digest) VALUES (?1, ?2, ?3)"));
    return record.run({change.version, change.description, table::digest(change)});
}

// False: the file is up to date.
result<bool> apply_next(sqlite::database& db, const table::schema& schema) {
    TRY(sqlite::transaction transaction, sqlite::transaction::begin(db));
    TRY(const auto done, read_applied(db));
    TRY(const auto pending, table::pending(schema, done));
    if (pending.empty()) return false;
    if (auto applied = apply(db, pending.front()); !applied)
        return fail(applied.error().with_context(
            "schema version " + std::to_string(pending.front().version)));
    CHECK_OK(transaction.commit());
    return true;
}

}  // namespace

result<void> migrate(sqlite::database& db, const table::schema& schema) {
    CHECK_OK(create_bookkeeping(db));
    while (true) {
        TRY(const bool applied, apply_next(db, schema));
        if (!applied) return {};
    }
}

result<table::schema> applied_schema(sqlite::database& db, const table::schema& schema) {
    TRY(sqlite::statement query,
        db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'muster_migrations'"));
    TRY(const bool migrated, query.step());
    if (!migrated) return table::schema();
    TRY(const auto done, read_applied(db));
    return table::applied_schema(schema, done);
}

}  // namespace muster::ledger_sqlite
