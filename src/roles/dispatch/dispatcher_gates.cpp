// Jobs that heed windows: who may be started on now.
#include "core/jobs/work_kind.h"
#include "roles/dispatch/dispatcher.h"

#include <utility>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;

constexpr auto gates_interval = 1s;

}  // namespace

void dispatcher::review_gates() {
    if (now() < gates_due_) return;
    gates_due_ = now() + gates_interval;
    for (const auto job : engine_.jobs()) {
        const auto known = around_.book.find(job);
        if (known != nullptr) review_gate(*known);
        if (known == nullptr) closed_.erase(job);
    }
}

void dispatcher::review_gate(const jobs::open_job& one) {
    using gate = rollout::engine::gate;
    const auto& record = one.record;
    if (record.spec.windows != job_spec::window_rule::respect) return;
    auto closed = around_.closed(
        one.who->targets & held_.held(), durations_.of(jobs::work_kind(record.spec)));
    auto& before = closed_[record.job];
    const auto opened = before - closed;
    const auto shut = closed - before;
    before = std::move(closed);
    if (!shut.empty()) perform(engine_.set_gate(record.job, shut, gate::closed, now()));
    if (!opened.empty()) perform(engine_.set_gate(record.job, opened, gate::open, now()));
}

// Before the first of them is started: whether it fits what is left of a window rests on it.
async<void> dispatcher::learn_duration(job_spec work) {
    if (!around_.measured) co_return result<void>();
    CO_TRY(const auto known, co_await around_.measured(work));
    durations_.seed(jobs::work_kind(work), known);
    co_return result<void>();
}

}  // namespace muster::dispatch
