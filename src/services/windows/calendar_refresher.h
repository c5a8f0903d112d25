#pragma once

#include "core/windows/calendar.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "services/windows/calendar_source.h"
#include "services/windows/planned_jobs.h"
#include "services/windows/window_store.h"

#include <atomic>
#include <chrono>
#include <string>

namespace muster::windows {

// Fetches calendars that have an address again, now and then. What is fetched takes the place of
// what stands only if it is a calendar and all that is planned may stay; otherwise the old one
// stays in force, and the reason is kept with it for people to see.
//
// Works on one server at a time, that of the active driver; two at once do no harm.
class calendar_refresher {
public:
    struct dependencies {
        window_store& windows;
        muster::clock& clock;
        runtime::logger& log;
        const calendar_source& source;
        const planned_jobs* planned = nullptr;  // null: nothing is planned
    };
    struct options {
        std::string server;              // whose name is on what it writes
        monotonic::duration interval{};  // zero: never
        monotonic::duration look_interval = std::chrono::seconds(30);
        monotonic::duration timeout = std::chrono::seconds(60);  // of one calendar
    };

    calendar_refresher(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)) {}

    // Until it is cancelled; works while `active` says so.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // All that are due now. One that fails holds up no other.
    async<void> look();

private:
    async<void> refresh(std::string label, window_snapshot::parsed_calendar stands);
    stored_calendar judged(
        const std::string& label, stored_calendar before, const result<std::string>& got) const;

    dependencies deps_;
    options options_;
};

// When a calendar is to be fetched again: an interval after the last time, or sooner after a
// failure, and up to a tenth of that later, so that not all are fetched at the same moment.
inline constexpr std::chrono::hours after_failure{1};
wall_time next_fetch(
    const std::string& label, const stored_calendar& of, monotonic::duration interval);

}  // namespace muster::windows
