#include "roles/content/sync_schedule.h"

#include "core/schedules/schedule.h"

#include <algorithm>
#include <chrono>

namespace muster::content {
namespace {

constexpr auto pause_between_looks = std::chrono::seconds(20);

result<schedules::timing> timing_of(std::string_view cron) {
    const auto no_zone = [](std::string_view) -> result<windows::zone_pointer> {
        return fail(errc::not_found, "only UTC is known here");
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

async<void> sync_schedule::look() {
    CO_CHECK_OK(co_await around_.books.catch_up());
    const auto now = around_.time.wall();
    for (const auto& each : around_.books.all<channel>()) {
        const auto tried = tried_.find(each->label());
        const auto due =
            next_sync(*each, tried == tried_.end() ? std::nullopt : std::optional(tried->second));
        if (!due || *due > now) continue;
        tried_.insert_or_assign(each->label(), now);
        CO_CHECK_OK(around_.syncs.start({.channel = each->label(), .by = each->row.changed_by}));
    }
    std::erase_if(tried_, [this](const auto& each) {
        return around_.books.find<channel>(each.first) == nullptr;
    });
    co_return result<void>();
}

boost::asio::awaitable<void> sync_schedule::run(std::function<bool()> active) {
    while (true) {
        const auto slept = co_await around_.time.sleep_for(pause_between_looks);
        if (!slept) co_return;
        if (!active()) continue;
        const auto done = co_await look();
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done)
            around_.log.warning(
                "channels' schedules were not looked at", {{"reason", to_string(done.error())}});
    }
}

}  // namespace muster::content
