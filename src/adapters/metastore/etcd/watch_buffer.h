#pragma once

#include "core/kv/change.h"
#include "ports/async.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace muster::etcd {

// The buffer between a watch's feed, on the client's strand, and its reader. Thread-safe.
//
// A waiting reader is notified and then pops the event, so that a cancelled wait loses nothing.
class watch_buffer {
public:
    explicit watch_buffer(std::size_t changes_max) : changes_max_(changes_max) {}

    // The feed's side.
    void push(kv::watch_event event);
    void fail_once(error failure);
    void close();
    bool is_full() const;
    void on_drained(completion<void> done);  // at most one waits

    // The reader's side.
    void on_filled(completion<void> done);  // at most one waits; the newest
    std::optional<result<kv::watch_event>> pop();

private:
    bool has_events() const { return !events_.empty() || failure_ || closed_; }
    void wake_reader();

    mutable std::mutex mutex_;
    std::size_t changes_max_;
    std::size_t changes_ = 0;
    std::deque<kv::watch_event> events_;
    std::optional<error> failure_;
    bool closed_ = false;
    completion<void> on_filled_;
    completion<void> on_drained_;
};

}  // namespace muster::etcd
