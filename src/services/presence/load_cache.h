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

// What a node has to do, and how much of its machine that takes. Sent every few seconds.
struct load_report {
    std::string node;
    std::string zone;
    std::int64_t attached = 0;
    double cpu_seconds = 0;  // used by the process since its start
    std::int64_t cores = 1;
    std::int64_t memory_bytes = 0;  // resident
    std::uint64_t start = 0;        // which start of the process
    wall_time at;

    friend bool operator==(const load_report&, const load_report&) = default;
};

std::string encode(const load_report& load_report);
result<load_report> decode_load(std::string_view text);

// A node's load between its last two reports.
struct node_load {
    load_report last;
    double cpu_share = 0;  // of all its cores, 0 to 1
    double cpu_used = 0;   // CPU-seconds a second
    instant received{};    // when the last one came here
};

// The newest loads of all nodes. Thread-safe.
class load_cache {
public:
    void apply(const load_report& load_report, instant now);
    std::optional<node_load> find(const std::string& node) const;
    std::map<std::string, node_load> all() const;
    // Forgets nodes of whom nothing came since.
    void expire(instant oldest);

private:
    mutable std::mutex guard_;
    std::map<std::string, node_load> nodes_;
};

}  // namespace muster::presence
