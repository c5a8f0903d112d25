// What a server watches of itself while it serves.
#include "apps/muster/server/server.h"
#include "ports/deadline.h"
#include "runtime/clock_watch.h"
#include "runtime/systemd.h"

#include <chrono>

namespace muster::server {
namespace {

using namespace std::chrono_literals;

constexpr auto clock_look_interval = 1s;

}  // namespace

boost::asio::awaitable<void> server::watch_clock() {
    runtime::clock_watch watch(how_.clock_jump_max);
    auto jumps = counted_.make_counter(
        {"muster_clock_jumps_total", "How often the wall clock moved against the monotonic one."});
    while (true) {
        if (const auto jump = watch.look(time_.now(), time_.wall())) {
            jumps.add();
            around_.log.warning(
                "the wall clock jumped; windows and certificates go by it",
                {{"seconds", std::chrono::duration<double>(*jump).count()}});
        }
        const auto slept = co_await time_.sleep_for(clock_look_interval);
        if (!slept) co_return;
    }
}

boost::asio::awaitable<void> server::feed_watchdog(monotonic::duration interval) {
    while (true) {
        result<void> turns;  // also where people and agents are served
        if (public_) turns = co_await within(time_, interval, public_->pulse());
        if (turns) runtime::systemd::alive();
        if (!turns) around_.log.error("an event loop does not turn: the watchdog goes hungry");
        const auto slept = co_await time_.sleep_for(turns ? interval / 2 : 0ns);
        if (!slept) co_return;
    }
}

}  // namespace muster::server
