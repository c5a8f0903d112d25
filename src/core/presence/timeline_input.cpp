#include "core/presence/timeline_input.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace muster::presence::history {
namespace {

bool continues(const report_period& before, const report_period& next) {
    return before.node == next.node && before.start == next.start && before.end == period_end::full
           && before.until == next.opened;
}

}  // namespace

std::vector<report_period> periods_since(std::vector<report_period> periods, wall_time since) {
    std::map<node_number, wall_time> last;
    for (const auto& period : periods) {
        if (period.opened >= since) continue;
        auto& opened = last.try_emplace(period.node, period.opened).first->second;
        opened = std::max(opened, period.opened);
    }
    std::erase_if(periods, [&](const report_period& period) {
        return period.opened < since && period.opened != last.at(period.node);
    });
    return periods;
}

std::vector<ordered_period> order_periods(std::vector<report_period> periods, wall_time now) {
    std::ranges::sort(periods, {}, [](const report_period& period) {
        return std::tuple(period.node, period.opened);
    });
    std::vector<ordered_period> ordered;
    ordered.reserve(periods.size());
    for (std::size_t index = 0; index < periods.size(); ++index) {
        ordered_period entry{.period = periods[index]};
        if (index > 0 && periods[index - 1].node == entry.period.node) {
            entry.starts = !continues(periods[index - 1], entry.period);
            entry.same_start = periods[index - 1].start == entry.period.start;
        }
        const bool has_next =
            index + 1 < periods.size() && periods[index + 1].node == entry.period.node;
        const bool recent = !has_next && now - entry.period.until <= silence_max;
        if (entry.period.end == period_end::stopped) {
            entry.end = statement_kind::stopped;
        } else if (!recent && !(has_next && continues(entry.period, periods[index + 1]))) {
            entry.end = statement_kind::silent;
        }
        ordered.push_back(entry);
    }
    return ordered;
}

statement start_statement(const ordered_period& period, bool present) {
    return {
        .at = period.period.opened,
        .recorded = period.period.opened,
        .kind = present ? statement_kind::starts_attached : statement_kind::starts_detached,
        .node = period.period.node,
        .why = period.same_start ? session::reason::unknown : session::reason::node_lost};
}

std::optional<statement> end_statement(const ordered_period& period) {
    if (!period.end) return std::nullopt;
    return statement{
        .at = period.period.until,
        .recorded = period.period.until,
        .kind = *period.end,
        .node = period.period.node};
}

statement to_statement(const change& change, system_number system, wall_time period_opened) {
    return {
        .at = std::max(time_of(change, system), period_opened),
        .recorded = change.at,
        .step = change.step,
        .kind = change.kind == change_kind::attached ? statement_kind::attached
                                                     : statement_kind::detached,
        .node = change.node,
        .why = change.why};
}

statement to_statement(const missing_mark& mark) {
    return {.at = mark.at, .recorded = mark.at, .kind = statement_kind::lost, .node = mark.node};
}

}  // namespace muster::presence::history
