#include "adapters/ledger/postgres/postgres_ledger.h"

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/listener.h"
#include "adapters/ledger/postgres/migrator.h"
#include "adapters/ledger/postgres/partitions.h"
#include "adapters/ledger/postgres/vigil.h"
#include "adapters/ledger/postgres/worker_pool.h"
#include "adapters/ledger/postgres/writer_pool.h"
#include "adapters/ledger/sql/doorbell.h"
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
    const auto take = [&](const answer& one) -> result<void> {
        TRY(table::row cells, read_row(one, columns));
        page.add(std::move(cells));
        return {};
    };
    CHECK_OK(on.execute_by_row(
        ledger_sql::select_statement(ledger_sql::dialect::postgres, question, checked),
        take,
        deadline));
    return page.finish();
}

// Looks at the sequences, on the doorbell's thread, with a connection of its own.
class sequence_reader {
public:
    explicit sequence_reader(const settings& how) : how_(how) {}

    result<ledger_sql::doorbell::sequences> look() {
        const instant deadline = runtime::monotonic_now() + how_.attempt;
        if (!on_ || on_->broken()) {
            on_.reset();
            TRY(connection made, connection::open(how_, deadline));
            on_.emplace(std::move(made));
        }
        const ledger_sql::statement query{
            .text = "SELECT table_name, last FROM muster_sequences", .parameters = {}};
        auto found = on_->execute(query, deadline);
        if (!found) return fail(errc::unavailable, found.error().detail());
        ledger_sql::doorbell::sequences all;
        for (int row = 0; row < found->rows(); ++row)
            all.emplace(found->cell(row, 0), table::sequence(found->integer(row, 1)));
        return all;
    }

private:
    const settings& how_;
    std::optional<connection> on_;
};

class postgres_ledger final : public ledger {
public:
    explicit postgres_ledger(settings how)
        : how_(std::move(how)),
          sequences_(how_),
          bell_([this] { return sequences_.look(); }, {}),
          listener_(how_, [this] { bell_.ring(); }),
          writers_(how_, listener_.supported()),
          workers_(how_) {}

    async<void> migrate(table::schema wanted) override {
        CO_TRY(table::catalog next, table::catalog::of(wanted));
        worker_pool::work<void> work = [this, wanted = std::move(wanted)](
                                           connection& on, instant deadline) {
            return ledger_postgres::migrate(on, wanted, how_, deadline);
        };
        const worker_pool::patience limits{
            .each_try = worker_pool::without_limit,
            .to_begin = how_.migration_patience,
            .in_all = worker_pool::without_limit};
        CO_CHECK_OK(co_await workers_.perform<void>(std::move(work), limits));
        const std::lock_guard lock(guard_);
        tables_ = std::make_shared<const table::catalog>(std::move(next));
        co_return result<void>();
    }

    async<std::int64_t> look(table::schema known) override {
        worker_pool::work<table::schema> work = [known = std::move(known)](
                                                    connection& on, instant deadline) {
            return standing(on, known, deadline);
        };
        CO_TRY(
            const auto part, co_await workers_.perform<table::schema>(std::move(work), patience()));
        CO_TRY(table::catalog found, table::catalog::of(part));
        const auto version = found.version();
        const std::lock_guard lock(guard_);
        tables_ = std::make_shared<const table::catalog>(std::move(found));
        co_return version;
    }

    async<table::summary> write(table::batch change) override {
        CO_TRY(catalog_ptr known, tables());
        write_request request;
        CO_TRY(request.keys, table::touched_keys(change, *known));
        request.rows = table::row_count(change);
        request.bytes = table::size_bytes(change);
        request.tables = std::move(known);
        request.change = std::move(change);
        request.deadline = runtime::monotonic_now() + how_.patience;
        co_return co_await completed<table::summary>(
            [this, request = std::move(request)](completion<table::summary> done) mutable {
                request.done = std::move(done);
                writers_.submit(std::move(request));
            });
    }

    async<table::page> read(table::query question) override {
        CO_TRY(catalog_ptr known, tables());
        CO_CHECK_OK(table::check(question, *known));
        worker_pool::work<table::page> work = [question = std::move(question), known](
                                                  connection& on, instant deadline) {
            return read_page(on, question, *known, deadline);
        };
        co_return co_await workers_.perform<table::page>(std::move(work), patience());
    }

    async<table::sequence> wait_for_change(
        std::string table, table::sequence after, std::chrono::milliseconds patience) override {
        CO_TRY(const catalog_ptr known, tables());
        CO_TRY(const table::definition* followed, known->find(table));
        if (!followed->is_sequenced())
            co_return fail(errc::invalid, "table " + table + " has no change sequence");
        ledger_sql::doorbell::wish wish{
            .table = std::move(table), .after = after, .patience = patience};
        co_return co_await completed<table::sequence>(
            [this, wish = std::move(wish)](completion<table::sequence> done) mutable {
                bell_.wait(std::move(wish), std::move(done));
            });
    }

    async<void> ensure_partitions(table::partition_range wanted) override {
        CO_TRY(catalog_ptr known, tables());
        CO_TRY(std::vector<wall_time> starts, table::partitions_in(wanted, *known));
        CO_TRY(const table::definition* parent, known->find(wanted.table));
        worker_pool::work<void> work = [known, parent, starts = std::move(starts)](
                                           connection& on, instant deadline) -> result<void> {
            for (const auto start : starts) {
                CHECK_OK(make_partition(on, *parent, start, deadline));
            }
            return {};
        };
        co_return co_await workers_.perform<void>(std::move(work), patience());
    }

    async<void> retire(std::string table, wall_time before) override {
        CO_TRY(catalog_ptr known, tables());
        CO_TRY(const table::definition* parent, known->find(table));
        if (!parent->partition)
            co_return fail(errc::invalid, "table " + table + " is not partitioned by time");
        worker_pool::work<void> work = [this, known, parent, before](
                                           connection& on, instant deadline) {
            const vigil beside(on, how_, [] {});
            return drop_partitions(on, *parent, before, deadline);
        };
        const worker_pool::patience limits{
            .each_try = how_.retire_attempt,
            .to_begin = how_.migration_patience,
            .in_all = how_.retire_attempt + how_.migration_patience};
        co_return co_await workers_.perform<void>(std::move(work), limits);
    }

    async<ledger_identity> identity() override {
        CO_TRY(const catalog_ptr known, tables());
        worker_pool::work<ledger_identity> work = read_identity;
        co_return co_await workers_.perform<ledger_identity>(std::move(work), patience());
    }

    limit_hits hits() const override { return writers_.hits() + workers_.hits() + bell_.hits(); }

private:
    worker_pool::patience patience() const {
        return {.each_try = how_.attempt, .to_begin = how_.patience, .in_all = how_.patience};
    }

    result<catalog_ptr> tables() const {
        const std::lock_guard lock(guard_);
        if (!tables_) return fail(errc::invalid, "the ledger must be migrated before it is used");
        return tables_;
    }

    settings how_;
    mutable std::mutex guard_;
    catalog_ptr tables_;
    sequence_reader sequences_;
    ledger_sql::doorbell bell_;
    listener listener_;
    writer_pool writers_;
    worker_pool workers_;
};

}  // namespace

std::unique_ptr<ledger> open(settings how) {
    return std::make_unique<postgres_ledger>(std::move(how));
}

}  // namespace muster::ledger_postgres
