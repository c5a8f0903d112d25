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

// Limits of one etcd request with default settings. A transaction of n nested ones, whose widest
// has m conditions or operations, counts as n + m operations.
struct batch_limits {
    std::size_t operations_max = 128;
    std::size_t bytes_max = 1280 * std::size_t{1024};  // etcd takes 1.5 MiB, encoded
    std::size_t examined_max = 1024;                   // waiting transactions, for one batch
};

// Detects conflicts between transactions. Two transactions may share a batch only if neither writes
// a key that the other reads or writes: then their order does not matter. (etcd refuses two puts of
// one key in one request, and evaluates all conditions before any write.)
//
// Holds views: the transactions must outlive it. Not thread-safe.
class key_conflicts {
public:
    bool conflicts_with(const kv::transaction& change) const;
    void add(const kv::transaction& change);

private:
    bool is_used(std::string_view key) const;
    bool is_erased(std::string_view key) const;
    bool is_written(std::string_view key) const;
    bool is_prefix_used(std::string_view prefix) const;

    enum class use { read, written };

    std::unordered_map<std::string_view, use> keys_;  // no order of it shows
    std::set<std::string_view> erased_prefixes_;
};

// The size of a transaction, as etcd's limits count it.
std::size_t transaction_width(const kv::transaction& change);
std::size_t encoded_size(const kv::transaction& change);

// A transaction that waits to be sent, with its completion. The destructor completes it if
// necessary.
class waiting_commit {
public:
    waiting_commit(kv::transaction change, completion<kv::commit_result> done)
        : change_(std::move(change)), done_(std::move(done)), bytes_(encoded_size(change_)) {}
    waiting_commit(waiting_commit&& other) noexcept
        : change_(std::move(other.change_)),
          done_(std::exchange(other.done_, nullptr)),
          bytes_(other.bytes_),
          expires_at_(other.expires_at_),
          sent_(other.sent_),
          skipped_(other.skipped_) {}
    waiting_commit& operator=(waiting_commit&&) = delete;
    ~waiting_commit() {
        if (done_)
            done_(fail(sent_ ? errc::timed_out : errc::unavailable, "etcd client is closed"));
    }

    void complete(result<kv::commit_result> outcome) {
        std::exchange(done_, nullptr)(std::move(outcome));
    }

    const kv::transaction& change() const { return change_; }
    std::size_t bytes() const { return bytes_; }

    void mark_sent() { sent_ = true; }

    // The transaction is not sent after this time.
    void set_expiry(instant time) { expires_at_ = time; }
    bool has_expired(instant now) const { return expires_at_ <= now; }

    bool was_skipped() const { return skipped_; }
    void mark_skipped() { skipped_ = true; }

private:
    kv::transaction change_;
    completion<kv::commit_result> done_;
    std::size_t bytes_;
    instant expires_at_ = instant::max();
    bool sent_ = false;
    bool skipped_ = false;
};

// Pops the transactions for one request: the first, and then, in order of arrival, those that do
// not conflict with an earlier one, as far as the limits allow. Marks conflicting ones as skipped.
// The queue must not be empty.
std::list<waiting_commit> pop_batch(std::list<waiting_commit>& queue, const batch_limits& limits);

// How many operations etcd counts when all conditions and operations are in one transaction.
std::size_t joined_width(const std::list<waiting_commit>& batch);

}  // namespace muster::etcd
