#include "sim/probes.h"

#include "base/assert.h"

namespace muster::sim {

std::string_view to_string(probe name) {
    switch (name) {
        case probe::request_repeated:
            return "request_repeated";
        case probe::request_of_former_life:
            return "request_of_former_life";
        case probe::outcome_ambiguous:
            return "outcome_ambiguous";
        case probe::engine_unreachable:
            return "engine_unreachable";
        case probe::engine_queue_full:
            return "engine_queue_full";
        case probe::leader_changed:
            return "leader_changed";
        case probe::group_of_many:
            return "group_of_many";
        case probe::journal_tail_torn:
            return "journal_tail_torn";
        case probe::journal_checkpoint:
            return "journal_checkpoint";
        case probe::journal_write_refused:
            return "journal_write_refused";
        case probe::lease_expired:
            return "lease_expired";
        case probe::watch_compacted:
            return "watch_compacted";
        case probe::sync_lied:
            return "sync_lied";
        case probe::crash_lost_sectors:
            return "crash_lost_sectors";
        case probe::crash_tore_write:
            return "crash_tore_write";
        case probe::crash_lost_entry:
            return "crash_lost_entry";
        case probe::read_corrupted:
            return "read_corrupted";
        case probe::delivery_repeated:
            return "delivery_repeated";
        case probe::node_given_up:
            return "node_given_up";
        case probe::zone_held:
            return "zone_held";
        case probe::stopped_in_even_zone:
            return "stopped_in_even_zone";
        case probe::count_of_all:
            break;
    }
    MUSTER_ASSERT(false);
}

std::optional<probe> parse_probe(std::string_view name) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(probe::count_of_all); ++i) {
        const auto candidate = static_cast<probe>(i);
        if (to_string(candidate) == name) return candidate;
    }
    return std::nullopt;
}

void probes::add(const probes& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_.at(i) += other.counts_.at(i);
}

std::vector<probe> probes::never_reached() const {
    std::vector<probe> missing;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_.at(i) == 0) missing.push_back(static_cast<probe>(i));
    }
    return missing;
}

}  // namespace muster::sim
