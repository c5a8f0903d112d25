// Jobs that heed windows: who may be started on now.
#include "core/jobs/work_kind.h"
#include "roles/dispatch/dispatcher.h"

#include <utility>

namespace muster::dispatch {
void dispatcher::review_gates() {
    if (now() < gates_due_) return;
    gates_due_ = now() + gate_holds;
    for (const auto job : engine_.jobs()) {
        const auto known = around_.book.find(job);
        if (known != nullptr) review_gate(*known);
        if (known == nullptr) gates_.erase(job);
    }
}

void dispatcher::review_gate(const jobs::open_job& one) {
    using gate = rollout::engine::gate;
    const auto& record = one.record;
    if (record.spec.windows != job_spec::window_rule::respect) return;
    auto closed = around_.closed(
        one.who->targets & held_.held(), durations_.of(jobs::work_kind(record.spec)));
    auto& known = gates_[record.job];
    const auto opened = known.closed - closed;
    const auto shut = closed - known.closed;
    known = {.closed = std::move(closed), .holds_until = now() + gate_holds};
    if (!shut.empty()) perform(engine_.set_gate(record.job, shut, gate::closed, now()));
    if (!opened.empty()) perform(engine_.set_gate(record.job, opened, gate::open, now()));
}

// Of these nothing is known yet: they wait until it is.
void dispatcher::shut_gate(const jobs::open_job& one, const fleet::system_set& systems) {
    if (one.record.spec.windows != job_spec::window_rule::respect) return;
    gates_[one.record.job].closed |= systems;
    perform(engine_.set_gate(one.record.job, systems, rollout::engine::gate::closed, now()));
}

// At the very moment of a start: this process may have stood still since it last looked, and a
// record may have taken long.
bool dispatcher::outside_of_window(const rollout::attempt_key& task) {
    const auto known = around_.book.find(task.job);
    if (known == nullptr || known->record.spec.windows != job_spec::window_rule::respect)
        return false;
    if (now() >= gates_[task.job].holds_until) review_gate(*known);
    return gates_[task.job].closed.contains(task.system);
}

// Before the first of them is started: whether it fits what is left of a window rests on it.
async<void> dispatcher::learn_duration(job_spec work) {
    if (!around_.measured) co_return result<void>();
    CO_TRY(const auto known, co_await around_.measured(work));
    durations_.seed(jobs::work_kind(work), known);
    co_return result<void>();
}

}  // namespace muster::dispatch
