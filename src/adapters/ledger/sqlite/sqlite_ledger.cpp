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

std::unexpected<error> closing() {
    return fail(errc::unavailable, "the ledger is closing or too many writes wait");
}

// Reads all sequences, after every commit while somebody waits for one.
class sequence_reader final : public ledger_sql::sequence_source {
public:
    explicit sequence_reader(sqlite::database on) : on_(std::move(on)) {}

    result<sequences> read() override {
        if (!query_) {  // the table is made by the first migration
            TRY(query_, on_.prepare("SELECT table_name, last FROM muster_sequences"));
        }
        auto match = read_rows();
        query_->reset();  // or the file would be kept as it was now
        return match;
    }

private:
    result<sequences> read_rows() {
        sequences all;
        while (true) {
            TRY(const bool more, query_->step());
            if (!more) return all;
            all.emplace(query_->text(0), table::sequence(query_->integer(1)));
        }
    }

    sqlite::database on_;
    std::optional<sqlite::statement> query_;
};

// One bounded share of a retirement; false when nothing is left.
result<bool> erase_some(
    sqlite::database& on, const table::definition& from, wall_time before, std::size_t rows_max) {
    const auto end = table::partition_start(*from.partition, before);
    const std::string name = ledger_sql::identifier(from.name);
    TRY(sqlite::statement erase,
        on.prepare(
            "DELETE FROM " + name + " WHERE rowid IN (SELECT rowid FROM " + name + " WHERE "
            + ledger_sql::identifier(from.partition->column) + " < ?1 LIMIT ?2)"));
    CHECK_OK(erase.run(
        {std::int64_t{end.time_since_epoch().count()}, static_cast<std::int64_t>(rows_max)}));
    return on.changed_rows() > 0;
}

result<ledger_identity> read_identity(sqlite::database& on) {
    TRY(sqlite::statement query, on.prepare("SELECT name, sqlite_version() FROM muster_identity"));
    TRY(const bool there, query.step());
    if (!there) return fail(errc::corrupt, "the database has lost its identity");
    return ledger_identity{
        .engine = "SQLite " + std::string(query.text(1)),
        .database = std::string(query.text(0)),
        .version = 0};
}

class sqlite_ledger final : public ledger {
public:
    struct connections {
        sqlite::database writing;
        std::vector<sqlite::database> reading;
        sqlite::database looking;
    };

    sqlite_ledger(connections connections, const options& settings)
        : settings_(settings),
          looking_(std::move(connections.looking)),
          bell_(looking_, {}),
          writer_(std::move(connections.writing), settings, bell_),
          reader_(std::move(connections.reading), settings) {}

    async<void> migrate(table::schema schema) override {
        CO_TRY(table::catalog next, table::catalog::of(schema));
        CO_CHECK_OK(co_await on_writer<void>([schema = std::move(schema)](sqlite::database& on) {
            return ledger_sqlite::migrate(on, schema);
        }));
        const std::lock_guard lock(guard_);
        tables_ = std::make_shared<const table::catalog>(std::move(next));
        co_return result<void>();
    }

    async<std::int64_t> look(table::schema schema) override {
        CO_TRY(
            const auto part,
            co_await on_writer<table::schema>([schema = std::move(schema)](sqlite::database& on) {
                return standing(on, schema);
            }));
        CO_TRY(table::catalog catalog, table::catalog::of(part));
        const auto version = catalog.version();
        const std::lock_guard lock(guard_);
        tables_ = std::make_shared<const table::catalog>(std::move(catalog));
        co_return version;
    }

    async<table::summary> write(table::batch change) override {
        CO_TRY(catalog_ptr catalog_ptr, tables());
        CO_CHECK_OK(table::check(change, *catalog_ptr));
        const ledger_sql::weight size{
            .rows = table::row_count(change), .bytes = table::size_bytes(change)};
        write_request request{
            .tables = std::move(catalog_ptr),
            .change = std::move(change),
            .size = size,
            .done = nullptr};
        co_return co_await completed<table::summary>(
            [this, request = std::move(request)](completion<table::summary> done) mutable {
                request.done = std::move(done);
                writer_.submit(std::move(request));
            });
    }

    async<table::page> read(table::query question) override {
        CO_TRY(catalog_ptr catalog_ptr, tables());
        CO_CHECK_OK(table::check(question, *catalog_ptr));
        read_request request{
            .tables = std::move(catalog_ptr), .question = std::move(question), .done = nullptr};
        co_return co_await completed<table::page>(
            [this, request = std::move(request)](completion<table::page> done) mutable {
                request.done = std::move(done);
                reader_.submit(std::move(request));
            });
    }

    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override {
        CO_TRY(const catalog_ptr catalog_ptr, tables());
        CO_TRY(const table::definition* followed, catalog_ptr->find(table));
        if (!followed->is_sequenced())
            co_return fail(errc::invalid, "table " + table + " has no change sequence");
        ledger_sql::sequence_notifier::sequence_wait sequence_wait{
            .table = std::move(table), .after = after, .timeout = timeout};
        co_return co_await completed<table::sequence>(
            [this,
             sequence_wait = std::move(sequence_wait)](completion<table::sequence> done) mutable {
                bell_.wait(std::move(sequence_wait), std::move(done));
            });
    }

    async<void> ensure_partitions(table::partition_range partition_range) override {
        CO_TRY(const catalog_ptr catalog_ptr, tables());
        CO_CHECK_OK(table::partitions_in(partition_range, *catalog_ptr));
        co_return result<void>();  // a file has no partitions to make
    }

    async<void> retire(std::string table, wall_time before) override {
        CO_TRY(const catalog_ptr catalog_ptr, tables());
        CO_TRY(const table::definition* from, catalog_ptr->find(table));
        if (!from->partition)
            co_return fail(errc::invalid, "table " + table + " is not partitioned by time");
        while (true) {
            const std::size_t rows_max = settings_.retire_rows_max;
            CO_TRY(
                const bool more,
                co_await on_writer<bool>(
                    [catalog_ptr, from, before, rows_max](sqlite::database& on) {
                        return erase_some(on, *from, before, rows_max);
                    }));
            if (!more) co_return result<void>();
        }
    }

    async<ledger_identity> identity() override {
        CO_TRY(const catalog_ptr catalog_ptr, tables());
        CO_TRY(ledger_identity match, co_await on_writer<ledger_identity>(read_identity));
        match.version = catalog_ptr->version();
        co_return match;
    }

    limit_hits hits() const override { return writer_.hits() + reader_.hits() + bell_.hits(); }

private:
    template <class T, class Work>
    async<T> on_writer(Work work) {
        co_return co_await completed<T>([this, work = std::move(work)](completion<T> done) mutable {
            writer_.submit(chore(
                [work = std::move(work), done = std::move(done)](sqlite::database* on) mutable {
                    done(on == nullptr ? result<T>(closing()) : result<T>(work(*on)));
                }));
        });
    }

    result<catalog_ptr> tables() const {
        const std::lock_guard lock(guard_);
        if (!tables_) return fail(errc::invalid, "the ledger must be migrated before it is used");
        return tables_;
    }

    options settings_;
    mutable std::mutex guard_;
    catalog_ptr tables_;
    sequence_reader looking_;
    ledger_sql::sequence_notifier bell_;
    writer writer_;
    reader reader_;
};

}  // namespace

result<std::unique_ptr<ledger>> open(options settings) {
    const sqlite::open_options file{
        .file = settings.file, .locks = sqlite::locking::shared, .busy_wait = settings.lock_wait};
    TRY(sqlite::database writing, sqlite::database::open(file));
    TRY(sqlite::database looking, sqlite::database::open(file));
    sqlite_ledger::connections connections{
        .writing = std::move(writing), .reading = {}, .looking = std::move(looking)};
    for (std::size_t count = 0; count < settings.readers; ++count) {
        TRY(sqlite::database reading, sqlite::database::open(file));
        connections.reading.push_back(std::move(reading));
    }
    return std::make_unique<sqlite_ledger>(std::move(connections), settings);
}

}  // namespace muster::ledger_sqlite
