#include "adapters/ledger/postgres/group_writer.h"

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/group_sql.h"
#include "adapters/ledger/postgres/partitions.h"

#include <algorithm>
#include <utility>

namespace muster::ledger_postgres {
namespace {

constexpr std::size_t new_partitions_max = 100;

// The rows of a table in COPY's binary format, in pieces.
class copy_content {
public:
    explicit copy_content(const staged_table& staged_table) : table_(staged_table) {}

    void next(std::string& out) {
        if (ended_) return;
        if (order_ == 0) append_copy_header(out);
        while (out.size() < piece_bytes && batch_ < table_.insert_batches.size()) {
            const auto& rows = table_.insert_batches[batch_].rows;
            if (row_ < rows.size()) {
                append(rows[row_++], out);
            } else {
                ++batch_;
                row_ = 0;
            }
        }
        ended_ = batch_ == table_.insert_batches.size();
        if (ended_) append_copy_trailer(out);
    }

private:
    static constexpr std::size_t piece_bytes = 64 * std::size_t{1024};

    void append(const staged_row& row, std::string& out) {
        append_tuple_start(row.cells->size() + 3, out);
        append_int32_field(row.batch, out);
        append_int32_field(static_cast<std::int32_t>(batch_), out);
        append_int32_field(++order_, out);
        for (const auto& cell : *row.cells) append_field(cell, out);
    }

    const staged_table& table_;
    std::size_t batch_ = 0;
    std::size_t row_ = 0;
    std::int32_t order_ = 0;
    bool ended_ = false;
};

// Notifies listeners of `muster_changes` of the number of written rows a table. Some of the rows
// may have existed already.
std::string notify_statement(const staged_group& staged) {
    std::string counts;
    for (const auto& [name, table] : staged.tables) {
        if (!table.table->is_sequenced()) continue;
        counts += (counts.empty() ? "" : " ") + name + "=" + std::to_string(table.row_count());
    }
    return "NOTIFY muster_changes, " + ledger_sql::text_literal(counts);
}

// An insert_batch and the index of its result.
struct insert_result {
    const staged_table* table;
    std::size_t insert_index;
    std::size_t result_index;
};

// Adds the results of insert_statement() to the summaries of the requests.
struct change_counter {
    std::vector<table::summary>& summaries;

    void count_changes(
        const query_result& query_result, const staged_table& table, std::size_t insert_index) {
        for (int row = 0; row < query_result.rows(); ++row) {
            const table::sequence last(
                query_result.is_null(row, 2) ? 0 : query_result.integer(row, 2));
            if (query_result.is_null(row, 0)) {
                count_all(table, insert_index, last);
                continue;
            }
            auto& summary = summaries[static_cast<std::size_t>(query_result.integer(row, 0))];
            summary.changed += static_cast<std::size_t>(query_result.integer(row, 1));
            summary.last = std::max(summary.last, last);
        }
    }

    // Rows are numbered in staging order; `last` is the number of the last one.
    void count_all(const staged_table& table, std::size_t insert_index, table::sequence last) {
        const auto& rows = table.insert_batches[insert_index].rows;
        auto number = last.value() - static_cast<std::int64_t>(rows.size());
        for (const auto& row : rows) {
            auto& summary = summaries[static_cast<std::size_t>(row.batch)];
            ++summary.changed;
            ++number;
            if (table.table->is_sequenced())
                summary.last = std::max(summary.last, table::sequence(number));
        }
    }
};

}  // namespace

result<std::vector<table::summary>> group_writer::write(
    const std::vector<write_request*>& group, instant deadline) {
    const auto staged = stage(group);
    if (auto prepared = prepare(staged, deadline); !prepared)
        return fail(before_commit(prepared.error()));
    if (auto copied = copy(staged, deadline); !copied) {
        staging_tables_.clear();  // a staging table may have been dropped
        if (!connection_.broken())
            ignore_error(
                connection_.run("ROLLBACK", deadline), "a broken connection is not reused");
        return fail(before_commit(copied.error()));
    }
    auto committed = insert_and_commit(group, staged, deadline);
    if (committed) return committed;
    if (committed.error().code() == errc::not_found) known_partitions_.clear();
    if (!connection_.broken())
        ignore_error(connection_.run("ROLLBACK", deadline), "a broken connection is not reused");
    return committed;
}

result<void> group_writer::prepare(const staged_group& staged, instant deadline) {
    for (const auto& [name, table] : staged.tables) {
        if (!staging_tables_.contains(staging_name(*table.table))) {
            CHECK_OK(connection_.run(create_staging_text(*table.table), deadline));
            staging_tables_.insert(staging_name(*table.table));
        }
        CHECK_OK(prepare_partitions(table, deadline));
    }
    return {};
}

result<void> group_writer::prepare_partitions(const staged_table& table, instant deadline) {
    std::vector<wall_time> missing;
    for (const auto start : table.partitions())
        if (!known_partitions_.contains(partition_name(*table.table, start)))
            missing.push_back(start);
    if (missing.size() > new_partitions_max)
        return fail(
            errc::invalid,
            "write needs more than " + std::to_string(new_partitions_max)
                + " new partitions of table " + table.table->name);
    for (const auto start : missing) {
        CHECK_OK(create_partition(connection_, *table.table, start, deadline));
        known_partitions_.insert(partition_name(*table.table, start));
    }
    return {};
}

result<void> group_writer::copy(const staged_group& staged, instant deadline) {
    if (staged.tables.empty()) return connection_.run("BEGIN", deadline);
    std::string first = "BEGIN; ";  // with the first COPY, not a round trip of its own
    for (const auto& [name, table] : staged.tables) {
        copy_content content(table);
        const auto text = std::exchange(first, "") + copy_text(*table.table);
        CHECK_OK(connection_.copy_in(
            text, [&content](std::string& out) { content.next(out); }, deadline));
    }
    return {};
}

result<std::vector<table::summary>> group_writer::insert_and_commit(
    const std::vector<write_request*>& group, const staged_group& staged, instant deadline) {
    std::vector<ledger_sql::statement> statements;
    std::vector<insert_result> inserts;
    bool sequenced = false;
    for (const auto& [name, table] : staged.tables) {
        if (!table.table->is_sequenced()) continue;
        statements.push_back(advance_sequence_statement(*table.table, table.row_count()));
        sequenced = true;
    }
    for (const auto& [name, table] : staged.tables) {
        for (std::size_t index = 0; index < table.insert_batches.size(); ++index) {
            inserts.push_back(
                {.table = &table, .insert_index = index, .result_index = statements.size()});
            statements.push_back(insert_statement(table, index));
        }
    }
    const std::size_t first_erasure = statements.size();
    for (const auto& erasure : staged.erasures)
        statements.push_back(erase_statement(*erasure.table, *erasure.key));
    if (sequenced && notify_supported_)
        statements.push_back({.text = notify_statement(staged), .parameters = {}});

    TRY(const std::vector<query_result> results, connection_.commit(statements, deadline));
    std::vector<table::summary> summaries(group.size());
    for (const auto& insert : inserts)
        change_counter{summaries}.count_changes(
            results[insert.result_index], *insert.table, insert.insert_index);
    for (std::size_t index = 0; index < staged.erasures.size(); ++index)
        summaries[static_cast<std::size_t>(staged.erasures[index].batch)].erased +=
            results[first_erasure + index].touched();
    for (std::size_t index = 0; index < group.size(); ++index)
        summaries[index].kept = count_rows(group[index]->change) - summaries[index].changed;
    return summaries;
}

}  // namespace muster::ledger_postgres
