#include "services/scheduling/schedule_runner.h"

#include <chrono>
#include <optional>
#include <utility>

namespace muster::scheduling {
namespace {

constexpr auto look_interval = std::chrono::seconds(1);
constexpr std::size_t failures_told = 5;  // the others are counted

}  // namespace

async<void> schedule_runner::consider(std::string name, schedules::due_answer due) {
    const auto view = deps_.windows.current();
    const auto existing = view ? view->schedules.find(name) : decltype(view->schedules.end()){};
    if (!view || existing == view->schedules.end()) co_return result<void>();
    if (due.missed > 0)
        deps_.log.warning(
            "runs of a schedule were missed and are left out",
            {{"schedule", name}, {"missed", due.missed}});
    if (due.missed > 0) {
        CO_CHECK_OK(co_await deps_.starts.tell_missed(name, due));
    }
    if (due.run) {
        const auto started = co_await deps_.starts.start(
            {.name = name, .what = existing->second.stored, .due = *due.run});
        const bool hopeless = !started
                              && (started.error().code() == errc::invalid
                                  || started.error().code() == errc::not_found);
        if (!started && !hopeless) co_return fail(started.error());
        if (hopeless)
            deps_.log.warning(
                "a run of a schedule is left out",
                {{"schedule", name}, {"reason", started.error().detail()}});
        if (hopeless) {
            run skipped{.name = name, .what = existing->second.stored, .due = *due.run};
            CO_CHECK_OK(co_await deps_.starts.tell_left_out(std::move(skipped), started.error()));
        }
    }
    const auto noted = co_await deps_.windows.note_considered(name, due.considered, server_);
    if (!noted) co_return fail(noted.error());
    co_return result<void>();
}

async<void> schedule_runner::look() {
    const auto view = deps_.windows.current();
    if (!view) co_return result<void>();
    std::optional<errc> first;
    std::string response;
    std::size_t failed = 0;
    for (auto& [name, due] : view->due(deps_.clock.wall())) {
        const auto done = co_await consider(name, due);
        if (done) continue;
        if (done.error().code() == errc::cancelled) co_return fail(done.error());
        if (!first) first = done.error().code();
        if (++failed > failures_told) continue;
        response += (response.empty() ? "" : "; ") + name + ": " + done.error().detail();
    }
    if (!first) co_return result<void>();
    if (failed > failures_told)
        response += "; and " + std::to_string(failed - failures_told) + " more";
    co_return fail(*first, std::move(response));
}

boost::asio::awaitable<void> schedule_runner::keep(const std::atomic<bool>& active) {
    std::string last;  // what was told: the same is told once
    while (true) {
        if (active) {
            const auto looked = co_await look();
            if (!looked && looked.error().code() == errc::cancelled) co_return;
            const auto now = looked ? std::string() : to_string(looked.error());
            if (!looked && now != last)
                deps_.log.warning("schedules cannot be started", {{"reason", now}});
            last = now;
        }
        const auto slept = co_await deps_.clock.sleep_for(look_interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::scheduling
