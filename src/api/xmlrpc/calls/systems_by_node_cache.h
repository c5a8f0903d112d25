#pragma once

#include "core/fleet/system_set.h"
#include "core/model/node.h"
#include "ports/clock.h"
#include "services/fleet/group_store.h"
#include "services/fleet/search.h"
#include "services/presence/presence_cache.h"

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

namespace muster::xmlrpc_api {

// Caches the systems that each node serves or served last. One scan covers all nodes; it runs in
// pages so that other coroutines are not held up. A scan is valid for a second. Thread-safe.
class systems_by_node_cache {
public:
    struct dependencies {
        const fleet::search& search;
        const fleet::group_store& groups;
        const presence::presence_cache& presence;
        muster::clock& clock;
        std::size_t page_size = 4'096;  // systems scanned before other coroutines run
    };
    static constexpr auto fresh_period = std::chrono::seconds(1);
    static constexpr auto stale_period = std::chrono::seconds(10);  // during another refresh

    explicit systems_by_node_cache(dependencies deps) : deps_(deps) {}

    // Scans the fleet, unless the last scan is fresh or another refresh runs and it is not stale.
    async<void> refresh();

    // From the last scan. errc::unavailable before the first scan.
    result<fleet::system_set> find(node_number node) const;

private:
    struct systems_by_node_snapshot {
        std::map<node_number, fleet::system_set> by_node;
        instant created;
    };
    class refresh_guard;

    async<std::map<node_number, fleet::system_set>> scan() const;

    dependencies deps_;
    mutable std::mutex mutex_;
    std::shared_ptr<const systems_by_node_snapshot> newest_;
    std::size_t refreshes_ = 0;
};

}  // namespace muster::xmlrpc_api
