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

// Live leases with their deadlines and attached keys.
class lease_table {
public:
    struct lease {
        std::chrono::seconds ttl;
        instant deadline;
        std::set<std::string> keys;
    };

    // The lease must not exist.
    void add(lease_id id, std::chrono::seconds ttl, instant now);
    bool contains(lease_id id) const { return leases_.contains(id); }
    bool extend(lease_id id, instant now);  // false: the lease does not exist

    void attach(lease_id id, const std::string& key);
    void detach(lease_id id, const std::string& key);

    // Ends an existing lease; returns the keys attached to it, in order.
    std::set<std::string> end(lease_id id);

    // At most `count_max` leases whose deadline has passed, earliest first.
    std::vector<lease_id> due(instant now, std::size_t count_max) const;
    std::optional<instant> next_deadline() const;

    std::size_t size() const { return leases_.size(); }
    const std::map<lease_id, lease>& all() const { return leases_; }

private:
    std::map<lease_id, lease> leases_;
    std::set<std::pair<instant, lease_id>> deadlines_;
};

}  // namespace muster::kv
