#pragma once

#include "core/kv/change.h"
#include "ports/async.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>

namespace muster::etcd {

// Between a watch's feed, on the client's strand, and its reader, anywhere. Thread-safe.
//
// A waiting reader is told *that* there is something and then takes it, so that a reader who gives
// up waiting loses nothing.
class watch_buffer {
public:
    explicit watch_buffer(std::size_t changes_max) : changes_max_(changes_max) {}

    // The feed's side.
    void push(kv::watch_event event);
    void fail_once(error failure);
    void close();
    bool full() const;
    void when_drained(completion<void> done);  // at most one waits

    // The reader's side.
    void when_filled(completion<void> done);  // at most one waits; the newest
    std::optional<result<kv::watch_event>> pop();

private:
    bool filled() const { return !events_.empty() || failure_ || closed_; }
    void wake_reader();

    mutable std::mutex guard_;
    std::size_t changes_max_;
    std::size_t changes_ = 0;
    std::deque<kv::watch_event> events_;
    std::optional<error> failure_;
    bool closed_ = false;
    completion<void> filled_;
    completion<void> drained_;
};

}  // namespace muster::etcd
