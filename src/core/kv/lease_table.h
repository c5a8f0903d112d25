#pragma once

#include "base/time.h"
#include "core/kv/entry.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::kv {

// Which leases live, until when, and which keys hang on each.
class lease_table {
public:
    struct lease {
        std::chrono::seconds ttl;
        instant deadline;
        std::set<std::string> keys;
    };

    // Adds a lease that is not there yet.
    void add(lease_id id, std::chrono::seconds ttl, instant now);
    bool contains(lease_id id) const { return leases_.contains(id); }
    bool extend(lease_id id, instant now);  // false: no such lease

    void attach(lease_id id, const std::string& key);
    void detach(lease_id id, const std::string& key);

    // Ends a lease that is there; answers the keys that hung on it, in order.
    std::set<std::string> end(lease_id id);

    // Those whose deadline has come, the earliest first, at most `count_max`.
    std::vector<lease_id> due(instant now, std::size_t count_max) const;
    std::optional<instant> next_deadline() const;

    std::size_t size() const { return leases_.size(); }
    const std::map<lease_id, lease>& all() const { return leases_; }

private:
    std::map<lease_id, lease> leases_;
    std::set<std::pair<instant, lease_id>> deadlines_;
};

}  // namespace muster::kv
