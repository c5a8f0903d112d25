#include "services/scheduling/schedule_runner.h"

#include <chrono>
#include <optional>
#include <utility>

namespace muster::scheduling {
namespace {

constexpr auto poll_interval = std::chrono::seconds(1);
constexpr std::size_t failures_named_max = 5;  // the others are counted

}  // namespace

async<void> schedule_runner::run_schedule(std::string name, schedules::due_result due) {
    const auto snapshot = deps_.windows.current();
    const auto it =
        snapshot ? snapshot->schedules.find(name) : decltype(snapshot->schedules.end()){};
    if (!snapshot || it == snapshot->schedules.end()) co_return result<void>();
    if (due.missed > 0)
        deps_.log.warning(
            "missed schedule runs skipped", {{"schedule", name}, {"missed", due.missed}});
    if (due.missed > 0) {
        CO_CHECK_OK(co_await deps_.run_starter.record_missed(name, due));
    }
    if (due.run) {
        const auto started = co_await deps_.run_starter.start(
            {.name = name, .schedule = it->second.stored, .due = *due.run});
        const bool invalid = !started
                             && (started.error().code() == errc::invalid
                                 || started.error().code() == errc::not_found);
        if (!started && !invalid) co_return fail(started.error());
        if (invalid)
            deps_.log.warning(
                "schedule run skipped", {{"schedule", name}, {"error", started.error().detail()}});
        if (invalid) {
            run skipped{.name = name, .schedule = it->second.stored, .due = *due.run};
            CO_CHECK_OK(
                co_await deps_.run_starter.record_skipped(std::move(skipped), started.error()));
        }
    }
    const auto written = co_await deps_.windows.put_considered(name, due.considered, server_);
    if (!written) co_return fail(written.error());
    co_return result<void>();
}

async<void> schedule_runner::run_once() {
    const auto snapshot = deps_.windows.current();
    if (!snapshot) co_return result<void>();
    std::optional<errc> first_code;
    std::string message;
    std::size_t failure_count = 0;
    for (auto& [name, due] : snapshot->find_due(deps_.clock.wall())) {
        const auto outcome = co_await run_schedule(name, due);
        if (outcome) continue;
        if (outcome.error().code() == errc::cancelled) co_return fail(outcome.error());
        if (!first_code) first_code = outcome.error().code();
        if (++failure_count > failures_named_max) continue;
        message += (message.empty() ? "" : "; ") + name + ": " + outcome.error().detail();
    }
    if (!first_code) co_return result<void>();
    if (failure_count > failures_named_max)
        message += "; and " + std::to_string(failure_count - failures_named_max) + " more";
    co_return fail(*first_code, std::move(message));
}

boost::asio::awaitable<void> schedule_runner::run_loop(const std::atomic<bool>& active) {
    std::string last_message;  // logged before; the same message is logged once
    while (true) {
        if (active) {
            const auto outcome = co_await run_once();
            if (!outcome && outcome.error().code() == errc::cancelled) co_return;
            const auto message = outcome ? std::string() : to_string(outcome.error());
            if (!outcome && message != last_message)
                deps_.log.warning(
                    "recurring schedules not processed; retrying", {{"error", message}});
            last_message = message;
        }
        const auto slept = co_await deps_.clock.sleep_for(poll_interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::scheduling
