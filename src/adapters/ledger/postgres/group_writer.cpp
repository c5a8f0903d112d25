#include "adapters/ledger/postgres/group_writer.h"

#include "adapters/ledger/postgres/binary.h"
#include "adapters/ledger/postgres/group_sql.h"
#include "adapters/ledger/postgres/partitions.h"

#include <algorithm>
#include <utility>

namespace muster::ledger_postgres {
namespace {

constexpr std::size_t partitions_made_by_writing_max = 100;

std::string copy_content(const staged_table& what) {
    std::string content;
    append_copy_header(content);
    std::int32_t order = 0;
    std::int32_t lane_number = 0;
    for (const auto& each : what.lanes) {
        for (const auto& row : each.rows) {
            append_tuple_start(row.cells->size() + 3, content);
            append_int32_field(row.batch, content);
            append_int32_field(lane_number, content);
            append_int32_field(++order, content);
            for (const auto& cell : *row.cells) append_field(cell, content);
        }
        ++lane_number;
    }
    append_copy_trailer(content);
    return content;
}

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

// Whose rows each answer of the pipeline counts.
struct tally {
    std::vector<table::summary>& summaries;

    void count_changes(const answer& said) const {
        for (int row = 0; row < said.rows(); ++row) {
            auto& one = summaries[static_cast<std::size_t>(said.integer(row, 0))];
            one.changed += static_cast<std::size_t>(said.integer(row, 1));
            if (!said.is_null(row, 2))
                one.last = std::max(one.last, table::sequence(said.integer(row, 2)));
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
    CHECK_OK(on_.run("BEGIN", deadline));
    for (const auto& [name, each] : staged.tables) {
        CHECK_OK(on_.copy_in(copy_text(*each.table), copy_content(each), deadline));
    }
    return {};
}

result<std::vector<table::summary>> group_writer::finish(
    const std::vector<write_request*>& group, const staged_group& staged, instant deadline) {
    std::vector<ledger_sql::statement> statements;
    std::vector<std::size_t> inserts;  // which answers count changes
    bool sequenced = false;
    for (const auto& [name, each] : staged.tables) {
        if (!each.table->is_sequenced()) continue;
        statements.push_back(advance_sequence(*each.table, each.row_count()));
        sequenced = true;
    }
    for (const auto& [name, each] : staged.tables) {
        for (std::size_t at = 0; at < each.lanes.size(); ++at) {
            inserts.push_back(statements.size());
            statements.push_back(insert_lane(each, at));
        }
    }
    const std::size_t first_erasure = statements.size();
    for (const auto& each : staged.erasures)
        statements.push_back(erase_row(*each.table, *each.key));
    if (sequenced && doorbell_)
        statements.push_back({.text = doorbell_text(staged), .parameters = {}});

    TRY(const std::vector<answer> answers, on_.commit(statements, deadline));
    std::vector<table::summary> summaries(group.size());
    for (const auto at : inserts) tally{summaries}.count_changes(answers[at]);
    for (std::size_t at = 0; at < staged.erasures.size(); ++at)
        summaries[static_cast<std::size_t>(staged.erasures[at].batch)].erased +=
            answers[first_erasure + at].touched();
    for (std::size_t at = 0; at < group.size(); ++at)
        summaries[at].kept = written_rows(group[at]->change) - summaries[at].changed;
    return summaries;
}

}  // namespace muster::ledger_postgres
