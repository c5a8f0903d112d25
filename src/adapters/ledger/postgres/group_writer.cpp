#include "adapters/ledger/postgres/group_writer.h"

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/group_sql.h"
#include "adapters/ledger/postgres/partitions.h"

#include <algorithm>
#include <utility>

namespace muster::ledger_postgres {
namespace {

constexpr std::size_t partitions_made_by_writing_max = 100;

// The rows of a table as COPY reads them, in pieces.
class copy_content {
public:
    explicit copy_content(const staged_table& staged_table) : what_(staged_table) {}

    void next(std::string& into) {
        if (ended_) return;
        if (order_ == 0) append_copy_header(into);
        while (into.size() < piece_bytes && lane_ < what_.lanes.size()) {
            const auto& rows = what_.lanes[lane_].rows;
            if (row_ < rows.size()) {
                append(rows[row_++], into);
            } else {
                ++lane_;
                row_ = 0;
            }
        }
        ended_ = lane_ == what_.lanes.size();
        if (ended_) append_copy_trailer(into);
    }

private:
    static constexpr std::size_t piece_bytes = 64 * std::size_t{1024};

    void append(const staged_row& row, std::string& into) {
        append_tuple_start(row.cells->size() + 3, into);
        append_int32_field(row.batch, into);
        append_int32_field(static_cast<std::int32_t>(lane_), into);
        append_int32_field(++order_, into);
        for (const auto& cell : *row.cells) append_field(cell, into);
    }

    const staged_table& what_;
    std::size_t lane_ = 0;
    std::size_t row_ = 0;
    std::int32_t order_ = 0;
    bool ended_ = false;
};

// How many rows were written to which table: `LISTEN muster_changes` is enough for a third party to
// know whether to look. Some may turn out to be there already.
std::string doorbell_text(const staged_group& staged) {
    std::string counts;
    for (const auto& [name, each] : staged.tables) {
        if (!each.table->is_sequenced()) continue;
        counts += (counts.empty() ? "" : " ") + name + "=" + std::to_string(each.row_count());
    }
    return "NOTIFY muster_changes, " + ledger_sql::text_literal(counts);
}

// A lane that is written, and which answer tells of it.
struct insertion {
    const staged_table* table;
    std::size_t lane;
    std::size_t answer;
};

// Whose rows each answer to insert_lane() counts.
struct tally {
    std::vector<table::summary>& summaries;

    void count_changes(const answer& answer, const staged_table& table, std::size_t lane_number) {
        for (int row = 0; row < answer.rows(); ++row) {
            const table::sequence last(answer.is_null(row, 2) ? 0 : answer.integer(row, 2));
            if (answer.is_null(row, 0)) {
                count_all(table, lane_number, last);
                continue;
            }
            auto& one = summaries[static_cast<std::size_t>(answer.integer(row, 0))];
            one.changed += static_cast<std::size_t>(answer.integer(row, 1));
            one.last = std::max(one.last, last);
        }
    }

    // Rows are numbered in the order they were staged in, the lane's last one being `last`.
    void count_all(const staged_table& table, std::size_t lane_number, table::sequence last) {
        const auto& rows = table.lanes[lane_number].rows;
        auto number = last.value() - static_cast<std::int64_t>(rows.size());
        for (const auto& row : rows) {
            auto& one = summaries[static_cast<std::size_t>(row.batch)];
            ++one.changed;
            ++number;
            if (table.table->is_sequenced()) one.last = std::max(one.last, table::sequence(number));
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
        staging_made_.clear();  // somebody may have dropped a table of ours
        if (!on_.broken())
            ignore_error(on_.run("ROLLBACK", deadline), "a broken connection is not used again");
        return fail(before_commit(copied.error()));
    }
    auto finished = finish(group, staged, deadline);
    if (finished) return finished;
    if (finished.error().code() == errc::not_found) partitions_known_.clear();
    if (!on_.broken())
        ignore_error(on_.run("ROLLBACK", deadline), "a broken connection is not used again");
    return finished;
}

result<void> group_writer::prepare(const staged_group& staged, instant deadline) {
    for (const auto& [name, each] : staged.tables) {
        if (!staging_made_.contains(staging_name(*each.table))) {
            CHECK_OK(on_.run(create_staging_text(*each.table), deadline));
            staging_made_.insert(staging_name(*each.table));
        }
        CHECK_OK(prepare_partitions(each, deadline));
    }
    return {};
}

result<void> group_writer::prepare_partitions(const staged_table& table, instant deadline) {
    std::vector<wall_time> missing;
    for (const auto start : table.partitions())
        if (!partitions_known_.contains(partition_name(*table.table, start)))
            missing.push_back(start);
    if (missing.size() > partitions_made_by_writing_max)
        return fail(
            errc::invalid,
            "rows for more than " + std::to_string(partitions_made_by_writing_max)
                + " new partitions of table " + table.table->name + " at once");
    for (const auto start : missing) {
        CHECK_OK(make_partition(on_, *table.table, start, deadline));
        partitions_known_.insert(partition_name(*table.table, start));
    }
    return {};
}

result<void> group_writer::copy(const staged_group& staged, instant deadline) {
    if (staged.tables.empty()) return on_.run("BEGIN", deadline);
    std::string first = "BEGIN; ";  // with the first COPY, not a round trip of its own
    for (const auto& [name, each] : staged.tables) {
        copy_content content(each);
        const auto text = std::exchange(first, "") + copy_text(*each.table);
        CHECK_OK(
            on_.copy_in(text, [&content](std::string& into) { content.next(into); }, deadline));
    }
    return {};
}

result<std::vector<table::summary>> group_writer::finish(
    const std::vector<write_request*>& group, const staged_group& staged, instant deadline) {
    std::vector<ledger_sql::statement> statements;
    std::vector<insertion> inserts;
    bool sequenced = false;
    for (const auto& [name, each] : staged.tables) {
        if (!each.table->is_sequenced()) continue;
        statements.push_back(advance_sequence(*each.table, each.row_count()));
        sequenced = true;
    }
    for (const auto& [name, each] : staged.tables) {
        for (std::size_t at = 0; at < each.lanes.size(); ++at) {
            inserts.push_back({.table = &each, .lane = at, .answer = statements.size()});
            statements.push_back(insert_lane(each, at));
        }
    }
    const std::size_t first_erasure = statements.size();
    for (const auto& erasure : staged.erasures)
        statements.push_back(erase_row(*erasure.table, *erasure.key));
    if (sequenced && doorbell_)
        statements.push_back({.text = doorbell_text(staged), .parameters = {}});

    TRY(const std::vector<answer> answers, on_.commit(statements, deadline));
    std::vector<table::summary> summaries(group.size());
    for (const auto& insert : inserts)
        tally{summaries}.count_changes(answers[insert.answer], *insert.table, insert.lane);
    for (std::size_t at = 0; at < staged.erasures.size(); ++at)
        summaries[static_cast<std::size_t>(staged.erasures[at].batch)].erased +=
            answers[first_erasure + at].touched();
    for (std::size_t at = 0; at < group.size(); ++at)
        summaries[at].kept = written_rows(group[at]->change) - summaries[at].changed;
    return summaries;
}

}  // namespace muster::ledger_postgres
