#include "services/windows/calendar_refresher.h"

#include "base/prng.h"
#include "ports/deadline.h"
#include "services/windows/calendar_replacement.h"

#include <algorithm>
#include <utility>

namespace muster::windows {
namespace {

constexpr std::size_t error_bytes_max = 1'000;

// FNV-1a: the same on every server.
std::uint64_t seed_of(const std::string& label) {
    std::uint64_t seed = 14'695'981'039'346'656'037U;
    for (const char each : label) {
        seed ^= static_cast<unsigned char>(each);
        seed *= 1'099'511'628'211U;
    }
    return seed;
}

}  // namespace

wall_time next_fetch(
    const std::string& label, const stored_calendar& of, monotonic::duration interval) {
    const auto wait = std::chrono::duration_cast<wall_time::duration>(
        of.last_error.empty() ? interval : std::min<monotonic::duration>(interval, after_failure));
    prng random(seed_of(label));
    const auto tenth = static_cast<std::uint64_t>(wait.count() / 10) + 1;
    return of.fetched + wait + wall_time::duration(static_cast<std::int64_t>(random.below(tenth)));
}

// What is to be kept of a calendar after its address was asked.
stored_calendar calendar_refresher::judged(
    const std::string& label, stored_calendar before, const result<std::string>& got) const {
    const auto bad = [&before](std::string why) {
        if (why.size() > error_bytes_max) why.resize(error_bytes_max);
        before.last_error = std::move(why);
        return std::move(before);
    };
    before.fetched = deps_.clock.wall();
    if (!got) return bad(got.error().detail());
    if (*got != before.text) {
        const auto read = calendar::parse(*got, deps_.windows.zones());
        if (!read) return bad("what was fetched is no calendar: " + read.error().detail());
        const auto view = deps_.windows.current();
        const auto kept =
            view ? check_keeps_planned(
                       {.now = *view, .label = label, .with = *read, .at = deps_.clock.wall()},
                       deps_.planned)
                 : fail(errc::unavailable, "the server is still reading the windows");
        if (!kept)
            return bad(
                "what was fetched was not taken: " + kept.error().detail()
                + "; say what shall become of it: muster windows refresh " + label + " --resolve");
        before.text = *got;
    }
    before.last_error.clear();
    return before;
}

async<void> calendar_refresher::refresh(
    std::string label, window_snapshot::parsed_calendar stands) {
    const auto got =
        co_await within(deps_.clock, options_.timeout, deps_.source.fetch(stands.stored->url));
    if (!got && got.error().code() == errc::cancelled) co_return fail(got.error());
    auto now = judged(label, *stands.stored, got);
    const bool changed = now.text != stands.stored->text;
    const auto failed = now.last_error;
    CO_TRY(
        const bool noted,
        co_await deps_.windows.note_fetched(
            label, std::move(now), stands.row.version, "server " + options_.server));
    if (noted && changed)
        deps_.log.info("a calendar was fetched and is in force", {{"calendar", label}});
    if (noted && !failed.empty() && failed != stands.stored->last_error)
        deps_.log.warning(
            "a calendar was not refreshed; the one before stays in force",
            {{"calendar", label}, {"reason", failed}});
    co_return result<void>();
}

async<void> calendar_refresher::look() {
    const auto view = deps_.windows.current();
    if (!view || options_.interval <= monotonic::duration::zero()) co_return result<void>();
    result<void> outcome;
    for (const auto& [label, kept] : view->calendars) {
        if (kept.stored->url.empty()) continue;
        if (next_fetch(label, *kept.stored, options_.interval) > deps_.clock.wall()) continue;
        const auto done = co_await refresh(label, kept);
        if (!done && done.error().code() == errc::cancelled) co_return done;
        if (!done && outcome) outcome = fail(done.error().within("calendar " + label));
    }
    co_return outcome;
}

boost::asio::awaitable<void> calendar_refresher::run(const std::atomic<bool>& active) {
    std::string last;  // what was told: the same is told once
    while (true) {
        if (active) {
            const auto looked = co_await look();
            if (!looked && looked.error().code() == errc::cancelled) co_return;
            const auto now = looked ? std::string() : to_string(looked.error());
            if (!looked && now != last)
                deps_.log.warning("calendars cannot be refreshed", {{"reason", now}});
            last = now;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.look_interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::windows
