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
    for (std::size_t at = 1; at <= columns.size(); ++at)
        text += (at == 1 ? "" : ", ") + ledger_sql::parameter(dialect::sqlite, at);
    return text + ") " + ledger_sql::conflict_clause(table, policy);
}

std::string erase_text(const table::definition& table) {
    std::string text = "DELETE FROM " + ledger_sql::identifier(table.name);
    for (std::size_t at = 0; at < table.key.size(); ++at) {
        text += (at == 0 ? " WHERE " : " AND ") + ledger_sql::identifier(table.key[at]) + " = ";
        text += ledger_sql::parameter(dialect::sqlite, at + 1);
    }
    return text;
}

}  // namespace

std::vector<result<table::summary>> group_writer::commit(
    const std::vector<const table::batch*>& group, const table::catalog& tables) {
    auto outcomes = try_commit(group, tables);
    taken_.clear();
    if (outcomes) return *std::move(outcomes);
    return {group.size(), fail(outcomes.error())};
}

result<std::vector<result<table::summary>>> group_writer::try_commit(
    const std::vector<const table::batch*>& group, const table::catalog& tables) {
    TRY(sqlite::transaction work, sqlite::transaction::begin(on_));
    std::vector<result<table::summary>> outcomes;
    outcomes.reserve(group.size());
    for (const auto* each : group) {
        outcomes.push_back(apply_alone(*each, tables));
        // A full disk may end the whole transaction: then nothing of the group has happened.
        if (!on_.in_transaction()) return fail(outcomes.back().error());
    }
    CHECK_OK(save_sequences());
    CHECK_OK(work.commit());
    return outcomes;
}

result<table::summary> group_writer::apply_alone(
    const table::batch& change, const table::catalog& tables) {
    CHECK_OK(on_.execute("SAVEPOINT alone"));
    const sequences before = taken_;
    auto outcome = apply(change, tables);
    if (!outcome && on_.in_transaction()) {
        taken_ = before;
        CHECK_OK(on_.execute("ROLLBACK TO alone"));
    }
    if (on_.in_transaction()) {
        CHECK_OK(on_.execute("RELEASE alone"));
    }
    return outcome;
}

result<table::summary> group_writer::apply(
    const table::batch& change, const table::catalog& tables) {
    table::summary done;
    for (const auto& write : change.writes) {
        TRY(const table::definition* table, tables.find(write.table));
        CHECK_OK(put_all(write, *table, done));
    }
    for (const auto& erasure : change.erasures) {
        TRY(const table::definition* table, tables.find(erasure.table));
        CHECK_OK(erase_all(erasure, *table, done));
    }
    return done;
}

result<void> group_writer::put_all(
    const table::write& rows, const table::definition& table, table::summary& so_far) {
    TRY(sqlite::statement * insert, cached(insert_text(table, rows.existing)));
    table::sequence last;
    if (table.is_sequenced()) {
        TRY(last, last_sequence(table.name));
    }
    for (const auto& cells : rows.rows) {
        auto parameters = to_parameters(cells);
        if (table.is_sequenced()) parameters.emplace_back(last.next().value());
        CHECK_OK(insert->run(parameters));
        if (on_.changed_rows() == 0) {
            ++so_far.kept;
            continue;
        }
        ++so_far.changed;
        if (!table.is_sequenced()) continue;
        last = last.next();
        taken_[table.name] = last;
        so_far.last = std::max(so_far.last, last);
    }
    return {};
}

result<void> group_writer::erase_all(
    const table::erasure& rows, const table::definition& table, table::summary& so_far) {
    TRY(sqlite::statement * erase, cached(erase_text(table)));
    for (const auto& key : rows.keys) {
        CHECK_OK(erase->run(to_parameters(key)));
        so_far.erased += static_cast<std::size_t>(on_.changed_rows());
    }
    return {};
}

result<table::sequence> group_writer::last_sequence(const std::string& table) {
    if (const auto reserved = taken_.find(table); reserved != taken_.end()) return reserved->second;
    TRY(sqlite::statement * query,
        cached("SELECT last FROM muster_sequences WHERE table_name = ?1"));
    CHECK_OK(query->bind({table}));
    TRY(const bool there, query->step());
    const table::sequence sequence(there ? query->integer(0) : 0);
    query->reset();
    if (!there) return fail(errc::corrupt, "the sequence of table " + table + " is lost");
    return sequence;
}

result<void> group_writer::save_sequences() {
    for (const auto& [table, last] : taken_) {
        TRY(sqlite::statement * save,
            cached("UPDATE muster_sequences SET last = ?1 WHERE table_name = ?2"));
        CHECK_OK(save->run({last.value(), table}));
    }
    return {};
}

result<sqlite::statement*> group_writer::cached(const std::string& text) {
    if (const auto it = statements_.find(text); it != statements_.end()) return &it->second;
    TRY(sqlite::statement statement, on_.prepare(text));
    return &statements_.emplace(text, std::move(statement)).first->second;
}

void group_writer::forget() {
    statements_.clear();
}

}  // namespace muster::ledger_sqlite
