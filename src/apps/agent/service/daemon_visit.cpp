#include "apps/agent/service/daemon.h"

#include <chrono>

namespace muster::agent {

namespace asio = boost::asio;

// A visit: it lasts for as long as there is something to do, and a while longer.
asio::awaitable<void> daemon::leave_when_idle() {
    auto last_work = around_.time.now();
    while (around_.time.now() - last_work < how_.stay) {
        const auto slept = co_await around_.time.sleep_for(std::chrono::seconds(1));
        if (!slept) co_return;
        if (work_.has_work()) last_work = around_.time.now();
    }
    around_.log.info("there is nothing to do any more: the visit ends");
    over_.ring();
}

}  // namespace muster::agent
