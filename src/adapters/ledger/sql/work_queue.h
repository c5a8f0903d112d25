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

// Passes requests from any thread to the threads of an engine. Bounded. Thread-safe.
template <class T>
class work_queue {
public:
    explicit work_queue(std::size_t size_max) : size_max_(size_max) { MUSTER_ASSERT(size_max > 0); }

    // False when full or closed; `item` is unchanged then.
    [[nodiscard]] bool try_push(T& item) {
        {
            const std::lock_guard lock(mutex_);
            if (closed_) return false;
            if (items_.size() == size_max_) {
                hits_.add_refused();
                return false;
            }
            items_.push_back(std::move(item));
        }
        changed_.notify_one();
        return true;
    }

    // Waits for the first item, then pops items while `accept(item)` is true. Empty when `timeout`
    // passed first or the queue was closed.
    template <class Accept>
    std::vector<T> pop_group(std::chrono::milliseconds timeout, Accept accept) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, timeout, [this] { return closed_ || !items_.empty(); });
        std::vector<T> items;
        while (!closed_ && !items_.empty() && accept(items_.front())) items.push_back(pop_front());
        return items;
    }

    std::optional<T> pop(std::chrono::milliseconds timeout) {
        bool first = true;
        auto group = pop_group(timeout, [&first](const T&) { return std::exchange(first, false); });
        if (group.empty()) return std::nullopt;
        return std::move(group.front());
    }

    // Pops items from the front while they satisfy `condition`.
    template <class Condition>
    std::vector<T> pop_front_while(Condition condition) {
        const std::lock_guard lock(mutex_);
        std::vector<T> items;
        while (!items_.empty() && condition(items_.front())) items.push_back(pop_front());
        return items;
    }

    // Waits for `timeout`, or until the queue is closed.
    void pause(std::chrono::milliseconds timeout) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, timeout, [this] { return closed_; });
    }

    // Refuses pushes and pops from now on; returns the queued items.
    std::vector<T> close() {
        std::vector<T> remaining;
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
            while (!items_.empty()) remaining.push_back(pop_front());
        }
        changed_.notify_all();
        return remaining;
    }

    limit_hits hits() const { return hits_.read(); }

    bool is_closed() const {
        const std::lock_guard lock(mutex_);
        return closed_;
    }

private:
    T pop_front() {
        T item = std::move(items_.front());
        items_.pop_front();
        return item;
    }

    std::size_t size_max_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> items_;
    bool closed_ = false;
    limit_counter hits_;
};

}  // namespace muster::ledger_sql
