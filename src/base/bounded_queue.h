#pragma once

#include "base/assert.h"

#include <cstddef>
#include <deque>
#include <utility>

namespace muster {

// A queue that refuses items when it is full. Not thread-safe.
template <class T>
class bounded_queue {
public:
    explicit bounded_queue(std::size_t size_max) : size_max_(size_max) {
        MUSTER_ASSERT(size_max > 0);
    }

    [[nodiscard]] bool try_push(T item) {
        if (full()) return false;
        items_.push_back(std::move(item));
        return true;
    }

    T pop() {
        MUSTER_ASSERT(!items_.empty());
        T item = std::move(items_.front());
        items_.pop_front();
        return item;
    }

    bool empty() const { return items_.empty(); }
    bool full() const { return items_.size() == size_max_; }
    std::size_t size() const { return items_.size(); }

private:
    std::size_t size_max_;
    std::deque<T> items_;
};

}  // namespace muster
