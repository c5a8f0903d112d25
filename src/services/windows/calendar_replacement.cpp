#include "services/windows/calendar_replacement.h"

namespace muster::windows {

result<replanned_schedules> replan_for(
    const calendar_replacement& replacement,
    std::string_view strategies,
    const planned_jobs* planned) {
    TRY(const auto order, parse_strategies(strategies));
    replanned_schedules all;
    if (planned == nullptr) return all;
    for (const auto& [name, schedule] : replacement.now.maintenance) {
        if (schedule.stored.calendar != replacement.label) continue;
        const auto when = schedule.stored.type == "multi" ? replacement.with.named(name)
                                                          : replacement.with.whole();
        TRY(all[name], replan(planned->planned(name), when, order, replacement.at));
    }
    return all;
}

result<void> check_keeps_planned(
    const calendar_replacement& replacement, const planned_jobs* planned) {
    const auto plans = replan_for(replacement, default_strategies, planned);
    if (!plans) return fail(plans.error());
    return {};
}

}  // namespace muster::windows
