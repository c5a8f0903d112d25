#pragma once

#include "core/presence/report.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

namespace muster::presence {

// The agents attached to this node, and the changes since the last report. Updated when an agent
// attaches or detaches, never by a heartbeat. Thread-safe.
class attached_agents {
public:
    // Maximum of remembered starts. Forgetting them makes a reconnect look like a start once.
    static constexpr std::size_t starts_max = 250'000;

    // The connection that holds a system, identified by its event loop and number.
    struct connection {
        std::size_t loop = 0;
        std::uint64_t number = 0;
        friend bool operator==(const connection&, const connection&) = default;
    };
    struct changes {
        std::vector<attach_event> attach_events;  // sorted by number
        std::vector<detach_event> detach_events;
        std::vector<system_number> started;  // systems whose agent process started
    };

    // `start` identifies the start of the agent process. Returns the connection that held the
    // system before and must be closed.
    std::optional<connection> attach(
        const attach_event& event, connection connection, std::uint64_t start);
    // Does nothing when another connection holds the system.
    void detach(const detach_event& event, connection connection);

    changes take_changes();
    std::vector<attach_event> all() const;  // sorted by number
    std::optional<connection> find(system_number system) const;
    std::size_t size() const;

private:
    struct attached {
        attach_event event;
        connection connection_id;
    };

    mutable std::mutex mutex_;
    std::map<system_number, attached> attached_;
    std::set<system_number> attached_since_report_;
    std::map<system_number, detach_event> detached_since_report_;
    std::set<system_number> started_since_report_;
    std::map<system_number, std::uint64_t> starts_;  // last start of each system attached here
};

}  // namespace muster::presence
