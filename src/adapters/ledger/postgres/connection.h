#pragma once

#include "adapters/ledger/postgres/answer.h"
#include "adapters/ledger/postgres/settings.h"
#include "adapters/ledger/sql/dialect.h"
#include "base/function_ref.h"
#include "base/time.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

struct pg_conn;

namespace muster::ledger_postgres {

struct place;

// Called now and then during waits that last, on the thread that waits.
class wait_observer {
public:
    virtual ~wait_observer() = default;

    virtual result<void> look() = 0;  // an error ends the wait
};

// One connection, used by one thread at a time. Every wait ends at its deadline, or when its `wake`
// is readable. Only a host's name is resolved by the C library, in its own time (resolv.conf): that
// holds up the thread that connects and what waits for it, never an event loop.
//
// errc::timed_out: no answer, because the deadline passed or the connection was lost; what was sent
// may have been done. The connection is then broken() and good for nothing. Other codes are the
// server's word (answer.h), and the connection goes on.
class connection {
public:
    struct limits {
        instant deadline;
        int wake = -1;  // a descriptor; none: -1
    };

    // Tries the places that the address names one after the other: one that does not answer has its
    // share of the time, not all of it. errc::unavailable when there is no server that takes
    // writes, or it does not let us in. `wake` ends its later waits, too.
    static result<connection> open(const settings& settings, limits until);
    static result<connection> open(const settings& settings, instant deadline) {
        return open(settings, limits{.deadline = deadline});
    }

    // Whether anything comes back from the server that this is a connection to, be it a refusal.
    bool server_answers(const settings& settings, limits until) const;

    struct accompaniment {
        wait_observer* observer = nullptr;
        std::chrono::milliseconds every{0};
    };
    void accompany(accompaniment during_waits) { company_ = during_waits; }

    // Statements without parameters, separated by semicolons.
    result<void> run(const std::string& text, instant deadline);
    result<answer> execute(const ledger_sql::statement& statement, instant deadline);

    // Hands over row by row, so that an answer of any size takes little memory.
    using row_taker = function_ref<result<void>(const answer& one_row)>;
    result<void> execute_by_row(
        const ledger_sql::statement& statement, row_taker take, instant deadline);

    // `text` ends with a COPY … FROM STDIN. What it is to read is made piece by piece, so that the
    // server works on one while the next is made: `next` appends one, and nothing at the end.
    using piece_maker = function_ref<void(std::string& into)>;
    result<void> copy_in(const std::string& text, piece_maker next_piece, instant deadline);
    result<void> copy_in(const std::string& text, std::string_view content, instant deadline);

    // Ends the transaction that was begun: sends all with a COMMIT behind them, then waits for all.
    // One answer each. When one fails, those behind it are not done, so nothing is committed and
    // its error is returned. errc::timed_out: it may have been committed.
    result<std::vector<answer>> commit(
        const std::vector<ledger_sql::statement>& all, instant deadline);

    // Waits for a NOTIFY; false when `deadline` came first.
    result<bool> wait_for_notification(instant deadline);

    bool broken() const { return broken_; }
    int wake() const { return wake_; }
    std::string server_version() const;

private:
    struct finish {
        void operator()(pg_conn* raw) const;
    };
    enum class wanted { read, read_and_write };

    connection(pg_conn* raw, int wake) : raw_(raw), wake_(wake) {}

    static result<connection> start(const settings& settings, const place& where, int wake);
    static result<connection> open_at(const settings& settings, const place& where, limits until);

    std::unexpected<error> lost(const std::string& text);
    // What the server refused. One that takes no writes any more is not asked again.
    std::unexpected<error> refused(const answer& answer, sqlstate_meaning meaning = meaning_of);
    std::unexpected<error> give_up(const std::string& why);
    // True when the socket is ready, false when it is time to look again.
    result<bool> ready(short events, instant deadline);
    result<void> wait(wanted what, instant deadline);
    result<void> connect(instant deadline);
    result<void> flush(instant deadline);
    result<void> send(const ledger_sql::statement& statement);
    result<answer> next(instant deadline);  // null at the end of a statement's answers
    // Its answer, or its first failure.
    result<answer> last_of_statement(instant deadline, sqlstate_meaning meaning = meaning_of);
    result<void> drain(instant deadline);  // the rest of a statement's answers
    result<void> send_copy(piece_maker next, instant deadline);
    result<std::vector<answer>> collect(std::size_t count, instant deadline);

    std::unique_ptr<pg_conn, finish> raw_;
    int wake_;
    accompaniment company_;
    bool broken_ = false;
};

}  // namespace muster::ledger_postgres
