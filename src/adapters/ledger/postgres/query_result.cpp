#include "adapters/ledger/postgres/query_result.h"

#include "adapters/ledger/postgres/binary.h"

#include <charconv>
#include <libpq-fe.h>

namespace muster::ledger_postgres {

void query_result::clear::operator()(pg_result* raw) const {
    PQclear(raw);
}

int query_result::rows() const {
    return PQntuples(raw());
}

bool query_result::is_null(int row, int column) const {
    return PQgetisnull(raw(), row, column) != 0;
}

std::string_view query_result::cell(int row, int column) const {
    return {
        PQgetvalue(raw(), row, column), static_cast<std::size_t>(PQgetlength(raw(), row, column))};
}

std::int64_t query_result::integer(int row, int column) const {
    return integer_from_binary(cell(row, column));
}

std::size_t query_result::touched() const {
    const std::string_view text = PQcmdTuples(raw());
    std::size_t count = 0;
    std::from_chars(text.data(), text.data() + text.size(), count);
    return count;
}

errc meaning_of(std::string_view sqlstate) {
    const auto family = sqlstate.substr(0, 2);
    // Statement completion unknown, transaction resolution unknown.
    if (sqlstate == "40003" || sqlstate == "08007") return errc::timed_out;
    if (sqlstate == "23514") return errc::not_found;
    if (sqlstate == "23505" || sqlstate == "42P07" || sqlstate == "42710" || sqlstate == "42701")
        return errc::conflict;
    if (sqlstate == "42501" || family == "28") return errc::denied;
    if (sqlstate == "XX001" || sqlstate == "XX002") return errc::corrupt;
    // 08 connection, 25 transaction state or read-only standby, 40 rollback, 53 resources,
    // 55 lock not available, 57 intervention, 58 system error, XX internal error.
    const bool passes = family == "08" || family == "25" || family == "40" || family == "53"
                        || family == "55" || family == "57" || family == "58" || family == "XX";
    return passes ? errc::unavailable : errc::invalid;
}

errc meaning_of_commit(std::string_view sqlstate) {
    const auto meaning = meaning_of(sqlstate);
    const auto family = sqlstate.substr(0, 2);
    const bool undone = family == "25" || family == "40" || family == "53" || family == "55";
    return meaning == errc::unavailable && !undone ? errc::timed_out : meaning;
}

errc meaning_before_commit(std::string_view sqlstate) {
    return sqlstate.substr(0, 2) == "08" ? errc::timed_out : meaning_of(sqlstate);
}

error before_commit(const error& failure) {
    const bool unanswered = failure.code() == errc::timed_out;
    return {unanswered ? errc::unavailable : failure.code(), failure.detail()};
}

error failure_of(const query_result& refusal, sqlstate_meaning meaning) {
    const char* state = PQresultErrorField(refusal.raw(), PG_DIAG_SQLSTATE);
    const char* text = PQresultErrorField(refusal.raw(), PG_DIAG_MESSAGE_PRIMARY);
    const std::string sqlstate = state == nullptr ? "" : state;
    if (sqlstate.empty()) return {errc::timed_out, PQresultErrorMessage(refusal.raw())};
    return {
        meaning(sqlstate), "PostgreSQL error " + sqlstate + ": " + (text == nullptr ? "" : text)};
}

}  // namespace muster::ledger_postgres
