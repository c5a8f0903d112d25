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

// Where a system was last seen.
struct sighting {
    bool attached = false;
    node_number node;
    wall_time last_seen;
    std::string address;
    std::string reason;  // how its last channel ended; empty while none has
};

// Who is attached where, live, in the memory of every driver and gateway. Fed by the nodes' reports
// (presence_cache::subscriber); never written anywhere. Thread-safe.
class presence_cache {
public:
    struct node_count {
        std::string zone;
        std::size_t attached = 0;
        std::uint64_t arrivals = 0;  // since this server started
        wall_time heard;
        instant received{};  // when its last report came here
    };

    presence_cache();
    presence_cache(const presence_cache&) = delete;
    presence_cache& operator=(const presence_cache&) = delete;
    ~presence_cache();

    std::optional<sighting> find(system_number system_number) const;
    bool attached(system_number system_number) const;

    std::size_t attached_in_all() const;
    std::size_t attached_in(std::string_view zone) const;
    std::map<node_number, node_count> by_node() const;
    std::size_t size_bytes() const;

    bool apply(const report& report, instant now);
    void node_lost(node_number node_number, wall_time at);
    std::vector<node_number> expire(instant oldest);  // by when reports came

private:
    mutable std::shared_mutex guard_;
    std::unique_ptr<attachment_table> board_;
};

}  // namespace muster::presence
