#include "adapters/metastore/etcd/watch_buffer.h"

#include <utility>
#include <variant>

namespace muster::etcd {
namespace {

constexpr std::size_t batch_changes_wanted = 1'000;

std::size_t changes_in(const kv::watch_event& event) {
    const auto* const batch = std::get_if<kv::change_batch>(&event);
    return batch == nullptr ? 0 : batch->changes.size();
}

// Whether `event` went into the batch before it. Whole revisions stay whole.
bool join(std::deque<kv::watch_event>& events, kv::watch_event& event) {
    if (events.empty()) return false;
    auto* const into = std::get_if<kv::change_batch>(&events.back());
    auto* const from = std::get_if<kv::change_batch>(&event);
    if (into == nullptr || from == nullptr || into->changes.size() >= batch_changes_wanted)
        return false;
    for (auto& change : from->changes) into->changes.push_back(std::move(change));
    into->up_to = from->up_to;
    return true;
}

}  // namespace

void watch_buffer::wake_reader() {
    if (const auto done = std::exchange(on_filled_, nullptr)) done({});
}

void watch_buffer::push(kv::watch_event event) {
    const std::lock_guard lock(mutex_);
    changes_ += changes_in(event);
    if (!join(events_, event)) events_.push_back(std::move(event));
    wake_reader();
}

void watch_buffer::fail_once(error failure) {
    const std::lock_guard lock(mutex_);
    failure_ = std::move(failure);
    wake_reader();
}

void watch_buffer::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    wake_reader();
    if (const auto done = std::exchange(on_drained_, nullptr)) done({});
}

bool watch_buffer::is_full() const {
    const std::lock_guard lock(mutex_);
    return changes_ >= changes_max_;
}

void watch_buffer::on_drained(completion<void> done) {
    const std::lock_guard lock(mutex_);
    if (changes_ == 0 || closed_) {
        done({});
    } else {
        on_drained_ = std::move(done);
    }
}

void watch_buffer::on_filled(completion<void> done) {
    const std::lock_guard lock(mutex_);
    if (has_events()) {
        done({});
    } else {
        on_filled_ = std::move(done);
    }
}

std::optional<result<kv::watch_event>> watch_buffer::pop() {
    const std::lock_guard lock(mutex_);
    if (!events_.empty()) {
        auto event = std::move(events_.front());
        events_.pop_front();
        changes_ -= changes_in(event);
        if (changes_ == 0)
            if (const auto done = std::exchange(on_drained_, nullptr)) done({});
        return event;
    }
    if (failure_) return fail(*std::exchange(failure_, std::nullopt));
    if (closed_) return fail(errc::unavailable, "watch is closed");
    return std::nullopt;
}

}  // namespace muster::etcd
