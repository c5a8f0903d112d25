#include "adapters/ledger/sqlite/sqlite_ledger.h"

#include "adapters/ledger/sql/dialect.h"
#include "adapters/ledger/sql/sequence_notifier.h"
#include "adapters/ledger/sqlite/migrator.h"
#include "adapters/ledger/sqlite/reader.h"
#include "adapters/ledger/sqlite/writer.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::ledger_sqlite {
namespace {

using catalog_ptr = std::shared_ptr<const table::catalog>;

std::unexpected<error> closing_error() {
    return fail(errc::unavailable, "ledger is closing or its write queue is full");
}

// Reads all sequences, after every commit while there are waiters.
class sequence_reader final : public ledger_sql::sequence_source {
public:
    explicit sequence_reader(sqlite::database db) : db_(std::move(db)) {}

    result<sequences> read() override {
        if (!query_) {  // the first migration creates the table
            TRY(query_, db_.prepare("SELECT table_name, last FROM muster_sequences"));
        }
        auto sequences_by_table = read_rows();
        query_->reset();  // ends the read transaction
        return sequences_by_table;
    }

private:
    result<sequences> read_rows() {
        sequences sequences_by_table;
        while (true) {
            TRY(const bool more, query_->step());
            if (!more) return sequences_by_table;
            sequences_by_table.emplace(query_->text(0), table::sequence(query_->integer(1)));
        }
    }

    sqlite::database db_;
    std::optional<sqlite::statement> query_;
};

// Erases up to `rows_max` old rows; false when none is left.
result<bool> erase_rows_before(
    sqlite::database& db,
    const table::definition& definition,
    wall_time before,
    std::size_t rows_max) {
    const auto end = table::partition_start(*definition.partition, before);
    const std::string name = ledger_sql::identifier(definition.name);
    TRY(sqlite::statement erase,
        db.prepare(
            "DELETE FROM " + name + " WHERE rowid IN (SELECT rowid FROM " + name + " WHERE "
            + ledger_sql::identifier(definition.partition->column) + " < ?1 LIMIT ?2)"));
    CHECK_OK(erase.run(
        {std::int64_t{end.time_since_epoch().count()}, static_cast<std::int64_t>(rows_max)}));
    return db.changed_rows() > 0;
}

result<ledger_identity> read_identity(sqlite::database& db) {
    TRY(sqlite::statement query, db.prepare("SELECT name, sqlite_version() FROM muster_identity"));
    TRY(const bool found, query.step());
    if (!found) return fail(errc::corrupt, "database identity row is missing");
    return ledger_identity{
        .engine = "SQLite " + std::string(query.text(1)),
        .database = std::string(query.text(0)),
        .version = 0};
}

class sqlite_ledger final : public ledger {
public:
    struct connections {
        sqlite::database writer;
        std::vector<sqlite::database> readers;
        sqlite::database sequences;
    };

    sqlite_ledger(connections connections, const options& settings)
        : settings_(settings),
          sequence_reader_(std::move(connections.sequences)),
          notifier_(sequence_reader_, {}),
          writer_(std::move(connections.writer), settings, notifier_),
          reader_(std::move(connections.readers), settings) {}

    async<void> migrate(table::schema schema) override {
        CO_TRY(table::catalog catalog, table::catalog::of(schema));
        CO_CHECK_OK(
            co_await run_on_writer<void>([schema = std::move(schema)](sqlite::database& db) {
                return ledger_sqlite::migrate(db, schema);
            }));
        const std::lock_guard lock(mutex_);
        tables_ = std::make_shared<const table::catalog>(std::move(catalog));
        co_return result<void>();
    }

    async<std::int64_t> inspect(table::schema schema) override {
        CO_TRY(
            const auto applied,
            co_await run_on_writer<table::schema>(
                [schema = std::move(schema)](sqlite::database& db) {
                    return applied_schema(db, schema);
                }));
        CO_TRY(table::catalog catalog, table::catalog::of(applied));
        const auto version = catalog.version();
        const std::lock_guard lock(mutex_);
        tables_ = std::make_shared<const table::catalog>(std::move(catalog));
        co_return version;
    }

    async<table::summary> write(table::batch change) override {
        CO_TRY(catalog_ptr catalog, tables());
        CO_CHECK_OK(table::check(change, *catalog));
        const ledger_sql::group_weight size{
            .rows = table::row_count(change), .bytes = table::size_bytes(change)};
        write_request request{
            .tables = std::move(catalog),
            .change = std::move(change),
            .size = size,
            .done = nullptr};
        co_return co_await await_callback<table::summary>(
            [this, request = std::move(request)](completion<table::summary> done) mutable {
                request.done = std::move(done);
                writer_.submit(std::move(request));
            });
    }

    async<table::page> read(table::query query) override {
        CO_TRY(catalog_ptr catalog, tables());
        CO_CHECK_OK(table::check(query, *catalog));
        read_request request{
            .tables = std::move(catalog), .query = std::move(query), .done = nullptr};
        co_return co_await await_callback<table::page>(
            [this, request = std::move(request)](completion<table::page> done) mutable {
                request.done = std::move(done);
                reader_.submit(std::move(request));
            });
    }

    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override {
        CO_TRY(const catalog_ptr catalog, tables());
        CO_TRY(const table::definition* definition, catalog->find(table));
        if (!definition->is_sequenced())
            co_return fail(errc::invalid, "table \"" + table + "\" has no change sequence");
        ledger_sql::sequence_notifier::wait_request request{
            .table = std::move(table), .after = after, .timeout = timeout};
        co_return co_await await_callback<table::sequence>(
            [this, request = std::move(request)](completion<table::sequence> done) mutable {
                notifier_.wait(std::move(request), std::move(done));
            });
    }

    async<void> ensure_partitions(table::partition_range partition_range) override {
        CO_TRY(const catalog_ptr catalog, tables());
        CO_CHECK_OK(table::partitions_in(partition_range, *catalog));
        co_return result<void>();  // a file has no partitions to make
    }

    async<void> drop_partitions(std::string table, wall_time before) override {
        CO_TRY(const catalog_ptr catalog, tables());
        CO_TRY(const table::definition* definition, catalog->find(table));
        if (!definition->partition)
            co_return fail(errc::invalid, "table \"" + table + "\" is not partitioned by time");
        while (true) {
            const std::size_t rows_max = settings_.retire_rows_max;
            CO_TRY(
                const bool more,
                co_await run_on_writer<bool>(
                    [catalog, definition, before, rows_max](sqlite::database& db) {
                        return erase_rows_before(db, *definition, before, rows_max);
                    }));
            if (!more) co_return result<void>();
        }
    }

    async<ledger_identity> identity() override {
        CO_TRY(const catalog_ptr catalog, tables());
        CO_TRY(ledger_identity identity, co_await run_on_writer<ledger_identity>(read_identity));
        identity.version = catalog->version();
        co_return identity;
    }

    limit_hits hits() const override { return writer_.hits() + reader_.hits() + notifier_.hits(); }

private:
    template <class T, class Work>
    async<T> run_on_writer(Work work) {
        co_return co_await await_callback<T>(
            [this, work = std::move(work)](completion<T> done) mutable {
                writer_.submit(writer_job(
                    [work = std::move(work), done = std::move(done)](sqlite::database* db) mutable {
                        done(db == nullptr ? result<T>(closing_error()) : result<T>(work(*db)));
                    }));
            });
    }

    result<catalog_ptr> tables() const {
        const std::lock_guard lock(mutex_);
        if (!tables_) return fail(errc::invalid, "ledger must be migrated before use");
        return tables_;
    }

    options settings_;
    mutable std::mutex mutex_;
    catalog_ptr tables_;
    sequence_reader sequence_reader_;
    ledger_sql::sequence_notifier notifier_;
    writer writer_;
    reader reader_;
};

}  // namespace

result<std::unique_ptr<ledger>> open(options settings) {
    const sqlite::open_options file{
        .file = settings.file,
        .locking_mode = sqlite::locking::shared,
        .busy_wait = settings.lock_wait};
    TRY(sqlite::database writer, sqlite::database::open(file));
    TRY(sqlite::database sequences, sqlite::database::open(file));
    sqlite_ledger::connections connections{
        .writer = std::move(writer), .readers = {}, .sequences = std::move(sequences)};
    for (std::size_t count = 0; count < settings.readers; ++count) {
        TRY(sqlite::database readers, sqlite::database::open(file));
        connections.readers.push_back(std::move(readers));
    }
    return std::make_unique<sqlite_ledger>(std::move(connections), settings);
}

}  // namespace muster::ledger_sqlite
