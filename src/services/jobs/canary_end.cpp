#include "services/jobs/canary_end.h"

#include "core/table/query.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {

async<std::optional<wall_time>> canaries_ended(
    job_ledger& records, job_id job, fleet::system_set canaries) {
    std::optional<wall_time> last;
    std::uint64_t found = 0;
    auto page = canaries.page(system_number(0), table::query_limits::list_max);
    while (!page.empty()) {
        job_ledger::task_filter which{.job = job, .states = {task_state::completed}};
        for (const auto each : page) which.systems.push_back(each.value());
        const auto count = page.size();
        CO_TRY(const auto rows, co_await records.read_tasks(std::move(which), {}, count));
        for (const auto& each : rows.tasks) {
            if (!each.record.ended) continue;
            ++found;
            last = std::max(last.value_or(*each.record.ended), *each.record.ended);
        }
        page = canaries.page(system_number(page.back().value() + 1), table::query_limits::list_max);
    }
    if (found < canaries.size()) co_return std::optional<wall_time>();
    co_return last;
}

}  // namespace muster::jobs
