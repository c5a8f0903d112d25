#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct pg_result;

namespace muster::ledger_postgres {

// What the server said to one statement: rows in binary form, or how many rows it touched.
class answer {
public:
    explicit answer(pg_result* raw) : raw_(raw) {}

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

// What the server's refusal means to us:
// - unavailable: try again: serialization, deadlock, lock or statement timeout, no resources, going
//   down
// - not_found: there is no partition for a row
// - conflict: it is there already (key, table, index)
// - timed_out: the server itself does not know whether it was done
// - denied, corrupt, invalid as everywhere
errc meaning_of(std::string_view sqlstate);

// The same for a COMMIT. Who is sent away while one is under way (the server goes down, a standby
// does not answer, a connection behind a proxy is lost) is not told whether it was done before:
// unavailable only where the server says that it has undone the transaction.
errc meaning_of_commit(std::string_view sqlstate);

// The same for what was sent together with a COMMIT behind it. A proxy that has lost the server
// tells it to the first who waits for an answer, though the COMMIT may have been done.
errc meaning_before_commit(std::string_view sqlstate);

// A failure of what stands before the COMMIT: without an answer, too, it has not happened.
error before_commit(const error& failure);

using sqlstate_meaning = errc (*)(std::string_view sqlstate);
error failure_of(const answer& refusal, sqlstate_meaning meaning = meaning_of);

}  // namespace muster::ledger_postgres
