#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace muster::sim {

// Rare branches that simulations must reach now and then; the report lists those never reached. To
// add one, add its name here and in probes.cpp, then call probes::reached() in the branch.
enum class probe : std::uint8_t {
    request_repeated,        // the engine got a request that it had answered before
    request_of_former_life,  // a request was addressed to the engine before its crash
    outcome_ambiguous,       // a client could not learn whether its change was applied
    engine_unreachable,      // a client's timeout ended before it reached the engine
    engine_queue_full,
    leader_changed,
    group_of_many,      // one sync made several callers' changes durable
    journal_tail_torn,  // recovery found an unfinished record and cut it off
    journal_checkpoint,
    journal_write_refused,  // the disk was full
    lease_expired,
    watch_compacted,
    sync_lied,
    crash_lost_sectors,
    crash_tore_write,
    crash_lost_entry,  // a creation, rename or removal of a file was lost
    read_corrupted,
    delivery_repeated,
    node_given_up,
    zone_held,             // more than half of a zone was missing
    stopped_in_even_zone,  // a node went away, and nothing else changed
    count_of_all,
};

std::string_view to_string(probe name);
std::optional<probe> parse_probe(std::string_view name);

class probes {
public:
    void reached(probe name) { ++counts_.at(static_cast<std::size_t>(name)); }
    std::uint64_t count(probe name) const { return counts_.at(static_cast<std::size_t>(name)); }

    void add(const probes& other);
    std::vector<probe> never_reached() const;

private:
    std::array<std::uint64_t, static_cast<std::size_t>(probe::count_of_all)> counts_{};
};

}  // namespace muster::sim
