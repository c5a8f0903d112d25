#pragma once

#include "core/presence/report.h"

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::presence {

// Which system is attached to which node, by the reports of the nodes. Needs 28 bytes a system.
//
// - The latest attachment wins, whatever the order of the reports. So a node that has not noticed a
//   detach does not get the system back.
// - A node that sent no report for too long, or whose lease ended, has no attached systems.
// - Reports may be lost, late or repeated: complete ones correct the table within their interval.
//
// Not thread-safe.
class attachment_table {
public:
    struct entry {
        packed_address address{};
        seconds since = 0;                               // of the attachment, or of the detach
        std::uint32_t node = 0;                          // of the last attachment; zero: never seen
        session::reason why = session::reason::unknown;  // how the last connection ended
        bool attached = false;
    };
    struct node_totals {
        std::string zone;
        std::size_t attached = 0;
        seconds last_report = 0;         // time of the last report, by the clock of the node
        instant received{};              // when it was received
        std::uint64_t attach_count = 0;  // since this table was created; for rates
        std::uint64_t start = 0;
        std::uint64_t sequence = 0;
    };

    // False if the report is old or invalid; then nothing changes.
    bool apply(const report& report, instant now);
    void on_node_lost(node_number node, seconds at);
    // Detaches the systems of nodes whose last report was received before `oldest`; returns the
    // nodes.
    std::vector<node_number> expire(instant oldest);

    // Null for a system that was never attached.
    const entry* find(system_number system) const;
    bool is_attached(system_number system) const {
        const entry* entry = find(system);
        return entry != nullptr && entry->attached;
    }
    // When the system was last known to be attached.
    seconds last_seen(const entry& entry) const;

    const std::map<node_number, node_totals>& nodes() const { return nodes_; }
    std::size_t attached_in(std::string_view zone) const;
    std::size_t attached_total() const;
    std::size_t size_bytes() const;

    static constexpr std::int64_t number_max = INT32_MAX;

private:
    static constexpr std::size_t page_size = 1024;
    using page = std::array<entry, page_size>;

    entry& entry_of(system_number system);
    void attach(node_number node, node_totals& totals, const attach_event& event);
    void detach(node_totals& totals, entry& entry, session::reason why, seconds at);
    void detach_unlisted(node_number node, node_totals& totals, const report& report);

    std::vector<std::unique_ptr<page>> pages_;
    std::map<node_number, node_totals> nodes_;
};

}  // namespace muster::presence
