#pragma once

#include "base/result.h"
#include "base/time.h"
#include "core/kv/change.h"
#include "core/kv/entry.h"
#include "core/kv/history.h"
#include "core/kv/lease_table.h"
#include "core/kv/snapshot.h"
#include "core/kv/transaction.h"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::kv {

// Result of a transaction. `changes` are in key order, and empty when the transaction was refused.
struct commit_outcome {
    commit_result result = {};
    std::vector<change> changes = {};
};

// An ended lease and the entries erased with it, all at one revision.
struct lease_end {
    lease_id lease = {};
    std::vector<change> changes = {};
};

struct store_options {
    std::size_t bytes_max = 1024 * std::size_t{1024} * 1024;  // of all keys and values
    history_limits history = {};
};

// In-memory model of a metastore (ports/metastore.h): the simulator's engine and the state of the
// embedded engine. Not thread-safe.
//
// - Requests beyond kv::limits fail with errc::invalid. Failed and refused requests change nothing.
// - Each transaction and each lease end that changes something gets the next revision.
// - Leases end only in revoke() and expire(). The driver calls expire(now) at next_deadline() and
//   before each request.
class store {
public:
    explicit store(store_options options = {});

    // errc::corrupt when the snapshot is inconsistent.
    static result<store> restore(const kv::snapshot& snapshot, store_options options, instant now);
    snapshot take_snapshot() const;

    result<lookup> get(std::string_view key) const;
    result<page> range(const range_request& request) const;

    // errc::not_found when a put names a lease that does not exist; errc::unavailable when the
    // store would exceed its size.
    result<commit_outcome> commit(const kv::transaction& transaction);

    result<lease_id> grant(std::chrono::seconds ttl, instant now);
    result<void> keep_alive(lease_id lease, instant now);
    result<lease_end> revoke(lease_id lease);

    // Ends expired leases, one revision each. Bounded per call: check next_deadline() again
    // afterwards.
    std::vector<lease_end> expire(instant now);
    std::optional<instant> next_deadline() const { return leases_.next_deadline(); }

    // See history::since().
    std::optional<watch_event> changes_since(std::string_view prefix, revision from) const;
    result<void> compact(revision oldest);

    revision at() const { return at_; }
    lease_id last_lease() const { return last_lease_; }
    revision oldest() const { return history_.oldest(); }
    std::size_t size() const { return entries_.size(); }
    std::size_t bytes() const { return bytes_; }
    const std::deque<change>& history_changes() const { return history_.changes(); }

private:
    using entry_map = std::map<std::string, entry, std::less<>>;

    bool is_met(const condition& condition) const;
    std::vector<entry> find_named_entries(const std::vector<condition>& conditions) const;
    result<void> check_leases(const kv::transaction& transaction) const;
    result<void> check_size(const kv::transaction& transaction) const;

    change write(const put& request, revision at);
    void erase_entry(entry_map::iterator it, revision at, std::vector<change>& changes);
    void apply(const kv::operation& operation, revision at, std::vector<change>& changes);
    lease_end end_lease(lease_id lease);
    void finish_revision(std::vector<change>& changes);

    result<void> load_snapshot(const kv::snapshot& snapshot, instant now);

    store_options options_;
    revision at_;
    lease_id last_lease_;
    entry_map entries_;
    std::size_t bytes_ = 0;
    lease_table leases_;
    history history_;
};

}  // namespace muster::kv
