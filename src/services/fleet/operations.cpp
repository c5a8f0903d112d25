#include "services/fleet/operations.h"

#include "base/assert.h"

#include <algorithm>
#include <utility>

namespace muster::fleet {

operation::operation(std::string id, std::string what, std::string by, wall_time made) {
    told_.id = std::move(id);
    told_.what = std::move(what);
    told_.by = std::move(by);
    told_.made = made;
}

operation::report operation::read() const {
    const std::lock_guard lock(guard_);
    auto told = told_;
    if (told.now == stage::running) {
        told.seen = seen_.done;
        told.counted.failed = seen_.failed;
    }
    return told;
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

result<std::shared_ptr<const operation>> operations::start(std::string id, task what) {
    auto shown = std::make_shared<operation>(std::move(id), what.what, what.by, time_.wall());
    {
        const std::lock_guard lock(guard_);
        if (!waiting_.try_push({.shown = shown, .what = std::move(what)}))
            return fail(errc::unavailable, "too many operations wait already; try again later");
        remembered_.push_back(shown);
        if (remembered_.size() > remembered_max) remembered_.pop_front();
    }
    more_.ring();
    return std::shared_ptr<const operation>(std::move(shown));
}

std::shared_ptr<const operation> operations::find(const std::string& id) const {
    const std::lock_guard lock(guard_);
    const auto found = std::ranges::find(
        remembered_, id, [](const auto& each) -> const std::string& { return each->told_.id; });
    return found == remembered_.end() ? nullptr : *found;
}

std::optional<operations::waiting_task> operations::take() {
    const std::lock_guard lock(guard_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.pop();
}

async<tally> operations::perform(waiting_task next) {
    CO_TRY(auto targets, co_await next.what.find());
    {
        const std::lock_guard lock(next.shown->guard_);
        next.shown->told_.total = targets.size();
        next.shown->told_.now = operation::stage::running;
    }
    co_return co_await next.what.perform(std::move(targets), &next.shown->seen_);
}

boost::asio::awaitable<void> operations::run() {
    while (true) {
        auto next = take();
        if (!next) {
            const auto rung = co_await more_.wait();
            if (!rung) co_return;
            continue;
        }
        const auto shown = next->shown;
        const auto record = next->what.record;
        const auto done = co_await perform(std::move(*next));
        auto told = shown->read();
        told.now = done ? operation::stage::done : operation::stage::failed;
        if (done) {
            told.counted = *done;
            told.seen = told.total;
        } else {
            told.failure = done.error().detail();
        }
        told.ended = time_.wall();
        const auto recorded = co_await record(told);
        if (!recorded) told.failure += " (not recorded: " + recorded.error().detail() + ")";
        const std::lock_guard lock(shown->guard_);
        shown->told_ = std::move(told);
    }
}

}  // namespace muster::fleet
