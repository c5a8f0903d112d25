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

// Periodically fetches the calendars that have a URL. A fetched text replaces the stored one only
// if it is a valid calendar and all planned jobs keep their windows. Otherwise the stored calendar
// stays in force, and its record gets the reason.
//
// Runs on the server of the active driver; two servers at once do no harm. Not thread-safe; call
// from one strand.
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
        std::string server;              // written to `changed_by`
        monotonic::duration interval{};  // zero: never
        monotonic::duration look_interval = std::chrono::seconds(30);
        monotonic::duration timeout = std::chrono::seconds(60);  // of one calendar
    };

    calendar_refresher(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)) {}

    // Runs until it is cancelled. Pauses while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);
    // Fetches all calendars that are due. Continues after a failure.
    async<void> run_once();

private:
    async<void> refresh(std::string label, window_snapshot::parsed_calendar current);
    // Returns the record to store after a fetch.
    stored_calendar apply_fetched(
        const std::string& label, stored_calendar stored, const result<std::string>& text) const;

    dependencies deps_;
    options options_;
};

// Time of the next fetch: one interval after the last fetch, or sooner after a failure. Adds up to
// a tenth of that, so that not all calendars are fetched at the same moment.
inline constexpr std::chrono::hours after_failure{1};
wall_time next_fetch(
    const std::string& label, const stored_calendar& calendar, monotonic::duration interval);

}  // namespace muster::windows
