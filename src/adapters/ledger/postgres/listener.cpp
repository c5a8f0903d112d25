#include "adapters/ledger/postgres/listener.h"

#include "adapters/ledger/postgres/connection.h"
#include "adapters/ledger/postgres/retry.h"
#include "base/assert.h"
#include "runtime/clock.h"

#include <sys/eventfd.h>

#include <poll.h>
#include <unistd.h>
#include <utility>

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto listen_turn = 60s;

void sleep_unless_woken(int wake, std::chrono::milliseconds span) {
    pollfd source{};
    source.fd = wake;
    source.events = POLLIN;
    ::poll(&source, 1, static_cast<int>(span.count()));
}

}  // namespace

listener::listener(const settings& how, std::function<void()> ring)
    : how_(how), ring_(std::move(ring)), wake_(::eventfd(0, EFD_CLOEXEC)) {
    MUSTER_ASSERT(wake_ >= 0);
    thread_ = std::thread([this] { run(); });
}

listener::~listener() {
    closing_ = true;
    ::eventfd_write(wake_, 1);
    thread_.join();
    ::close(wake_);
}

void listener::run() {
    backoff pauses = retry_pauses(0);
    while (!closing_ && supported_) {
        listen();
        if (!closing_)
            sleep_unless_woken(wake_, std::chrono::ceil<std::chrono::milliseconds>(pauses.next()));
    }
}

void listener::listen() {
    const instant deadline = runtime::monotonic_now() + how_.attempt;
    auto on = connection::open(how_, deadline);
    if (!on) return;
    const auto listening = on->run("LISTEN muster_changes", deadline);
    if (!listening && listening.error().code() == errc::invalid) supported_ = false;
    if (!listening) return;
    ring_();  // what was notified before we listened
    while (!closing_) {
        const auto heard = on->wait_for_notification(wake_, runtime::monotonic_now() + listen_turn);
        if (!heard) return;
        if (*heard) ring_();
    }
}

}  // namespace muster::ledger_postgres
