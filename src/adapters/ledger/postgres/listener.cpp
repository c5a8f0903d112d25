#include "adapters/ledger/postgres/listener.h"

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/retry.h"
#include "runtime/clock.h"

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto listen_timeout = 60s;

}  // namespace

listener::listener(const settings& settings, ledger_sql::sequence_notifier& notifier)
    : options_(settings), notifier_(notifier), thread_([this] { run(); }) {}

listener::~listener() {
    closing_.send();
    thread_.join();
}

void listener::run() {
    backoff pauses = retry_pauses(0);
    while (supported_) {
        listen();
        if (closing_.is_set(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()))) return;
    }
}

void listener::listen() {
    const instant deadline = runtime::monotonic_now() + options_.attempt;
    auto connection =
        connection::open(options_, {.deadline = deadline, .wake = closing_.descriptor()});
    if (!connection) return;
    const auto listening = connection->run("LISTEN muster_changes", deadline);
    if (!listening && listening.error().code() == errc::invalid) supported_ = false;
    if (!listening) return;
    notifier_.notify();  // what was notified before we listened
    while (!closing_.is_set()) {
        const auto notified =
            connection->wait_for_notification(runtime::monotonic_now() + listen_timeout);
        if (!notified) return;
        if (*notified) notifier_.notify();
    }
}

}  // namespace muster::ledger_postgres
