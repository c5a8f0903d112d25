#pragma once

#include "adapters/ledger/postgres/query_result.h"
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

struct host_address;

// Called from time to time during long waits, on the waiting thread.
class wait_observer {
public:
    virtual ~wait_observer() = default;

    virtual result<void> check() = 0;  // an error ends the wait
};

// One connection to PostgreSQL. Not thread-safe. Every wait ends at its deadline, or when the
// descriptor `wake` is readable. Only name resolution has its own timeout (resolv.conf): it blocks
// the connecting thread, never an event loop.
//
// errc::timed_out: no response, because the deadline passed or the connection was lost. The
// statement may have been executed. The connection is then broken() and must not be used. Other
// codes are errors of the server (query_result.h), and the connection stays usable.
class connection {
public:
    struct limits {
        instant deadline;
        int wake = -1;  // a descriptor; none: -1
    };

    // Tries the hosts of the address in turn, each with a share of the time. errc::unavailable when
    // no server accepts writes, or it refuses the login. `wake` ends later waits, too.
    static result<connection> open(const settings& settings, limits bounds);
    static result<connection> open(const settings& settings, instant deadline) {
        return open(settings, limits{.deadline = deadline});
    }

    // Opens a second connection to the same server; true if it responds at all, even with an error.
    bool server_responds(const settings& settings, limits bounds) const;

    struct observation {
        wait_observer* observer = nullptr;
        std::chrono::milliseconds interval{0};
    };
    void observe_waits(observation during_waits) { observation_ = during_waits; }

    // Statements without parameters, separated by semicolons.
    result<void> run(const std::string& text, instant deadline);
    result<query_result> execute(const ledger_sql::statement& statement, instant deadline);

    // Passes rows one by one, so that a large result needs little memory.
    using row_handler = function_ref<result<void>(const query_result& one_row)>;
    result<void> execute_by_row(
        const ledger_sql::statement& statement, row_handler handle_row, instant deadline);

    // `text` ends with a COPY … FROM STDIN. `next_piece` appends the next piece of its input, and
    // nothing at the end. So the server reads one piece while the next is built.
    using piece_source = function_ref<void(std::string& piece)>;
    result<void> copy_in(const std::string& text, piece_source next_piece, instant deadline);
    result<void> copy_in(const std::string& text, std::string_view content, instant deadline);

    // Ends the open transaction: sends all statements and a COMMIT, then reads one result each.
    // When a statement fails, nothing is committed and its error is returned. errc::timed_out: the
    // transaction may have been committed.
    result<std::vector<query_result>> commit(
        const std::vector<ledger_sql::statement>& statements, instant deadline);

    // Waits for a NOTIFY; false when `deadline` passed first.
    result<bool> wait_for_notification(instant deadline);

    bool broken() const { return broken_; }
    int wake() const { return wake_; }
    std::string server_version() const;

private:
    struct finish {
        void operator()(pg_conn* raw) const;
    };
    enum class wait_events { read, read_and_write };

    connection(pg_conn* raw, int wake) : raw_(raw), wake_(wake) {}

    static result<connection> start(const settings& settings, const host_address& host, int wake);
    static result<connection> open_at(
        const settings& settings, const host_address& host, limits bounds);

    std::unexpected<error> connection_lost(const std::string& text);
    // The error of a result. A server that became read-only breaks the connection.
    std::unexpected<error> server_error(
        const query_result& query_result, sqlstate_meaning meaning = meaning_of);
    std::unexpected<error> abandon(const std::string& reason);
    // True when the socket is ready, false when the deadline passed or a signal came.
    result<bool> wait_for_socket(short events, instant deadline);
    result<void> wait(wait_events wanted, instant deadline);
    result<void> finish_connect(instant deadline);
    result<void> flush(instant deadline);
    result<void> send(const ledger_sql::statement& statement);
    result<query_result> next_result(instant deadline);  // null at the end of a statement's answers
    // The result of a statement, or its first failure.
    result<query_result> read_statement_result(
        instant deadline, sqlstate_meaning meaning = meaning_of);
    result<void> discard_results(instant deadline);  // the rest of a statement's answers
    result<void> send_copy(piece_source next_piece, instant deadline);
    result<std::vector<query_result>> read_commit_results(std::size_t count, instant deadline);

    std::unique_ptr<pg_conn, finish> raw_;
    int wake_;
    observation observation_;
    bool broken_ = false;
};

}  // namespace muster::ledger_postgres
