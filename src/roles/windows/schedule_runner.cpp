#include "roles/windows/schedule_runner.h"

#include <chrono>
#include <utility>

namespace muster::windows {
namespace {

constexpr auto look_interval = std::chrono::seconds(1);

}  // namespace

async<void> schedule_runner::consider(std::string name, schedules::due_answer due) {
    const auto view = around_.book.current();
    const auto known = view ? view->schedules.find(name) : decltype(view->schedules.end()){};
    if (!view || known == view->schedules.end()) co_return result<void>();
    if (due.missed > 0)
        around_.log.warning(
            "runs of a schedule were missed and are left out",
            {{"schedule", name}, {"missed", due.missed}});
    if (due.missed > 0 && around_.missed) {
        CO_CHECK_OK(co_await around_.missed(name, due));
    }
    if (due.run) {
        const auto started =
            co_await around_.start({.name = name, .what = known->second.stored, .due = *due.run});
        const bool hopeless = !started
                              && (started.error().code() == errc::invalid
                                  || started.error().code() == errc::not_found);
        if (!started && !hopeless) co_return fail(started.error());
        if (hopeless)
            around_.log.warning(
                "a run of a schedule is left out",
                {{"schedule", name}, {"reason", started.error().detail()}});
        if (hopeless && around_.left_out) {
            run skipped{.name = name, .what = known->second.stored, .due = *due.run};
            CO_CHECK_OK(co_await around_.left_out(std::move(skipped), started.error()));
        }
    }
    const auto noted = co_await around_.book.note_considered(name, due.considered, server_);
    if (!noted) co_return fail(noted.error());
    co_return result<void>();
}

async<void> schedule_runner::look() {
    const auto view = around_.book.current();
    if (!view) co_return result<void>();
    for (auto& [name, due] : view->due(around_.time.wall())) {
        CO_CHECK_OK(co_await consider(name, due));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> schedule_runner::keep(std::function<bool()> active) {
    bool well = true;
    while (true) {
        if (active()) {
            const auto looked = co_await look();
            if (!looked && looked.error().code() == errc::cancelled) co_return;
            if (!looked && std::exchange(well, false))
                around_.log.warning(
                    "schedules cannot be started", {{"reason", to_string(looked.error())}});
            if (looked) well = true;
        }
        const auto slept = co_await around_.time.sleep_for(look_interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::windows
