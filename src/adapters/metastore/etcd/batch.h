#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/kv/transaction.h"
#include "ports/async.h"

#include <cstddef>
#include <list>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace muster::etcd {

// What etcd takes in one request with its default settings. A transaction of n nested ones whose
// widest has m conditions or operations counts as n + m operations.
struct batch_limits {
    std::size_t operations_max = 128;
    std::size_t bytes_max = 1280 * std::size_t{1024};  // etcd takes 1.5 MiB, encoded
    std::size_t looked_at_max = 1024;                  // waiting transactions, for one batch
};

// The keys some transactions read and write. Two transactions may share a batch only when neither
// writes what the other reads or writes: then the batch means the same as the two in any order.
// (etcd refuses two puts of one key in one request, and decides all conditions before any write.)
//
// Holds views: the transactions must outlive it.
class claims {
public:
    bool conflicts_with(const kv::transaction& change) const;
    void add(const kv::transaction& change);

private:
    bool claimed(std::string_view key) const;
    bool erased(std::string_view key) const;
    bool written(std::string_view key) const;
    bool touched_under(std::string_view prefix) const;

    enum class use { read, written };

    std::unordered_map<std::string_view, use> keys_;  // no order of it shows
    std::set<std::string_view> erased_prefixes_;
};

// What a transaction asks of etcd, measured as etcd's limits do.
std::size_t width_of(const kv::transaction& change);
std::size_t encoded_bytes_of(const kv::transaction& change);

// A transaction that waits to be sent, and who is told. Always tells, at the latest when it dies.
class waiting_commit {
public:
    waiting_commit(kv::transaction change, completion<kv::verdict> done)
        : change_(std::move(change)), done_(std::move(done)), bytes_(encoded_bytes_of(change_)) {}
    waiting_commit(waiting_commit&& other) noexcept
        : change_(std::move(other.change_)),
          done_(std::exchange(other.done_, nullptr)),
          bytes_(other.bytes_),
          give_up_at_(other.give_up_at_),
          sent_(other.sent_),
          passed_over_(other.passed_over_) {}
    waiting_commit& operator=(waiting_commit&&) = delete;
    ~waiting_commit() {
        if (done_)
            done_(fail(sent_ ? errc::timed_out : errc::unavailable, "the etcd client was closed"));
    }

    void tell(result<kv::verdict> outcome) { std::exchange(done_, nullptr)(std::move(outcome)); }

    const kv::transaction& change() const { return change_; }
    std::size_t bytes() const { return bytes_; }

    void sent() { sent_ = true; }

    // Not to be sent after that.
    void give_up_at(instant when) { give_up_at_ = when; }
    bool expired(instant now) const { return give_up_at_ <= now; }

    bool passed_over() const { return passed_over_; }
    void pass_over() { passed_over_ = true; }

private:
    kv::transaction change_;
    completion<kv::verdict> done_;
    std::size_t bytes_;
    instant give_up_at_ = instant::max();
    bool sent_ = false;
    bool passed_over_ = false;
};

// Takes out of the queue what can go to etcd in one request: the first, and of those after it, in
// order of arrival, all that conflict with nobody before them, as far as the limits allow. Those it
// leaves because of a conflict are marked as passed over. The queue must not be empty.
std::list<waiting_commit> take_batch(std::list<waiting_commit>& queue, const batch_limits& limits);

// How many operations etcd counts when the conditions and operations of all stand in one
// transaction.
std::size_t joint_width_of(const std::list<waiting_commit>& batch);

}  // namespace muster::etcd
