#include "services/content/sync_schedule.h"

#include "core/schedules/schedule.h"
#include "ports/deadline.h"

#include <algorithm>
#include <chrono>

namespace muster::content {
namespace {

constexpr auto pause_between_looks = std::chrono::seconds(5);

result<schedules::timing> timing_of(std::string_view cron) {
    const auto no_zone = [](std::string_view) -> result<windows::time_zone_pointer> {
        return fail(errc::not_found, "channel sync schedules support only the time zone UTC");
    };
    return schedules::parse_timing(
        {.at = {}, .cron = std::string(cron), .rrule = {}, .zone = {}}, no_zone);
}

}  // namespace

result<void> check_schedule(std::string_view cron) {
    CHECK_OK(timing_of(cron));
    return {};
}

std::optional<wall_time> next_sync(const channel& of, const std::optional<wall_time>& last_try) {
    if (of.schedule.empty() || !of.schedule_set) return std::nullopt;
    const auto when = timing_of(of.schedule);
    if (!when) return std::nullopt;
    auto after = *of.schedule_set;
    if (of.synced) after = std::max(after, *of.synced);
    if (last_try) after = std::max(after, *last_try);
    return schedules::next_run(*when, after);
}

std::optional<channel_sync_worker::sync_task> sync_schedule::wish_for(
    const channel& of, wall_time now) const {
    const auto it = tried_.find(of.label());
    const auto tried = it == tried_.end() ? std::nullopt : std::optional(it->second.at);
    const auto& request = of.sync_asked;
    if (request && (it == tried_.end() || it->second.asked != request))
        return channel_sync_worker::sync_task{
            .channel = of.label(), .by = request->by, .with_errata = request->with_errata};
    const auto due = next_sync(of, tried);
    if (!due || *due > now) return std::nullopt;
    return channel_sync_worker::sync_task{.channel = of.label(), .by = of.row.changed_by};
}

async<void> sync_schedule::look() {
    CO_CHECK_OK(co_await deps_.content.refresh());
    const auto now = deps_.clock.wall();
    for (const auto& each : deps_.syncs.take_unrecorded()) {
        const auto it = tried_.find(each);
        if (it != tried_.end()) it->second.asked.reset();
    }
    for (const auto& each : deps_.content.all<channel>()) {
        auto desired = wish_for(*each, now);
        if (!desired) continue;
        // When too many wait already, the rest is looked at again.
        CO_CHECK_OK(deps_.syncs.start(*std::move(desired)));
        tried_.insert_or_assign(each->label(), attempt{.at = now, .asked = each->sync_asked});
    }
    std::erase_if(tried_, [this](const auto& each) {
        return deps_.content.find<channel>(each.first) == nullptr;
    });
    co_return result<void>();
}

boost::asio::awaitable<void> sync_schedule::run(const std::atomic<bool>& active) {
    while (true) {
        auto rung = deps_.syncs.requested().wait();
        const auto slept = co_await within(deps_.clock, pause_between_looks, std::move(rung));
        if (!slept && slept.error().code() == errc::cancelled) co_return;
        if (!active) continue;
        const auto done = co_await look();
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done)
            deps_.log.warning(
                "software channel syncs not scheduled; retrying",
                {{"error", to_string(done.error())}});
    }
}

}  // namespace muster::content
