#include "services/windows/calendar_replacement.h"

namespace muster::windows {

result<replanned_schedules> replan_jobs(
    const calendar_replacement& change, std::string_view strategies, const planned_jobs* planned) {
    TRY(const auto strategy_order, parse_strategies(strategies));
    replanned_schedules decisions;
    if (planned == nullptr) return decisions;
    for (const auto& [name, schedule] : change.snapshot.maintenance) {
        if (schedule.stored.calendar != change.label) continue;
        const auto windows = schedule.stored.type == "multi" ? change.replacement.events_named(name)
                                                             : change.replacement.all_events();
        TRY(decisions[name], replan(planned->planned(name), windows, strategy_order, change.now));
    }
    return decisions;
}

result<void> check_keeps_planned(const calendar_replacement& change, const planned_jobs* planned) {
    const auto plans = replan_jobs(change, default_strategies, planned);
    if (!plans) return fail(plans.error());
    return {};
}

}  // namespace muster::windows
