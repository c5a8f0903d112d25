#include "adapters/ledger/sqlite/migrator.h"

#include "adapters/ledger/sql/dialect.h"
#include "adapters/sqlite/transaction.h"

#include <vector>

namespace muster::ledger_sqlite {
namespace {

using ledger_sql::dialect;

result<void> prepare_books(sqlite::database& on) {
    TRY(sqlite::transaction work, sqlite::transaction::begin(on));
    for (const auto& text : ledger_sql::bookkeeping(dialect::sqlite)) {
        CHECK_OK(on.execute(text));
    }
    CHECK_OK(on.execute(
        "INSERT INTO muster_identity (singleton, name) VALUES (1, lower(hex(randomblob(16)))) "
        "ON CONFLICT DO NOTHING"));
    return work.commit();
}

result<std::vector<table::applied_migration>> applied(sqlite::database& on) {
    TRY(sqlite::statement query,
        on.prepare("SELECT version, digest FROM muster_migrations ORDER BY version"));
    std::vector<table::applied_migration> applied_migrations;
    while (true) {
        TRY(const bool more, query.step());
        if (!more) return applied_migrations;
        applied_migrations.push_back(
            {.version = query.integer(0), .digest = std::string(query.text(1))});
    }
}

result<void> apply(sqlite::database& on, const table::migration& change) {
    for (const auto& text : ledger_sql::statements_for(dialect::sqlite, change)) {
        CHECK_OK(on.execute(text));
    }
    TRY(sqlite::statement remember,
        on.prepare("INSERT INTO muster_migrations (version, what, digest) VALUES (?1, ?2, ?3)"));
    return remember.run({change.version, change.what, table::digest(change)});
}

// False: nothing was left to do.
result<bool> apply_next(sqlite::database& on, const table::schema& schema) {
    TRY(sqlite::transaction work, sqlite::transaction::begin(on));
    TRY(const auto done, applied(on));
    TRY(const auto left, table::pending(schema, done));
    if (left.empty()) return false;
    if (auto fine = apply(on, left.front()); !fine)
        return fail(fine.error().within("schema version " + std::to_string(left.front().version)));
    CHECK_OK(work.commit());
    return true;
}

}  // namespace

result<void> migrate(sqlite::database& on, const table::schema& schema) {
    CHECK_OK(prepare_books(on));
    while (true) {
        TRY(const bool again, apply_next(on, schema));
        if (!again) return {};
    }
}

result<table::schema> standing(sqlite::database& on, const table::schema& schema) {
    TRY(sqlite::statement books,
        on.prepare("SELECT 1 FROM sqlite_master WHERE name = 'muster_migrations'"));
    TRY(const bool begun, books.step());
    if (!begun) return table::schema();
    TRY(const auto done, applied(on));
    return table::standing(schema, done);
}

}  // namespace muster::ledger_sqlite
