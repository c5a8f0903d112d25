#pragma once

#include "adapters/ledger/postgres/answer.h"
#include "adapters/ledger/postgres/settings.h"
#include "adapters/ledger/sql/dialect.h"
#include "base/time.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn;

namespace muster::ledger_postgres {

// One connection, used by one thread at a time. Every wait ends at its deadline.
//
// errc::timed_out: no answer, because the deadline passed or the connection was lost; what was sent
// may have been done. The connection is then broken() and good for nothing. Other codes are the
// server's word (answer.h), and the connection goes on.
class connection {
public:
    // errc::unavailable when there is no server, or it does not let us in.
    static result<connection> open(const settings& how, instant deadline);

    // Statements without parameters, separated by semicolons.
    result<void> run(const std::string& text, instant deadline);
    result<answer> execute(const ledger_sql::statement& what, instant deadline);

    // Hands over row by row, so that an answer of any size takes little memory.
    using row_taker = std::function<result<void>(const answer& one_row)>;
    result<void> execute_by_row(
        const ledger_sql::statement& what, const row_taker& take, instant deadline);

    // `text` ends with a COPY … FROM STDIN; `content` is what it is to read.
    result<void> copy_in(const std::string& text, std::string_view content, instant deadline);

    // Ends the transaction that was begun: sends all with a COMMIT behind them, then waits for all.
    // One answer each. When one fails, those behind it are not done, so nothing is committed and
    // its error is returned. errc::timed_out: it may have been committed.
    result<std::vector<answer>> commit(
        const std::vector<ledger_sql::statement>& all, instant deadline);

    // Waits for a NOTIFY; false when `deadline` or a byte on `wake` came first.
    result<bool> wait_for_notification(int wake, instant deadline);

    bool broken() const { return broken_; }
    std::string server_version() const;

private:
    struct finish {
        void operator()(pg_conn* raw) const;
    };
    enum class wanted { read, read_and_write };

    explicit connection(pg_conn* raw) : raw_(raw) {}

    std::unexpected<error> lost(const std::string& what);
    result<void> wait(wanted what, instant deadline);
    result<void> connect(instant deadline);
    result<void> flush(instant deadline);
    result<void> send(const ledger_sql::statement& what);
    result<answer> next(instant deadline);  // null at the end of a statement's answers
    // Its answer, or its first failure.
    result<answer> last_of_statement(instant deadline, sqlstate_meaning meaning = meaning_of);
    result<void> drain(instant deadline);  // the rest of a statement's answers
    result<void> send_copy(std::string_view content, instant deadline);
    result<std::vector<answer>> collect(std::size_t count, instant deadline);

    std::unique_ptr<pg_conn, finish> raw_;
    bool broken_ = false;
};

}  // namespace muster::ledger_postgres
