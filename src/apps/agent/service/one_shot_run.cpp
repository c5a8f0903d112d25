#include "apps/agent/service/daemon.h"

#include <chrono>

namespace muster::agent {

namespace asio = boost::asio;

// Ends a one-shot run `exit_when_idle` after the last work. Attaching counts as work, because the
// node then sends the waiting tasks.
asio::awaitable<void> daemon::stop_when_idle() {
    auto last_work = deps_.clock.now();
    while (deps_.clock.now() - last_work < options_.exit_when_idle) {
        const auto waited = co_await deps_.clock.sleep_for(std::chrono::seconds(1));
        if (!waited) co_return;
        const bool first_attach = life_cycle_->is_attached() && !attached_once_;
        attached_once_ = attached_once_ || first_attach;
        if (first_attach || tasks_.has_work()) last_work = deps_.clock.now();
    }
    if (attached_once_) {
        deps_.log.info("agent idle; exiting");
    } else {
        deps_.log.error("no node reached; exiting", {{"error", status_.last_error}});
    }
    stopped_.notify();
}

}  // namespace muster::agent
