#include "adapters/ledger/postgres/listener.h"

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/retry.h"
#include "runtime/clock.h"

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto listen_turn = 60s;

}  // namespace

listener::listener(const settings& settings, ledger_sql::sequence_notifier& notifier)
    : options_(settings), notifier_(notifier), thread_([this] { run(); }) {}

listener::~listener() {
    closing_.give();
    thread_.join();
}

void listener::run() {
    backoff pauses = retry_pauses(0);
    while (supported_) {
        listen();
        if (closing_.given(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()))) return;
    }
}

void listener::listen() {
    const instant deadline = runtime::monotonic_now() + options_.attempt;
    auto on = connection::open(options_, {.deadline = deadline, .wake = closing_.descriptor()});
    if (!on) return;
    const auto listening = on->run("LISTEN muster_changes", deadline);
    if (!listening && listening.error().code() == errc::invalid) supported_ = false;
    if (!listening) return;
    notifier_.ring();  // what was notified before we listened
    while (!closing_.given()) {
        const auto message = on->wait_for_notification(runtime::monotonic_now() + listen_turn);
        if (!message) return;
        if (*message) notifier_.ring();
    }
}

}  // namespace muster::ledger_postgres
