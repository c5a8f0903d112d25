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

result<table::row> read_row(const answer& from, const std::vector<table::column>& columns) {
    table::row cells;
    cells.reserve(columns.size());
    for (std::size_t at = 0; at < columns.size(); ++at) {
        const int column = static_cast<int>(at);
        if (from.is_null(0, column)) {
            cells.emplace_back(table::null{});
            continue;
        }
        TRY(table::value cell, from_binary(columns[at].type, from.cell(0, column)));
        cells.push_back(std::move(cell));
    }
    return cells;
}

result<table::page> read_page(
    connection& on, const table::query& question, const table::catalog& tables, instant deadline) {
    TRY(const auto checked, table::check(question, tables));
    const auto columns = checked.table->readable();
    table::page_builder page(question, checked);
    const auto take = [&](const answer& answer) -> result<void> {
        TRY(table::row cells, read_row(answer, columns));
        page.add(std::move(cells));
        return {};
    };
    CHECK_OK(on.execute_by_row(
        ledger_sql::select_statement(ledger_sql::dialect::postgres, question, checked),
        take,
        deadline));
    return page.finish();
}

// With a connection of its own.
class sequence_reader final : public ledger_sql::sequence_source {
public:
    explicit sequence_reader(const settings& settings) : options_(settings) {}

    result<sequences> read() override {
        const instant deadline = runtime::monotonic_now() + options_.attempt;
        if (!on_ || on_->broken()) {
            on_.reset();
            TRY(connection result, connection::open(options_, deadline));
            on_.emplace(std::move(result));
        }
        const ledger_sql::statement query{
            .text = "SELECT table_name, last FROM muster_sequences", .parameters = {}};
        auto match = on_->execute(query, deadline);
        if (!match) return fail(errc::unavailable, match.error().detail());
        sequences all;
        for (int row = 0; row < match->rows(); ++row)
            all.emplace(match->cell(row, 0), table::sequence(match->integer(row, 1)));
        return all;
    }

private:
    const settings& options_;
    std::optional<connection> on_;
};

class postgres_ledger final : public ledger {
public:
    explicit postgres_ledger(settings settings)
        : options_(std::move(settings)),
          sequences_(options_),
          bell_(sequences_, {}),
          listener_(options_, bell_),
          writers_(options_, listener_.supported()),
          workers_(options_) {}

    async<void> migrate(table::schema schema) override {
        CO_TRY(table::catalog next, table::catalog::of(schema));
        auto work = [this, schema = std::move(schema)](connection& on, instant deadline) {
            return ledger_postgres::migrate(on, schema, options_, deadline);
        };
        const worker_pool::timeout limits{
            .each_try = worker_pool::without_limit,
            .to_begin = options_.migration_timeout,
            .in_all = worker_pool::without_limit};
        CO_CHECK_OK(co_await workers_.perform<void>(std::move(work), limits));
        const std::lock_guard lock(guard_);
        tables_ = std::make_shared<const table::catalog>(std::move(next));
        co_return result<void>();
    }

    async<std::int64_t> look(table::schema schema) override {
        auto work = [schema = std::move(schema)](connection& on, instant deadline) {
            return standing(on, schema, deadline);
        };
        CO_TRY(
            const auto part, co_await workers_.perform<table::schema>(std::move(work), timeout()));
        CO_TRY(table::catalog catalog, table::catalog::of(part));
        const auto version = catalog.version();
        const std::lock_guard lock(guard_);
        tables_ = std::make_shared<const table::catalog>(std::move(catalog));
        co_return version;
    }

    async<table::summary> write(table::batch change) override {
        CO_TRY(catalog_ptr catalog_ptr, tables());
        write_request request;
        CO_TRY(request.keys, table::touched_keys(change, *catalog_ptr));
        request.rows = table::row_count(change);
        request.bytes = table::size_bytes(change);
        request.tables = std::move(catalog_ptr);
        request.change = std::move(change);
        request.deadline = runtime::monotonic_now() + options_.timeout;
        co_return co_await completed<table::summary>(
            [this, request = std::move(request)](completion<table::summary> done) mutable {
                request.done = std::move(done);
                writers_.submit(std::move(request));
            });
    }

    async<table::page> read(table::query question) override {
        CO_TRY(catalog_ptr catalog_ptr, tables());
        CO_CHECK_OK(table::check(question, *catalog_ptr));
        auto work = [question = std::move(question), catalog_ptr](
                        connection& on, instant deadline) {
            return read_page(on, question, *catalog_ptr, deadline);
        };
        co_return co_await workers_.perform<table::page>(std::move(work), timeout());
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
        CO_TRY(catalog_ptr catalog_ptr, tables());
        CO_TRY(std::vector<wall_time> starts, table::partitions_in(partition_range, *catalog_ptr));
        CO_TRY(const table::definition* parent, catalog_ptr->find(partition_range.table));
        auto work = [catalog_ptr, parent, starts = std::move(starts)](
                        connection& on, instant deadline) -> result<void> {
            for (const auto start : starts) {
                CHECK_OK(make_partition(on, *parent, start, deadline));
            }
            return {};
        };
        co_return co_await workers_.perform<void>(std::move(work), timeout());
    }

    async<void> retire(std::string table, wall_time before) override {
        CO_TRY(catalog_ptr catalog_ptr, tables());
        CO_TRY(const table::definition* parent, catalog_ptr->find(table));
        if (!parent->partition)
            co_return fail(errc::invalid, "table " + table + " is not partitioned by time");
        auto work = [this, catalog_ptr, parent, before](connection& on, instant deadline) {
            const liveness_probe beside(on, options_);
            return drop_partitions(on, *parent, before, deadline);
        };
        const worker_pool::timeout limits{
            .each_try = options_.retire_attempt,
            .to_begin = options_.migration_timeout,
            .in_all = options_.retire_attempt + options_.migration_timeout};
        co_return co_await workers_.perform<void>(std::move(work), limits);
    }

    async<ledger_identity> identity() override {
        CO_TRY(const catalog_ptr catalog_ptr, tables());
        co_return co_await workers_.perform<ledger_identity>(read_identity, timeout());
    }

    limit_hits hits() const override { return writers_.hits() + workers_.hits() + bell_.hits(); }

private:
    worker_pool::timeout timeout() const {
        return {
            .each_try = options_.attempt, .to_begin = options_.timeout, .in_all = options_.timeout};
    }

    result<catalog_ptr> tables() const {
        const std::lock_guard lock(guard_);
        if (!tables_) return fail(errc::invalid, "the ledger must be migrated before it is used");
        return tables_;
    }

    settings options_;
    mutable std::mutex guard_;
    catalog_ptr tables_;
    sequence_reader sequences_;
    ledger_sql::sequence_notifier bell_;
    listener listener_;
    writer_pool writers_;
    worker_pool workers_;
};

}  // namespace

std::unique_ptr<ledger> open(settings settings) {
    return std::make_unique<postgres_ledger>(std::move(settings));
}

}  // namespace muster::ledger_postgres
