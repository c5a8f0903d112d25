#include "core/presence/presence_recorder.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::presence::history {
namespace {

constexpr std::int64_t age_max = 255;

char age_of(wall_time turn_end, seconds moment) {
    const auto age = static_cast<std::int64_t>(seconds_of(turn_end)) - std::int64_t{moment};
    return static_cast<char>(std::clamp<std::int64_t>(age, 0, age_max));
}

}  // namespace

wall_time moment_of(const change& change, system_number system) {
    const auto place = change.systems.rank(system);
    if (place == 0 || place > change.ages.size()) return change.at;
    const auto age = static_cast<unsigned char>(change.ages[place - 1]);
    return std::chrono::floor<std::chrono::seconds>(change.at) - std::chrono::seconds(age);
}

presence_recorder::presence_recorder(options own, wall_time begins) : own_(own) {
    begin_chapter(begins);
}

void presence_recorder::begin_chapter(wall_time at) {
    now_ = {.node = own_.node, .start = own_.start, .opened = at, .until = at};
    begun_ = false;
    present_ = here_;
    changed_ = fleet::system_set();
}

void presence_recorder::remember(system_number system, event event) {
    auto& existing = noted_[system];
    if (existing.size() == changes_of_one_max) existing.erase(existing.begin());
    existing.push_back(event);
}

void presence_recorder::note(
    std::span<const arrival> arrivals, std::span<const departure> departures) {
    for (const auto& each : departures) {
        here_.remove(each.system);
        remember(each.system, {.what = turn::left, .why = each.why, .at = each.at});
    }
    for (const auto& each : arrivals) {
        here_.add(each.system);
        remember(each.system, {.what = turn::came, .at = each.since});
    }
}

std::vector<change> presence_recorder::take_changes(wall_time at) {
    using kind = std::tuple<std::int64_t, turn, session::reason>;
    struct members {
        std::vector<std::uint32_t> numbers;
        std::string ages;
    };
    std::map<kind, members> alike;
    for (const auto& [system, events] : std::exchange(noted_, {})) {
        changed_.add(system);
        for (std::size_t step = 0; step < events.size(); ++step) {
            const auto& each = events[step];
            auto& with = alike[{static_cast<std::int64_t>(step), each.what, each.why}];
            with.numbers.push_back(static_cast<std::uint32_t>(system.value()));
            with.ages.push_back(age_of(at, each.at));
        }
    }
    std::vector<change> result;
    for (auto& [how, with] : alike) {
        const auto& [step, what, why] = how;
        if (with.ages.size() > ages_max) with.ages.clear();
        result.push_back(
            {.node = own_.node,
             .at = at,
             .what = what,
             .why = why,
             .step = step,
             .systems = fleet::system_set::of(with.numbers),
             .ages = std::move(with.ages)});
    }
    return result;
}

// A clock that was set back does not make turns overlap.
wall_time presence_recorder::later_than_before(wall_time now) {
    return std::max(now, now_.until + std::chrono::milliseconds(1));
}

presence_recorder::page presence_recorder::end_turn(wall_time now) {
    const auto at = later_than_before(now);
    const auto chapter_of = [this](wall_time moment) {
        return moment.time_since_epoch() / own_.chapter;
    };
    if (at - now_.until > own_.turn_max) skip(at);
    page page;
    page.changes = take_changes(at);
    now_.until = at;
    const bool full = chapter_of(now_.opened) != chapter_of(at);
    if (full) now_.how = ending::full;
    page.now = now_;
    if (!std::exchange(begun_, true)) page.present = present_;
    if (full) {
        page.changed = std::move(changed_);
        begin_chapter(at);
    }
    return page;
}

presence_recorder::page presence_recorder::stop(wall_time now) {
    page page = end_turn(now);
    if (!page.changed) page.changed = changed_;
    page.now.how = ending::stopped;
    return page;
}

void presence_recorder::skip(wall_time now) {
    noted_.clear();
    begin_chapter(std::max(now, now_.until));
}

}  // namespace muster::presence::history
