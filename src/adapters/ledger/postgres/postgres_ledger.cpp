#include "adapters/ledger/postgres/postgres_ledger.h"

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/listener.h"
#include "adapters/ledger/postgres/liveness_probe.h"
#include "adapters/ledger/postgres/migrator.h"
#include "adapters/ledger/postgres/partitions.h"
#include "adapters/ledger/postgres/worker_pool.h"
#include "adapters/ledger/postgres/writer_pool.h"
#include "adapters/ledger/sql/sequence_notifier.h"
#include "core/table/partition.h"
#include "runtime/clock.h"

#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::ledger_postgres {
namespace {

using catalog_ptr = std::shared_ptr<const table::catalog>;

result<table::row> read_row(const query_result& source, const std::vector<table::column>& columns) {
    table::row cells;
    cells.reserve(columns.size());
    for (std::size_t index = 0; index < columns.size(); ++index) {
        const int column = static_cast<int>(index);
        if (source.is_null(0, column)) {
            cells.emplace_back(table::null{});
            continue;
        }
        TRY(table::value cell, from_binary(columns[index].type, source.cell(0, column)));
        cells.push_back(std::move(cell));
    }
    return cells;
}

result<table::page> read_page(
    connection& connection,
    const table::query& query,
    const table::catalog& tables,
    instant deadline) {
    TRY(const auto checked, table::check(query, tables));
    const auto columns = checked.table->readable();
    table::page_builder page(query, checked);
    const auto add_row = [&](const query_result& query_result) -> result<void> {
        TRY(table::row cells, read_row(query_result, columns));
        page.add(std::move(cells));
        return {};
    };
    CHECK_OK(connection.execute_by_row(
        ledger_sql::select_statement(ledger_sql::dialect::postgres, query, checked),
        add_row,
        deadline));
    return page.finish();
}

// With a connection of its own.
class sequence_reader final : public ledger_sql::sequence_source {
public:
    explicit sequence_reader(const settings& settings) : options_(settings) {}

    result<sequences> read() override {
        const instant deadline = runtime::monotonic_now() + options_.attempt;
        if (!connection_ || connection_->broken()) {
            connection_.reset();
            TRY(connection opened, connection::open(options_, deadline));
            connection_.emplace(std::move(opened));
        }
        const ledger_sql::statement query{
            .text = "SELECT table_name, last FROM muster_sequences", .parameters = {}};
        auto rows = connection_->execute(query, deadline);
        if (!rows) return fail(errc::unavailable, rows.error().detail());
        sequences sequences_by_table;
        for (int row = 0; row < rows->rows(); ++row)
            sequences_by_table.emplace(rows->cell(row, 0), table::sequence(rows->integer(row, 1)));
        return sequences_by_table;
    }

private:
    const settings& options_;
    std::optional<connection> connection_;
};

class postgres_ledger final : public ledger {
public:
    explicit postgres_ledger(settings settings)
        : options_(std::move(settings)),
          sequences_(options_),
          notifier_(sequences_, {}),
          listener_(options_, notifier_),
          writers_(options_, listener_.supported()),
          workers_(options_) {}

    async<void> migrate(table::schema schema) override {
        CO_TRY(table::catalog catalog, table::catalog::of(schema));
        auto work = [this, schema = std::move(schema)](connection& connection, instant deadline) {
            return ledger_postgres::migrate(connection, schema, options_, deadline);
        };
        const worker_pool::timeout limits{
            .attempt = worker_pool::without_limit,
            .start = options_.migration_timeout,
            .total = worker_pool::without_limit};
        CO_CHECK_OK(co_await workers_.perform<void>(std::move(work), limits));
        const std::lock_guard lock(mutex_);
        tables_ = std::make_shared<const table::catalog>(std::move(catalog));
        co_return result<void>();
    }

    async<std::int64_t> inspect(table::schema schema) override {
        auto work = [schema = std::move(schema)](connection& connection, instant deadline) {
            return applied_schema(connection, schema, deadline);
        };
        CO_TRY(
            const auto applied,
            co_await workers_.perform<table::schema>(std::move(work), timeout()));
        CO_TRY(table::catalog catalog, table::catalog::of(applied));
        const auto version = catalog.version();
        const std::lock_guard lock(mutex_);
        tables_ = std::make_shared<const table::catalog>(std::move(catalog));
        co_return version;
    }

    async<table::summary> write(table::batch change) override {
        CO_TRY(catalog_ptr catalog, tables());
        write_request request;
        CO_TRY(request.keys, table::touched_keys(change, *catalog));
        request.rows = table::row_count(change);
        request.bytes = table::size_bytes(change);
        request.tables = std::move(catalog);
        request.change = std::move(change);
        request.deadline = runtime::monotonic_now() + options_.timeout;
        co_return co_await await_callback<table::summary>(
            [this, request = std::move(request)](completion<table::summary> done) mutable {
                request.done = std::move(done);
                writers_.submit(std::move(request));
            });
    }

    async<table::page> read(table::query query) override {
        CO_TRY(catalog_ptr catalog, tables());
        CO_CHECK_OK(table::check(query, *catalog));
        auto work = [query = std::move(query), catalog](connection& connection, instant deadline) {
            return read_page(connection, query, *catalog, deadline);
        };
        co_return co_await workers_.perform<table::page>(std::move(work), timeout());
    }

    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds timeout) override {
        CO_TRY(const catalog_ptr catalog, tables());
        CO_TRY(const table::definition* definition, catalog->find(table));
        if (!definition->is_sequenced())
            co_return fail(errc::invalid, "table \"" + table + "\" has no change sequence");
        ledger_sql::sequence_notifier::wait_request wait_request{
            .table = std::move(table), .after = after, .timeout = timeout};
        co_return co_await await_callback<table::sequence>(
            [this,
             wait_request = std::move(wait_request)](completion<table::sequence> done) mutable {
                notifier_.wait(std::move(wait_request), std::move(done));
            });
    }

    async<void> ensure_partitions(table::partition_range partition_range) override {
        CO_TRY(catalog_ptr catalog, tables());
        CO_TRY(std::vector<wall_time> starts, table::partitions_in(partition_range, *catalog));
        CO_TRY(const table::definition* parent, catalog->find(partition_range.table));
        auto work = [catalog, parent, starts = std::move(starts)](
                        connection& connection, instant deadline) -> result<void> {
            for (const auto start : starts) {
                CHECK_OK(create_partition(connection, *parent, start, deadline));
            }
            return {};
        };
        co_return co_await workers_.perform<void>(std::move(work), timeout());
    }

    async<void> drop_partitions(std::string table, wall_time before) override {
        CO_TRY(catalog_ptr catalog, tables());
        CO_TRY(const table::definition* parent, catalog->find(table));
        if (!parent->partition)
            co_return fail(errc::invalid, "table \"" + table + "\" is not partitioned by time");
        auto work = [this, catalog, parent, before](connection& connection, instant deadline) {
            const liveness_probe probe(connection, options_);
            return drop_partitions_before(connection, *parent, before, deadline);
        };
        const worker_pool::timeout limits{
            .attempt = options_.retire_attempt,
            .start = options_.migration_timeout,
            .total = options_.retire_attempt + options_.migration_timeout};
        co_return co_await workers_.perform<void>(std::move(work), limits);
    }

    async<ledger_identity> identity() override {
        CO_TRY(const catalog_ptr catalog, tables());
        co_return co_await workers_.perform<ledger_identity>(read_identity, timeout());
    }

    limit_hits hits() const override {
        return writers_.hits() + workers_.hits() + notifier_.hits();
    }

private:
    worker_pool::timeout timeout() const {
        return {.attempt = options_.attempt, .start = options_.timeout, .total = options_.timeout};
    }

    result<catalog_ptr> tables() const {
        const std::lock_guard lock(mutex_);
        if (!tables_) return fail(errc::invalid, "ledger must be migrated before use");
        return tables_;
    }

    settings options_;
    mutable std::mutex mutex_;
    catalog_ptr tables_;
    sequence_reader sequences_;
    ledger_sql::sequence_notifier notifier_;
    listener listener_;
    writer_pool writers_;
    worker_pool workers_;
};

}  // namespace

std::unique_ptr<ledger> open(settings settings) {
    return std::make_unique<postgres_ledger>(std::move(settings));
}

}  // namespace muster::ledger_postgres
