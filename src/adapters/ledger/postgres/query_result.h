#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct pg_result;

namespace muster::ledger_postgres {

// The result of one statement: rows in binary form, or the number of changed rows.
class query_result {
public:
    explicit query_result(pg_result* raw) : raw_(raw) {}

    int rows() const;
    bool is_null(int row, int column) const;
    std::string_view cell(int row, int column) const;  // lives as long as this
    std::int64_t integer(int row, int column) const;
    std::size_t touched() const;

    pg_result* raw() const { return raw_.get(); }

private:
    struct clear {
        void operator()(pg_result* raw) const;
    };
    std::unique_ptr<pg_result, clear> raw_;
};

// The error code for an SQLSTATE:
// - unavailable: retry (serialization, deadlock, lock or statement timeout, no resources, shutdown)
// - not_found: no partition for a row
// - conflict: exists already (key, table, index)
// - timed_out: the server does not know whether it was executed
// - denied, corrupt, invalid as everywhere
errc meaning_of(std::string_view sqlstate);

// The same for a COMMIT. Most errors during a COMMIT (shutdown, a silent standby, a proxy that lost
// the server) do not say whether it was executed: timed_out. unavailable only if the server reports
// a rollback.
errc meaning_of_commit(std::string_view sqlstate);

// The same for statements that were sent together with a COMMIT. A proxy that lost the server
// reports it for the first statement, although the COMMIT may have been executed.
errc meaning_before_commit(std::string_view sqlstate);

// A failure before the COMMIT was sent: even without a response, nothing was committed.
error before_commit(const error& failure);

using sqlstate_meaning = errc (*)(std::string_view sqlstate);
error failure_of(const query_result& refusal, sqlstate_meaning meaning = meaning_of);

}  // namespace muster::ledger_postgres
