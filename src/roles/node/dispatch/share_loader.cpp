#include "roles/node/dispatch/share_loader.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::dispatch {
namespace {

constexpr std::size_t page_rows = 5'000;
// Up to this many systems are queried by number; for more, all tasks of the job are read.
constexpr std::size_t single_lookups_max = 4 * table::query_limits::list_max;

class share_builder {
public:
    share_builder(muster::clock& clock, fleet::system_set systems)
        : now_(clock.now()), wall_now_(clock.wall()) {
        share_.targets = std::move(systems);
    }

    void add(const task_record& task) {
        const system_number system(task.system);
        if (!share_.targets.contains(system)) return;
        switch (task.state) {
            case task_state::completed:
                share_.completed.add(system);
                return;
            case task_state::failed:
            case task_state::cancelled:
            case task_state::expired:
                share_.failed.add(system);
                return;
            case task_state::queued:
                share_.waiting.push_back(
                    {.system = system,
                     .attempt = task.attempt,
                     .since = task.ended ? now_ - time_since(*task.ended) : instant{}});
                return;
            case task_state::picked_up:
                share_.running.push_back(
                    {.system = system,
                     .attempt = task.attempt,
                     .starter = node_id(task.node.empty() ? "unknown" : task.node),
                     .started = now_ - time_since(task.picked_up.value_or(wall_now_))});
                return;
        }
    }

    rollout::share finish() { return std::move(share_); }

private:
    monotonic::duration time_since(wall_time time) const {
        return std::max<monotonic::duration>(wall_now_ - time, monotonic::duration::zero());
    }

    instant now_;
    wall_time wall_now_;
    rollout::share share_;
};

async<void> read_tasks_into(
    jobs::job_store* jobs, jobs::job_store::task_filter task_filter, share_builder* builder) {
    std::string after;
    do {
        CO_TRY(auto page, co_await jobs->read_tasks(task_filter, std::move(after), page_rows));
        for (const auto& task : page.tasks) builder->add(task.record);
        after = std::move(page.next);
    } while (!after.empty());
    co_return result<void>();
}

}  // namespace

async<rollout::share> load_share(jobs::job_store* jobs, job_id job, fleet::system_set systems) {
    const auto count = systems.size();
    share_builder builder(jobs->clock(), systems);
    if (count > single_lookups_max) {
        CO_CHECK_OK(co_await read_tasks_into(jobs, {.job = job, .states = {}}, &builder));
        co_return builder.finish();
    }
    for (system_number from(0);;) {
        const auto page = systems.page(from, table::query_limits::list_max);
        if (page.empty()) break;
        jobs::job_store::task_filter task_filter{.job = job, .states = {}};
        for (const auto system : page) task_filter.systems.push_back(system.value());
        CO_CHECK_OK(co_await read_tasks_into(jobs, std::move(task_filter), &builder));
        from = page.back().next();
    }
    co_return builder.finish();
}

}  // namespace muster::dispatch
