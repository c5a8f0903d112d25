#include "services/fleet/bulk_operation_queue.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::fleet {

operation::operation(std::string id, std::string text, std::string by, wall_time result) {
    told_.id = std::move(id);
    told_.what = std::move(text);
    told_.by = std::move(by);
    told_.made = result;
}

operation::report operation::read() const {
    const std::lock_guard lock(guard_);
    auto response = told_;
    if (response.now == stage::running) {
        response.seen = seen_.done;
        response.counted.failed = seen_.failed;
    }
    return response;
}

std::string_view to_string(operation::stage stage) {
    switch (stage) {
        case operation::stage::waiting:
            return "waiting";
        case operation::stage::running:
            return "running";
        case operation::stage::done:
            return "done";
        case operation::stage::failed:
            return "failed";
    }
    MUSTER_ASSERT(false);
    return "failed";
}

result<std::shared_ptr<const operation>> bulk_operation_queue::start(std::string id, task task) {
    auto output = std::make_shared<operation>(std::move(id), task.what, task.by, clock_.wall());
    {
        const std::lock_guard lock(guard_);
        if (!waiting_.try_push({.shown = output, .what = std::move(task)}))
            return fail(errc::unavailable, "too many operations wait already; try again later");
        remembered_.push_back(output);
        if (remembered_.size() > remembered_max) remembered_.pop_front();
    }
    more_.ring();
    return std::shared_ptr<const operation>(std::move(output));
}

std::shared_ptr<const operation> bulk_operation_queue::find(const std::string& id) const {
    const std::lock_guard lock(guard_);
    const auto it = std::ranges::find(
        remembered_, id, [](const auto& each) -> const std::string& { return each->told_.id; });
    return it == remembered_.end() ? nullptr : *it;
}

std::optional<bulk_operation_queue::waiting_task> bulk_operation_queue::take() {
    const std::lock_guard lock(guard_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.pop();
}

async<bulk_result> bulk_operation_queue::perform(waiting_task next) {
    CO_TRY(auto targets, co_await next.what.find());
    {
        const std::lock_guard lock(next.shown->guard_);
        next.shown->told_.total = targets.size();
        next.shown->told_.now = operation::stage::running;
    }
    co_return co_await next.what.perform(std::move(targets), &next.shown->seen_);
}

boost::asio::awaitable<void> bulk_operation_queue::run() {
    while (true) {
        auto next = take();
        if (!next) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const auto output = next->shown;
        const auto record = next->what.record;
        const auto done = co_await perform(std::move(*next));
        auto response = output->read();
        response.now = done ? operation::stage::done : operation::stage::failed;
        if (done) {
            response.counted = *done;
            response.seen = response.total;
        } else {
            response.failure = done.error().detail();
        }
        response.ended = clock_.wall();
        const auto recorded = co_await record(response);
        if (!recorded) response.failure += " (not recorded: " + recorded.error().detail() + ")";
        const std::lock_guard lock(output->guard_);
        output->told_ = std::move(response);
    }
}

}  // namespace muster::fleet
