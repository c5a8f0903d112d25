#include "adapters/ledger/sqlite/group_writer.h"

#include "adapters/ledger/sql/dialect.h"
#include "adapters/ledger/sqlite/cells.h"
#include "adapters/sqlite/transaction.h"

#include <algorithm>
#include <utility>

namespace muster::ledger_sqlite {
namespace {

using ledger_sql::dialect;

std::string insert_text(const table::definition& table, const table::on_existing& policy) {
    const auto columns = ledger_sql::stored_columns(table);
    std::string text = "INSERT INTO " + ledger_sql::identifier(table.name) + " ("
                       + ledger_sql::identifier_list(columns) + ") VALUES (";
    for (std::size_t index = 1; index <= columns.size(); ++index)
        text += (index == 1 ? "" : ", ") + ledger_sql::parameter(dialect::sqlite, index);
    return text + ") " + ledger_sql::conflict_clause(table, policy);
}

std::string erase_text(const table::definition& table) {
    std::string text = "DELETE FROM " + ledger_sql::identifier(table.name);
    for (std::size_t index = 0; index < table.key.size(); ++index) {
        text +=
            (index == 0 ? " WHERE " : " AND ") + ledger_sql::identifier(table.key[index]) + " = ";
        text += ledger_sql::parameter(dialect::sqlite, index + 1);
    }
    return text;
}

}  // namespace

std::vector<result<table::summary>> group_writer::commit(
    const std::vector<const table::batch*>& group, const table::catalog& tables) {
    auto outcomes = try_commit(group, tables);
    sequences_.clear();
    if (outcomes) return *std::move(outcomes);
    return {group.size(), fail(outcomes.error())};
}

result<std::vector<result<table::summary>>> group_writer::try_commit(
    const std::vector<const table::batch*>& group, const table::catalog& tables) {
    TRY(sqlite::transaction transaction, sqlite::transaction::begin(db_));
    std::vector<result<table::summary>> outcomes;
    outcomes.reserve(group.size());
    for (const auto* change : group) {
        outcomes.push_back(apply_in_savepoint(*change, tables));
        // A full disk may roll back the whole transaction: then nothing of the group was written.
        if (!db_.in_transaction()) return fail(outcomes.back().error());
    }
    CHECK_OK(save_sequences());
    CHECK_OK(transaction.commit());
    return outcomes;
}

result<table::summary> group_writer::apply_in_savepoint(
    const table::batch& change, const table::catalog& tables) {
    CHECK_OK(db_.execute("SAVEPOINT alone"));
    const sequences before = sequences_;
    auto outcome = apply(change, tables);
    if (!outcome && db_.in_transaction()) {
        sequences_ = before;
        CHECK_OK(db_.execute("ROLLBACK TO alone"));
    }
    if (db_.in_transaction()) {
        CHECK_OK(db_.execute("RELEASE alone"));
    }
    return outcome;
}

result<table::summary> group_writer::apply(
    const table::batch& change, const table::catalog& tables) {
    table::summary summary;
    for (const auto& write : change.writes) {
        TRY(const table::definition* table, tables.find(write.table));
        CHECK_OK(put_rows(write, *table, summary));
    }
    for (const auto& erasure : change.erasures) {
        TRY(const table::definition* table, tables.find(erasure.table));
        CHECK_OK(erase_rows(erasure, *table, summary));
    }
    return summary;
}

result<void> group_writer::put_rows(
    const table::write& rows, const table::definition& table, table::summary& summary) {
    TRY(sqlite::statement * insert, prepare_cached(insert_text(table, rows.existing)));
    table::sequence last;
    if (table.is_sequenced()) {
        TRY(last, last_sequence(table.name));
    }
    for (const auto& cells : rows.rows) {
        auto parameters = to_parameters(cells);
        if (table.is_sequenced()) parameters.emplace_back(last.next().value());
        CHECK_OK(insert->run(parameters));
        if (db_.changed_rows() == 0) {
            ++summary.kept;
            continue;
        }
        ++summary.changed;
        if (!table.is_sequenced()) continue;
        last = last.next();
        sequences_[table.name] = last;
        summary.last = std::max(summary.last, last);
    }
    return {};
}

result<void> group_writer::erase_rows(
    const table::erasure& rows, const table::definition& table, table::summary& summary) {
    TRY(sqlite::statement * erase, prepare_cached(erase_text(table)));
    for (const auto& key : rows.keys) {
        CHECK_OK(erase->run(to_parameters(key)));
        summary.erased += static_cast<std::size_t>(db_.changed_rows());
    }
    return {};
}

result<table::sequence> group_writer::last_sequence(const std::string& table) {
    if (const auto it = sequences_.find(table); it != sequences_.end()) return it->second;
    TRY(sqlite::statement * query,
        prepare_cached("SELECT last FROM muster_sequences WHERE table_name = ?1"));
    CHECK_OK(query->bind({table}));
    TRY(const bool found, query->step());
    const table::sequence sequence(found ? query->integer(0) : 0);
    query->reset();
    if (!found) return fail(errc::corrupt, "change sequence of table \"" + table + "\" is missing");
    return sequence;
}

result<void> group_writer::save_sequences() {
    for (const auto& [table, last] : sequences_) {
        TRY(sqlite::statement * save,
            prepare_cached("UPDATE muster_sequences SET last = ?1 WHERE table_name = ?2"));
        CHECK_OK(save->run({last.value(), table}));
    }
    return {};
}

result<sqlite::statement*> group_writer::prepare_cached(const std::string& text) {
    if (const auto it = statements_.find(text); it != statements_.end()) return &it->second;
    TRY(sqlite::statement statement, db_.prepare(text));
    return &statements_.emplace(text, std::move(statement)).first->second;
}

void group_writer::clear_cache() {
    statements_.clear();
}

}  // namespace muster::ledger_sqlite
