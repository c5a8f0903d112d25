#include "services/jobs/canary_end.h"

#include "core/table/query.h"

#include <algorithm>
#include <utility>

namespace muster::jobs {

async<std::optional<wall_time>> read_canaries_end(
    job_store& jobs, job_id job, fleet::system_set canaries) {
    std::optional<wall_time> last;
    std::uint64_t completed = 0;
    auto page = canaries.page(system_number(0), table::query_limits::list_max);
    while (!page.empty()) {
        job_store::task_filter filter{.job = job, .states = {task_state::completed}};
        for (const auto system : page) filter.systems.push_back(system.value());
        const auto count = page.size();
        CO_TRY(const auto rows, co_await jobs.read_tasks(std::move(filter), {}, count));
        for (const auto& task : rows.tasks) {
            if (!task.record.ended) continue;
            ++completed;
            last = std::max(last.value_or(*task.record.ended), *task.record.ended);
        }
        page = canaries.page(system_number(page.back().value() + 1), table::query_limits::list_max);
    }
    if (completed < canaries.size()) co_return std::optional<wall_time>();
    co_return last;
}

}  // namespace muster::jobs
