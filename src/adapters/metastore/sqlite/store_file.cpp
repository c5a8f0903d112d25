#include "adapters/metastore/sqlite/store_file.h"

#include "adapters/sqlite/transaction.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace muster::metastore_sqlite {
namespace {

constexpr std::int32_t application_id = 0x4d534d53;  // "MSMS": muster's metastore in SQLite
constexpr std::int64_t schema_version = 1;

constexpr auto schema = R"(
    CREATE TABLE entry(
        key BLOB PRIMARY KEY NOT NULL,
        value BLOB NOT NULL,
        created INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        lease INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE lease(id INTEGER PRIMARY KEY NOT NULL, ttl_seconds INTEGER NOT NULL);
    CREATE TABLE head(
        only INTEGER PRIMARY KEY NOT NULL CHECK(only = 1),
        revision INTEGER NOT NULL,
        last_lease INTEGER NOT NULL,
        groups INTEGER NOT NULL);
    INSERT INTO head VALUES(1, 0, 0, 0);
)";

}  // namespace

result<store_file> store_file::open(
    const std::filesystem::path& file, std::chrono::milliseconds lock_wait) {
    TRY(auto opened,
        sqlite::database::open(
            {.file = file,
             .locking_mode = sqlite::locking::exclusive,
             .application_id = application_id,
             .busy_wait = lock_wait}));
    const auto add_file_name = [&file](const error& failure) {
        return fail(failure.with_context(file.string()));
    };
    if (const auto checked = prepare_schema(opened); !checked)
        return add_file_name(checked.error());
    auto head = read_head(opened);
    if (!head) return add_file_name(head.error());
    auto prepared = prepare(opened);
    if (!prepared) return add_file_name(prepared.error());
    return store_file(std::move(opened), *std::move(prepared), *head);
}

result<void> store_file::prepare_schema(sqlite::database& db) {
    // Rare checkpoints: each costs two more fsyncs.
    CHECK_OK(db.execute("PRAGMA wal_autocheckpoint=4000"));
    TRY(const std::int64_t version, db.query_integer("PRAGMA user_version"));
    if (version > schema_version) {
        return fail(
            errc::invalid,
            fmt::format(
                "database was written by a newer version of muster (schema {}, supported {}); run "
                "that version",
                version,
                schema_version));
    }
    if (version == schema_version) return {};
    TRY(auto transaction, sqlite::transaction::begin(db));
    CHECK_OK(db.execute(schema));
    CHECK_OK(db.execute(fmt::format("PRAGMA user_version={}", schema_version)));
    return transaction.commit();
}

result<store_file::statements> store_file::prepare(sqlite::database& db) {
    TRY(auto put_entry, db.prepare("INSERT OR REPLACE INTO entry VALUES(?,?,?,?,?)"));
    TRY(auto erase_entry, db.prepare("DELETE FROM entry WHERE key=?"));
    TRY(auto put_lease, db.prepare("INSERT OR REPLACE INTO lease VALUES(?,?)"));
    TRY(auto erase_lease, db.prepare("DELETE FROM lease WHERE id=?"));
    TRY(auto set_head, db.prepare("UPDATE head SET revision=?, last_lease=?, groups=?"));
    return statements{
        .put_entry = std::move(put_entry),
        .erase_entry = std::move(erase_entry),
        .put_lease = std::move(put_lease),
        .erase_lease = std::move(erase_lease),
        .set_head = std::move(set_head)};
}

result<file_head> store_file::read_head(sqlite::database& db) {
    TRY(auto query, db.prepare("SELECT revision, last_lease, groups FROM head"));
    TRY(const bool found, query.step());
    if (!found) return fail(errc::corrupt, "head row is missing");
    return file_head{
        .at = kv::revision(query.integer(0)),
        .last_lease = kv::lease_id(query.integer(1)),
        .groups = query.integer(2)};
}

result<kv::snapshot> store_file::load() {
    CHECK_OK(database_.check_integrity());
    kv::snapshot snapshot{
        .at = head_.at, .last_lease = head_.last_lease, .oldest = head_.at.next()};
    TRY(auto leases, database_.prepare("SELECT id, ttl_seconds FROM lease"));
    while (true) {
        TRY(const bool has_row, leases.step());
        if (!has_row) break;
        snapshot.leases.push_back(
            {kv::lease_id(leases.integer(0)), std::chrono::seconds(leases.integer(1))});
    }
    TRY(auto entries, database_.prepare("SELECT key, value, created, modified, lease FROM entry"));
    while (true) {
        TRY(const bool has_row, entries.step());
        if (!has_row) break;
        snapshot.entries.push_back(
            {.key = std::string(entries.bytes(0)),
             .value = std::string(entries.bytes(1)),
             .created = kv::revision(entries.integer(2)),
             .modified = kv::revision(entries.integer(3)),
             .lease = kv::lease_id(entries.integer(4))});
    }
    return snapshot;
}

result<void> store_file::write(const delta& changes, const file_head& next) {
    TRY(auto transaction, sqlite::transaction::begin(database_));
    CHECK_OK(write_entries(changes));
    CHECK_OK(write_leases(changes));
    CHECK_OK(statements_.set_head.run({next.at.value(), next.last_lease.value(), next.groups}));
    CHECK_OK(transaction.commit());
    head_ = next;
    return {};
}

result<void> store_file::write_entries(const delta& changes) {
    for (const auto& [key, entry] : changes.entries) {
        if (!entry) {
            CHECK_OK(statements_.erase_entry.run({sqlite::blob{key}}));
            continue;
        }
        CHECK_OK(statements_.put_entry.run(
            {sqlite::blob{key},
             sqlite::blob{entry->value},
             entry->created.value(),
             entry->modified.value(),
             entry->lease.value()}));
    }
    return {};
}

result<void> store_file::write_leases(const delta& changes) {
    for (const auto& [id, ttl] : changes.leases) {
        if (!ttl) {
            CHECK_OK(statements_.erase_lease.run({id.value()}));
            continue;
        }
        CHECK_OK(statements_.put_lease.run({id.value(), std::int64_t{ttl->count()}}));
    }
    return {};
}

}  // namespace muster::metastore_sqlite
