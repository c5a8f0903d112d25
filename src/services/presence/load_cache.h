#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace muster::presence {

// The load of a node, sent every few seconds.
struct load_report {
    std::string node;
    std::string zone;
    std::int64_t attached = 0;
    double cpu_seconds = 0;  // used by the process since its start
    std::int64_t cores = 1;
    std::int64_t memory_bytes = 0;  // resident
    std::uint64_t start = 0;        // start number of the process
    wall_time at;

    friend bool operator==(const load_report&, const load_report&) = default;
};

std::string encode(const load_report& report);
result<load_report> decode_load(std::string_view text);

// The load of a node between its last two reports.
struct node_load {
    load_report last;
    double cpu_share = 0;  // of all its cores, 0 to 1
    double cpu_used = 0;   // CPU-seconds a second
    instant received{};    // time of the last report
};

// Holds the newest load of every node. Thread-safe.
class load_cache {
public:
    void apply(const load_report& report, instant now);
    std::optional<node_load> find(const std::string& node) const;
    std::map<std::string, node_load> all() const;
    // Removes nodes without a report since `oldest`.
    void expire(instant oldest);

private:
    mutable std::mutex mutex_;
    std::map<std::string, node_load> nodes_;
};

}  // namespace muster::presence
