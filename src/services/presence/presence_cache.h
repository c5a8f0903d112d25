#pragma once

#include "base/time.h"
#include "core/model/node.h"
#include "core/model/system.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

namespace muster::presence {

class attachment_table;
struct report;

// Where and when a system was last seen.
struct sighting {
    bool attached = false;
    node_number node;
    wall_time last_seen;
    std::string address;
    std::string reason;  // why its last connection ended; empty: none has
};

// Tells which systems are attached to which node, on every driver and gateway. Fed by the reports
// of the nodes; never stored. Thread-safe.
class presence_cache {
public:
    struct node_count {
        std::string zone;
        std::size_t attached = 0;
        std::uint64_t attach_count = 0;  // attaches since this server started
        wall_time reported;
        instant received{};  // time of the last report
    };

    presence_cache();
    presence_cache(const presence_cache&) = delete;
    presence_cache& operator=(const presence_cache&) = delete;
    ~presence_cache();

    std::optional<sighting> find(system_number system) const;
    bool is_attached(system_number system) const;

    std::size_t attached_total() const;
    std::size_t attached_in(std::string_view zone) const;
    std::map<node_number, node_count> by_node() const;
    std::size_t size_bytes() const;

    bool apply(const report& report, instant now);
    void node_lost(node_number node, wall_time time);
    std::vector<node_number> expire(instant oldest);  // nodes without a report since then

private:
    mutable std::shared_mutex mutex_;
    std::unique_ptr<attachment_table> table_;
};

}  // namespace muster::presence
