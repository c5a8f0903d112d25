#include "core/presence/presence_recorder.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::presence::history {
namespace {

constexpr std::int64_t age_max = 255;

char age_of(wall_time interval_end, seconds time) {
    const auto age = static_cast<std::int64_t>(to_seconds(interval_end)) - std::int64_t{time};
    return static_cast<char>(std::clamp<std::int64_t>(age, 0, age_max));
}

}  // namespace

wall_time time_of(const change& change, system_number system) {
    const auto position = change.systems.rank(system);
    if (position == 0 || position > change.ages.size()) return change.at;
    const auto age = static_cast<unsigned char>(change.ages[position - 1]);
    return std::chrono::floor<std::chrono::seconds>(change.at) - std::chrono::seconds(age);
}

presence_recorder::presence_recorder(options options, wall_time start) : options_(options) {
    begin_period(start);
}

void presence_recorder::begin_period(wall_time at) {
    period_ = {.node = options_.node, .start = options_.start, .opened = at, .until = at};
    period_recorded_ = false;
    present_ = attached_;
    changed_ = fleet::system_set();
}

void presence_recorder::add_event(system_number system, event event) {
    auto& events = events_[system];
    if (events.size() == changes_of_one_max) events.erase(events.begin());
    events.push_back(event);
}

void presence_recorder::record(
    std::span<const attach_event> attach_events, std::span<const detach_event> detach_events) {
    for (const auto& event : detach_events) {
        attached_.remove(event.system);
        add_event(event.system, {.kind = change_kind::detached, .why = event.why, .at = event.at});
    }
    for (const auto& event : attach_events) {
        attached_.add(event.system);
        add_event(event.system, {.kind = change_kind::attached, .at = event.since});
    }
}

std::vector<change> presence_recorder::pop_changes(wall_time interval_end) {
    using group_key = std::tuple<std::int64_t, change_kind, session::reason>;
    struct group_members {
        std::vector<std::uint32_t> numbers;
        std::string ages;
    };
    std::map<group_key, group_members> groups;
    for (const auto& [system, events] : std::exchange(events_, {})) {
        changed_.add(system);
        for (std::size_t step = 0; step < events.size(); ++step) {
            const auto& event = events[step];
            auto& group = groups[{static_cast<std::int64_t>(step), event.kind, event.why}];
            group.numbers.push_back(static_cast<std::uint32_t>(system.value()));
            group.ages.push_back(age_of(interval_end, event.at));
        }
    }
    std::vector<change> changes;
    for (auto& [key, group] : groups) {
        const auto& [step, kind, why] = key;
        if (group.ages.size() > ages_max) group.ages.clear();
        changes.push_back(
            {.node = options_.node,
             .at = interval_end,
             .kind = kind,
             .why = why,
             .step = step,
             .systems = fleet::system_set::of(group.numbers),
             .ages = std::move(group.ages)});
    }
    return changes;
}

// Intervals do not overlap, even if the clock was set back.
wall_time presence_recorder::next_interval_end(wall_time now) {
    return std::max(now, period_.until + std::chrono::milliseconds(1));
}

presence_recorder::interval_record presence_recorder::end_interval(wall_time now) {
    const auto interval_end = next_interval_end(now);
    const auto period_index = [this](wall_time time) {
        return time.time_since_epoch() / options_.period;
    };
    if (interval_end - period_.until > options_.interval_max) skip(interval_end);
    interval_record record;
    record.changes = pop_changes(interval_end);
    period_.until = interval_end;
    const bool full = period_index(period_.opened) != period_index(interval_end);
    if (full) period_.end = period_end::full;
    record.period = period_;
    if (!std::exchange(period_recorded_, true)) record.present = present_;
    if (full) {
        record.changed = std::move(changed_);
        begin_period(interval_end);
    }
    return record;
}

presence_recorder::interval_record presence_recorder::stop(wall_time now) {
    interval_record record = end_interval(now);
    if (!record.changed) record.changed = changed_;
    record.period.end = period_end::stopped;
    return record;
}

void presence_recorder::skip(wall_time now) {
    events_.clear();
    begin_period(std::max(now, period_.until));
}

}  // namespace muster::presence::history
