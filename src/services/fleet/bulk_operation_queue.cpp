#include "services/fleet/bulk_operation_queue.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::fleet {

bulk_operation::bulk_operation(
    std::string id, std::string action, std::string user, wall_time created) {
    report_.id = std::move(id);
    report_.action = std::move(action);
    report_.user = std::move(user);
    report_.created = created;
}

bulk_operation::report bulk_operation::read() const {
    const std::lock_guard lock(mutex_);
    auto report = report_;
    if (report.stage == stage::running) {
        report.processed = progress_.done;
        report.result.failed = progress_.failed;
    }
    return report;
}

std::string_view to_string(bulk_operation::stage stage) {
    switch (stage) {
        case bulk_operation::stage::waiting:
            return "waiting";
        case bulk_operation::stage::running:
            return "running";
        case bulk_operation::stage::done:
            return "done";
        case bulk_operation::stage::failed:
            return "failed";
    }
    MUSTER_ASSERT(false);
    return "failed";
}

result<std::shared_ptr<const bulk_operation>> bulk_operation_queue::start(
    std::string id, bulk_work work) {
    auto operation =
        std::make_shared<bulk_operation>(std::move(id), work.action, work.user, clock_.wall());
    {
        const std::lock_guard lock(mutex_);
        if (!queue_.try_push({.operation = operation, .work = std::move(work)}))
            return fail(errc::unavailable, "too many bulk operations queued; retry later");
        remembered_.push_back(operation);
        if (remembered_.size() > remembered_max) remembered_.pop_front();
    }
    task_queued_.notify();
    return std::shared_ptr<const bulk_operation>(std::move(operation));
}

std::shared_ptr<const bulk_operation> bulk_operation_queue::find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto it =
        std::ranges::find(remembered_, id, [](const auto& operation) -> const std::string& {
            return operation->report_.id;
        });
    return it == remembered_.end() ? nullptr : *it;
}

std::optional<bulk_operation_queue::waiting_work> bulk_operation_queue::pop() {
    const std::lock_guard lock(mutex_);
    if (queue_.empty()) return std::nullopt;
    return queue_.pop();
}

async<bulk_result> bulk_operation_queue::perform(waiting_work waiting) {
    CO_TRY(auto targets, co_await waiting.work.find_targets());
    {
        const std::lock_guard lock(waiting.operation->mutex_);
        waiting.operation->report_.total = targets.size();
        waiting.operation->report_.stage = bulk_operation::stage::running;
    }
    co_return co_await waiting.work.perform(std::move(targets), &waiting.operation->progress_);
}

boost::asio::awaitable<void> bulk_operation_queue::run() {
    while (true) {
        auto waiting = pop();
        if (!waiting) {
            const auto waited = co_await task_queued_.wait();
            if (!waited) co_return;
            continue;
        }
        const auto operation = waiting->operation;
        const auto record = waiting->work.record;
        const auto performed = co_await perform(std::move(*waiting));
        auto report = operation->read();
        report.stage = performed ? bulk_operation::stage::done : bulk_operation::stage::failed;
        if (performed) {
            report.result = *performed;
            report.processed = report.total;
        } else {
            report.failure = performed.error().detail();
        }
        report.ended = clock_.wall();
        const auto recorded = co_await record(report);
        if (!recorded) report.failure += " (not recorded: " + recorded.error().detail() + ")";
        const std::lock_guard lock(operation->mutex_);
        operation->report_ = std::move(report);
    }
}

}  // namespace muster::fleet
