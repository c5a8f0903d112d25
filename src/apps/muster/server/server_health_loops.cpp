// Health loops of a server: the clock check and the systemd watchdog.
#include "apps/muster/server/server.h"
#include "ports/async.h"
#include "ports/deadline.h"
#include "runtime/clock_jump_detector.h"
#include "runtime/systemd.h"

#include <boost/asio/post.hpp>

#include <chrono>
#include <utility>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr auto clock_check_interval = 1s;

}  // namespace

boost::asio::awaitable<void> server::watch_clock() {
    runtime::clock_jump_detector detector(options_.clock_jump_max);
    auto jumps = metrics_.make_counter(
        {"muster_clock_jumps_total",
         "Total number of wall clock jumps against the monotonic clock."});
    while (true) {
        if (const auto jump = detector.check(clock_.now(), clock_.wall())) {
            jumps.add();
            deps_.log.warning(
                "wall clock jumped",
                {{"seconds", std::chrono::duration<double>(*jump).count()},
                 {"hint", "check time synchronization; windows and certificates are affected"}});
        }
        const auto slept = co_await clock_.sleep_for(clock_check_interval);
        if (!slept) co_return;
    }
}

// Checks this loop, and the loops that serve users and agents.
async<void> server::check_event_loops() {
    CO_CHECK_OK(co_await await_callback<void>([this](completion<void> complete) {
        boost::asio::post(loop_, [complete = std::move(complete)] { complete({}); });
    }));
    if (auto* const public_port = ports_.shared_public_port.load())
        co_return co_await public_port->pulse();
    co_return result<void>();
}

boost::asio::awaitable<void> server::feed_watchdog(monotonic::duration interval) {
    while (true) {
        const auto alive = co_await within(clock_, interval, check_event_loops());
        if (alive) runtime::systemd::notify_watchdog();
        if (!alive) deps_.log.error("event loop stalled; systemd watchdog not notified");
        const auto slept = co_await clock_.sleep_for(alive ? interval / 2 : 0ns);
        if (!slept) co_return;
    }
}

}  // namespace muster::server
