#pragma once

#include "base/assert.h"
#include "ports/limit_hits.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace muster::ledger_sql {

// Requests from any thread to the threads of an engine. Bounded: says no when it is full.
template <class T>
class work_queue {
public:
    explicit work_queue(std::size_t size_max) : size_max_(size_max) { MUSTER_ASSERT(size_max > 0); }

    // False when full or closed; then `item` is left as it was.
    [[nodiscard]] bool try_push(T& item) {
        {
            const std::lock_guard lock(guard_);
            if (closed_) return false;
            if (items_.size() == size_max_) {
                hits_.refused();
                return false;
            }
            items_.push_back(std::move(item));
        }
        changed_.notify_one();
        return true;
    }

    // Waits for the first item, then takes as many as `accept(item)` says yes to. Empty when
    // `timeout` passed first or the queue was closed.
    template <class Accept>
    std::vector<T> pop_group(std::chrono::milliseconds timeout, Accept accept) {
        std::unique_lock lock(guard_);
        changed_.wait_for(lock, timeout, [this] { return closed_ || !items_.empty(); });
        std::vector<T> reserved;
        while (!closed_ && !items_.empty() && accept(items_.front())) reserved.push_back(take());
        return reserved;
    }

    std::optional<T> pop(std::chrono::milliseconds timeout) {
        bool first = true;
        auto group = pop_group(timeout, [&first](const T&) { return std::exchange(first, false); });
        if (group.empty()) return std::nullopt;
        return std::move(group.front());
    }

    // Takes what is queued and satisfies `dead`, from the front up to the first that does not.
    template <class Dead>
    std::vector<T> drop_front(Dead dead) {
        const std::lock_guard lock(guard_);
        std::vector<T> reserved;
        while (!items_.empty() && dead(items_.front())) reserved.push_back(take());
        return reserved;
    }

    // Waits for `timeout`, or shorter when the queue is closed meanwhile.
    void pause(std::chrono::milliseconds timeout) {
        std::unique_lock lock(guard_);
        changed_.wait_for(lock, timeout, [this] { return closed_; });
    }

    // From now on nothing comes in and nothing is handed out; what was queued is returned.
    std::vector<T> close() {
        std::vector<T> rest;
        {
            const std::lock_guard lock(guard_);
            closed_ = true;
            while (!items_.empty()) rest.push_back(take());
        }
        changed_.notify_all();
        return rest;
    }

    limit_hits hits() const { return hits_.read(); }

    bool closed() const {
        const std::lock_guard lock(guard_);
        return closed_;
    }

private:
    T take() {
        T item = std::move(items_.front());
        items_.pop_front();
        return item;
    }

    std::size_t size_max_;
    mutable std::mutex guard_;
    std::condition_variable changed_;
    std::deque<T> items_;
    bool closed_ = false;
    limit_counter hits_;
};

}  // namespace muster::ledger_sql
