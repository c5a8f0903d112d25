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
    for (const char letter : label) {
        seed ^= static_cast<unsigned char>(letter);
        seed *= 1'099'511'628'211U;
    }
    return seed;
}

}  // namespace

wall_time next_fetch(
    const std::string& label, const stored_calendar& calendar, monotonic::duration interval) {
    const auto wait = std::chrono::duration_cast<wall_time::duration>(
        calendar.last_error.empty() ? interval
                                    : std::min<monotonic::duration>(interval, after_failure));
    prng random(seed_of(label));
    const auto tenth = static_cast<std::uint64_t>(wait.count() / 10) + 1;
    return calendar.fetched + wait
           + wall_time::duration(static_cast<std::int64_t>(random.below(tenth)));
}

stored_calendar calendar_refresher::apply_fetched(
    const std::string& label, stored_calendar stored, const result<std::string>& text) const {
    const auto reject = [&stored](std::string reason) {
        if (reason.size() > error_bytes_max) reason.resize(error_bytes_max);
        stored.last_error = std::move(reason);
        return std::move(stored);
    };
    stored.fetched = deps_.clock.wall();
    if (!text) return reject(text.error().detail());
    if (*text != stored.text) {
        const auto parsed = calendar::parse(*text, deps_.windows.zones());
        if (!parsed) return reject("fetched file is not a calendar: " + parsed.error().detail());
        const auto snapshot = deps_.windows.current();
        const auto checked =
            snapshot ? check_keeps_planned(
                           {.snapshot = *snapshot,
                            .label = label,
                            .replacement = *parsed,
                            .now = deps_.clock.wall()},
                           deps_.planned)
                     : fail(
                           errc::unavailable,
                           "the server is still loading the maintenance windows; retry later");
        if (!checked)
            return reject(
                "fetched calendar was rejected: " + checked.error().detail()
                + "; resolve the conflict with muster windows refresh " + label + " --resolve");
        stored.text = *text;
    }
    stored.last_error.clear();
    return stored;
}

async<void> calendar_refresher::refresh(
    std::string label, window_snapshot::parsed_calendar current) {
    const auto text =
        co_await within(deps_.clock, options_.timeout, deps_.source.fetch(current.stored->url));
    if (!text && text.error().code() == errc::cancelled) co_return fail(text.error());
    auto updated = apply_fetched(label, *current.stored, text);
    const bool changed = updated.text != current.stored->text;
    const auto failed = updated.last_error;
    CO_TRY(
        const bool written,
        co_await deps_.windows.put_fetched(
            label, std::move(updated), current.row.version, "server " + options_.server));
    if (written && changed) deps_.log.info("calendar refreshed", {{"calendar", label}});
    if (written && !failed.empty() && failed != current.stored->last_error)
        deps_.log.warning(
            "calendar refresh failed; previous calendar kept",
            {{"calendar", label}, {"error", failed}});
    co_return result<void>();
}

async<void> calendar_refresher::run_once() {
    const auto snapshot = deps_.windows.current();
    if (!snapshot || options_.interval <= monotonic::duration::zero()) co_return result<void>();
    result<void> outcome;
    for (const auto& [label, calendar] : snapshot->calendars) {
        if (calendar.stored->url.empty()) continue;
        if (next_fetch(label, *calendar.stored, options_.interval) > deps_.clock.wall()) continue;
        const auto refreshed = co_await refresh(label, calendar);
        if (!refreshed && refreshed.error().code() == errc::cancelled) co_return refreshed;
        if (!refreshed && outcome)
            outcome = fail(refreshed.error().with_context("calendar \"" + label + "\""));
    }
    co_return outcome;
}

boost::asio::awaitable<void> calendar_refresher::run(const std::atomic<bool>& active) {
    std::string last_message;  // logged before; the same message is logged once
    while (true) {
        if (active) {
            const auto outcome = co_await run_once();
            if (!outcome && outcome.error().code() == errc::cancelled) co_return;
            const auto message = outcome ? std::string() : to_string(outcome.error());
            if (!outcome && message != last_message)
                deps_.log.warning("calendar processing failed", {{"error", message}});
            last_message = message;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.look_interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::windows
