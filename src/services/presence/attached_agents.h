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

// Who is attached to this node, and what changed since that was last told. Written when an agent
// comes or goes, never by a beat. Thread-safe.
class attached_agents {
public:
    // So many starts are remembered. Forgetting them makes reconnects look like starts, once.
    static constexpr std::size_t starts_max = 250'000;

    // Which channel holds a system: each has a number of its own on its event loop.
    struct channel {
        std::size_t loop = 0;
        std::uint64_t number = 0;
        friend bool operator==(const channel&, const channel&) = default;
    };
    struct changes {
        std::vector<arrival> arrivals;  // in the order of numbers
        std::vector<departure> departures;
        std::vector<system_number> started;  // those whose agent was not just reconnecting
    };

    // `start` is what the agent made at its own start. Gives back the channel that held the system
    // until now and must be ended.
    std::optional<channel> arrive(const arrival& arrival, channel by, std::uint64_t start);
    // Does nothing when another channel holds the system by now.
    void depart(const departure& departure, channel by);

    changes take_changes();
    std::vector<arrival> all() const;  // in the order of numbers
    std::optional<channel> find(system_number system_number) const;
    std::size_t size() const;

private:
    struct attached {
        arrival who;
        channel by;
    };

    mutable std::mutex guard_;
    std::map<system_number, attached> attached_;
    std::set<system_number> came_;
    std::map<system_number, departure> left_;
    std::set<system_number> started_;
    std::map<system_number, std::uint64_t> starts_;  // of those who were attached here
};

}  // namespace muster::presence
