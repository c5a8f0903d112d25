#include "core/kv/lease_table.h"

#include "base/assert.h"

namespace muster::kv {

void lease_table::add(lease_id id, std::chrono::seconds ttl, instant now) {
    const auto added = leases_.try_emplace(id, lease{ttl, now + ttl, {}});
    MUSTER_ASSERT(added.second);
    deadlines_.emplace(now + ttl, id);
}

bool lease_table::extend(lease_id id, instant now) {
    const auto it = leases_.find(id);
    if (it == leases_.end()) return false;
    deadlines_.erase({it->second.deadline, id});
    it->second.deadline = now + it->second.ttl;
    deadlines_.emplace(it->second.deadline, id);
    return true;
}

void lease_table::attach(lease_id id, const std::string& key) {
    const auto it = leases_.find(id);
    MUSTER_ASSERT(it != leases_.end());
    it->second.keys.insert(key);
}

void lease_table::detach(lease_id id, const std::string& key) {
    const auto it = leases_.find(id);
    MUSTER_ASSERT(it != leases_.end());
    it->second.keys.erase(key);
}

std::set<std::string> lease_table::end(lease_id id) {
    const auto it = leases_.find(id);
    MUSTER_ASSERT(it != leases_.end());
    deadlines_.erase({it->second.deadline, id});
    auto keys = std::move(it->second.keys);
    leases_.erase(it);
    return keys;
}

std::vector<lease_id> lease_table::due(instant now, std::size_t count_max) const {
    std::vector<lease_id> ids;
    for (const auto& [deadline, id] : deadlines_) {
        if (deadline > now || ids.size() == count_max) break;
        ids.push_back(id);
    }
    return ids;
}

std::optional<instant> lease_table::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

}  // namespace muster::kv
