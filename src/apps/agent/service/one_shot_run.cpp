#include "apps/agent/service/daemon.h"

#include <chrono>

namespace muster::agent {

namespace asio = boost::asio;

// A visit: it lasts for as long as there is something to do, and a while longer. What waits for
// this system is known once it is attached.
asio::awaitable<void> daemon::leave_when_idle() {
    auto last_work = deps_.clock.now();
    while (deps_.clock.now() - last_work < options_.stay) {
        const auto slept = co_await deps_.clock.sleep_for(std::chrono::seconds(1));
        if (!slept) co_return;
        const bool arrives = life_->attached() && !visited_;
        visited_ = visited_ || arrives;
        if (arrives || work_.has_work()) last_work = deps_.clock.now();
    }
    if (visited_) {
        deps_.log.info("there is nothing to do any more: the visit ends");
    } else {
        deps_.log.error("no node was reached: the visit ends", {{"why", status_.last_error}});
    }
    over_.ring();
}

}  // namespace muster::agent
