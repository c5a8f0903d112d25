#include "services/jobs/canary_end.h"

#include "core/table/query.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {

async<std::optional<wall_time>> canaries_ended(
    job_store& records, job_id job, fleet::system_set canaries) {
    std::optional<wall_time> last;
    std::uint64_t match = 0;
    auto page = canaries.page(system_number(0), table::query_limits::list_max);
    while (!page.empty()) {
        job_store::task_filter task_filter{.job = job, .states = {task_state::completed}};
        for (const auto each : page) task_filter.systems.push_back(each.value());
        const auto count = page.size();
        CO_TRY(const auto rows, co_await records.read_tasks(std::move(task_filter), {}, count));
        for (const auto& task : rows.tasks) {
            if (!task.record.ended) continue;
            ++match;
            last = std::max(last.value_or(*task.record.ended), *task.record.ended);
        }
        page = canaries.page(system_number(page.back().value() + 1), table::query_limits::list_max);
    }
    if (match < canaries.size()) co_return std::optional<wall_time>();
    co_return last;
}

}  // namespace muster::jobs
