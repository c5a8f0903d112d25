#include "roles/node/dispatch/share_loader.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::dispatch {
namespace {

constexpr std::size_t page_rows = 5'000;
// Fewer systems than this are looked up by their numbers, more by reading all tasks of the job.
constexpr std::size_t looked_up_singly = 4 * table::query_limits::list_max;

class share_builder {
public:
    share_builder(muster::clock& clock, fleet::system_set system_set)
        : now_(clock.now()), wall_now_(clock.wall()) {
        made_.targets = std::move(system_set);
    }

    void take(const task_record& task) {
        const system_number system(task.system);
        if (!made_.targets.contains(system)) return;
        switch (task.state) {
            case task_state::completed:
                made_.completed.add(system);
                return;
            case task_state::failed:
            case task_state::cancelled:
            case task_state::expired:
                made_.failed.add(system);
                return;
            case task_state::queued:
                made_.waiting.push_back(
                    {.system = system,
                     .attempt = task.attempt,
                     .since = task.ended ? now_ - span_since(*task.ended) : instant{}});
                return;
            case task_state::picked_up:
                made_.running.push_back(
                    {.system = system,
                     .attempt = task.attempt,
                     .starter = node_id(task.node.empty() ? "unknown" : task.node),
                     .started = now_ - span_since(task.picked_up.value_or(wall_now_))});
                return;
        }
    }

    rollout::share finish() { return std::move(made_); }

private:
    monotonic::duration span_since(wall_time when) const {
        return std::max<monotonic::duration>(wall_now_ - when, monotonic::duration::zero());
    }

    instant now_;
    wall_time wall_now_;
    rollout::share made_;
};

async<void> read_into(
    jobs::job_store* records, jobs::job_store::task_filter task_filter, share_builder* to) {
    std::string after;
    do {
        CO_TRY(auto page, co_await records->read_tasks(task_filter, std::move(after), page_rows));
        for (const auto& task : page.tasks) to->take(task.record);
        after = std::move(page.next);
    } while (!after.empty());
    co_return result<void>();
}

}  // namespace

async<rollout::share> load_share(
    jobs::job_store* records, job_id job, fleet::system_set system_set) {
    const auto count = system_set.size();
    share_builder share_builder(records->clock(), system_set);
    if (count > looked_up_singly) {
        CO_CHECK_OK(co_await read_into(records, {.job = job, .states = {}}, &share_builder));
        co_return share_builder.finish();
    }
    for (system_number from(0);;) {
        const auto some = system_set.page(from, table::query_limits::list_max);
        if (some.empty()) break;
        jobs::job_store::task_filter task_filter{.job = job, .states = {}};
        for (const auto each : some) task_filter.systems.push_back(each.value());
        CO_CHECK_OK(co_await read_into(records, std::move(task_filter), &share_builder));
        from = some.back().next();
    }
    co_return share_builder.finish();
}

}  // namespace muster::dispatch
