#include "core/presence/timeline_input.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace muster::presence::history {
namespace {

bool goes_on(const chapter& before, const chapter& next) {
    return before.node == next.node && before.start == next.start && before.how == ending::full
           && before.until == next.opened;
}

}  // namespace

std::vector<chapter> bearing_on(std::vector<chapter> chapters, wall_time since) {
    std::map<node_number, wall_time> last;
    for (const auto& each : chapters) {
        if (each.opened >= since) continue;
        auto& opened = last.try_emplace(each.node, each.opened).first->second;
        opened = std::max(opened, each.opened);
    }
    std::erase_if(chapters, [&](const chapter& chapter) {
        return chapter.opened < since && chapter.opened != last.at(chapter.node);
    });
    return chapters;
}

std::vector<ordered_period> place(std::vector<chapter> chapters, wall_time now) {
    std::ranges::sort(chapters, {}, [](const chapter& chapter) {
        return std::tuple(chapter.node, chapter.opened);
    });
    std::vector<ordered_period> placed;
    placed.reserve(chapters.size());
    for (std::size_t at = 0; at < chapters.size(); ++at) {
        ordered_period each{.what = chapters[at]};
        if (at > 0 && chapters[at - 1].node == each.what.node) {
            each.begins = !goes_on(chapters[at - 1], each.what);
            each.same_start = chapters[at - 1].start == each.what.start;
        }
        const bool followed = at + 1 < chapters.size() && chapters[at + 1].node == each.what.node;
        const bool recent = !followed && now - each.what.until <= silence_max;
        if (each.what.how == ending::stopped) {
            each.end = claim::stopped;
        } else if (!recent && !(followed && goes_on(each.what, chapters[at + 1]))) {
            each.end = claim::silent;
        }
        placed.push_back(each);
    }
    return placed;
}

statement beginning_of(const ordered_period& where, bool present) {
    return {
        .at = where.what.opened,
        .told = where.what.opened,
        .what = present ? claim::begins_with : claim::begins_without,
        .node = where.what.node,
        .why = where.same_start ? session::reason::unknown : session::reason::node_lost};
}

std::optional<statement> end_of(const ordered_period& where) {
    if (!where.end) return std::nullopt;
    return statement{
        .at = where.what.until,
        .told = where.what.until,
        .what = *where.end,
        .node = where.what.node};
}

statement said_by(const change& change, system_number system, wall_time chapter_opened) {
    return {
        .at = std::max(moment_of(change, system), chapter_opened),
        .told = change.at,
        .step = change.step,
        .what = change.what == turn::came ? claim::came : claim::left,
        .node = change.node,
        .why = change.why};
}

statement said_by(const mark& mark) {
    return {.at = mark.at, .told = mark.at, .what = claim::lost, .node = mark.node};
}

}  // namespace muster::presence::history
