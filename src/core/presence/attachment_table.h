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

// Which system is attached to which node, as the nodes' reports tell. Built for millions: 28 bytes
// a system, found by its number.
//
// - A later attachment wins over an earlier one, whoever reports it last; so a node that has not
//   noticed yet that a system left it does not take it back.
// - A node that was silent for too long, or whose lease ended, has nobody attached.
// - Reports may be lost, late or doubled: whole ones mend everything within their interval.
class attachment_table {
public:
    struct entry {
        packed_address address{};
        seconds since = 0;       // attached: since when; otherwise when it left
        std::uint32_t node = 0;  // of the last attachment; zero: never seen
        session::reason why = session::reason::unknown;  // how the last channel ended
        bool attached = false;
    };
    struct node_sum {
        std::string zone;
        std::size_t attached = 0;
        seconds heard = 0;           // when its last report was made, by its own clock
        instant received{};          // when that came here
        std::uint64_t arrivals = 0;  // since this board began; for rates
        std::uint64_t start = 0;
        std::uint64_t sequence = 0;
    };

    // False: an old message, or one that cannot be; nothing was changed.
    bool apply(const report& report, instant now);
    void node_lost(node_number node_number, seconds at);
    // Nodes of whom nothing came since before `oldest` are lost.
    std::vector<node_number> expire(instant oldest);

    // Nothing for one that was never seen.
    const entry* find(system_number system_number) const;
    bool attached(system_number system_number) const {
        const entry* entry = find(system_number);
        return entry != nullptr && entry->attached;
    }
    // When it was last known to be there.
    seconds last_seen(const entry& of) const;

    const std::map<node_number, node_sum>& nodes() const { return nodes_; }
    std::size_t attached_in(std::string_view zone) const;
    std::size_t attached_in_all() const;
    std::size_t size_bytes() const;

    static constexpr std::int64_t number_max = INT32_MAX;

private:
    static constexpr std::size_t page_size = 1024;
    using page = std::array<entry, page_size>;

    entry& at(system_number system_number);
    void arrive(node_number node, node_sum& sum, const arrival& arrival);
    void depart(node_sum& sum, entry& entry, session::reason why, seconds at);
    void drop_unlisted(node_number node, node_sum& sum, const report& report);

    std::vector<std::unique_ptr<page>> pages_;
    std::map<node_number, node_sum> nodes_;
};

}  // namespace muster::presence
