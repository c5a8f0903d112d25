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

// What a transaction did. `changes` are in key order and empty when it was refused.
struct commit_outcome {
    verdict answer = {};
    std::vector<change> changes = {};
};

// A lease that ended and what was erased with it, all at one revision.
struct lease_end {
    lease_id lease = {};
    std::vector<change> changes = {};
};

struct store_options {
    std::size_t bytes_max = 1024 * std::size_t{1024} * 1024;  // of all keys and values
    history_limits history = {};
};

// The meaning of a metastore (ports/metastore.h), as a machine in memory: the simulator's engine
// and the state of the embedded one.
//
// - Requests against kv::limits fail with errc::invalid; what failed or was refused changed
// nothing.
// - Each transaction and each end of a lease that changes something takes the next revision.
// - Leases end only in revoke() and expire(): the driver calls expire(now) at next_deadline() and
//   before it hands in a request.
class store {
public:
    explicit store(store_options options = {});

    // A store as it was. errc::corrupt when the snapshot contradicts itself.
    static result<store> restore(const snapshot& from, store_options options, instant now);
    snapshot take_snapshot() const;

    result<lookup> get(std::string_view key) const;
    result<page> range(const range_request& request) const;

    // errc::not_found when it puts under a lease that does not exist; errc::unavailable when the
    // store would grow beyond its size.
    result<commit_outcome> commit(const transaction& change);

    result<lease_id> grant(std::chrono::seconds ttl, instant now);
    result<void> keep_alive(lease_id lease, instant now);
    result<lease_end> revoke(lease_id lease);

    // Ends leases whose time has come, one revision each. At most a few hundred a call: look at
    // next_deadline() again afterwards.
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
    const std::deque<change>& history_kept() const { return history_.changes(); }

private:
    using entry_map = std::map<std::string, entry, std::less<>>;

    bool holds(const condition& condition) const;
    std::vector<entry> entries_named_by(const std::vector<condition>& conditions) const;
    result<void> check_leases(const transaction& change) const;
    result<void> check_room(const transaction& change) const;

    change write(const put& put, revision at);
    void erase_at(entry_map::iterator victim, revision at, std::vector<change>& changes);
    void apply(const operation& operation, revision at, std::vector<change>& changes);
    lease_end end_lease(lease_id lease);
    void finish_revision(std::vector<change>& changes);

    result<void> adopt(const snapshot& from, instant now);

    store_options options_;
    revision at_;
    lease_id last_lease_;
    entry_map entries_;
    std::size_t bytes_ = 0;
    lease_table leases_;
    history history_;
};

}  // namespace muster::kv
