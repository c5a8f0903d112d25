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

// Which systems each node serves, or served last. The whole fleet is looked over for all nodes at
// once and some systems at a time, so that nobody waits for a large one; what was seen is good for
// a second. Thread-safe.
class systems_by_node_cache {
public:
    struct dependencies {
        const fleet::search& search;
        const fleet::group_store& groups;
        const presence::presence_cache& presence;
        muster::clock& clock;
        std::size_t piece = 4'096;  // systems, before others run
    };
    static constexpr auto fresh_for = std::chrono::seconds(1);
    static constexpr auto good_for = std::chrono::seconds(10);  // while somebody is looking anew

    explicit systems_by_node_cache(dependencies deps) : deps_(deps) {}

    // Unless it was done a moment ago, or somebody is at it and what was seen before will do.
    async<void> look_over();

    // As it was seen last. errc::unavailable when nobody has looked yet.
    result<fleet::system_set> of(node_number node) const;

private:
    struct picture {
        std::map<node_number, fleet::system_set> by_node;
        instant made;
    };
    class turn;

    async<std::map<node_number, fleet::system_set>> counted() const;

    dependencies deps_;
    mutable std::mutex guard_;
    std::shared_ptr<const picture> newest_;
    std::size_t looking_ = 0;
};

}  // namespace muster::xmlrpc_api
