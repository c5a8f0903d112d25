// What a server watches of itself while it serves.
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

constexpr auto clock_look_interval = 1s;

}  // namespace

boost::asio::awaitable<void> server::watch_clock() {
    runtime::clock_jump_detector watch(options_.clock_jump_max);
    auto jumps = metrics_.make_counter(
        {"muster_clock_jumps_total", "How often the wall clock moved against the monotonic one."});
    while (true) {
        if (const auto jump = watch.look(clock_.now(), clock_.wall())) {
            jumps.add();
            deps_.log.warning(
                "the wall clock jumped; windows and certificates go by it",
                {{"seconds", std::chrono::duration<double>(*jump).count()}});
        }
        const auto slept = co_await clock_.sleep_for(clock_look_interval);
        if (!slept) co_return;
    }
}

// This one, and those on which people and agents are served.
async<void> server::turn_all_loops() {
    CO_CHECK_OK(co_await completed<void>([this](completion<void> done) {
        boost::asio::post(loop_, [done = std::move(done)] { done({}); });
    }));
    if (auto* const serving = ports_.open_elsewhere.load()) co_return co_await serving->pulse();
    co_return result<void>();
}

boost::asio::awaitable<void> server::feed_watchdog(monotonic::duration interval) {
    while (true) {
        const auto turns = co_await within(clock_, interval, turn_all_loops());
        if (turns) runtime::systemd::alive();
        if (!turns) deps_.log.error("an event loop does not turn: the watchdog goes hungry");
        const auto slept = co_await clock_.sleep_for(turns ? interval / 2 : 0ns);
        if (!slept) co_return;
    }
}

}  // namespace muster::server
