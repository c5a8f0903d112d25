#pragma once

#include "core/presence/history.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace muster::presence::history {

// What a node's history, or the cluster about a node, states about one system at one time.
// Statements of equal time are applied in this order.
enum class statement_kind : std::uint8_t {
    lost,             // the cluster noticed that the node is missing
    starts_detached,  // the node's history starts, without the system
    starts_attached,  // the node's history starts, with the system
    detached,
    attached,
    silent,   // the node's history ends without a reason
    stopped,  // the node shut down: no system is attached
};

struct statement {
    wall_time at;
    wall_time recorded;  // when it was recorded; later statements of a node win
    std::int64_t step = 0;
    statement_kind kind = statement_kind::starts_detached;
    node_number node;
    session::reason why = session::reason::unknown;  // for a system that is no longer attached

    friend auto operator<=>(const statement&, const statement&) = default;
};

enum class attachment_state : std::uint8_t {
    unknown,
    attached,
    away,
};

// The attachment of a system over a time.
struct segment {
    wall_time from;
    wall_time until;
    attachment_state state = attachment_state::unknown;
    // attached: its node; away: its last node; unknown: the node without history.
    node_number node;
    session::reason why = session::reason::unknown;  // away: how its last connection ended

    friend bool operator==(const segment&, const segment&) = default;
};

// Merges the statements of all nodes about one system into one timeline. Statements come in order.
//
// - The latest attachment wins. A detach from another node changes nothing.
// - While a node is silent, its attached systems are unknown. A system that is attached to another
//   node is known to be there. Any other is unknown until the node reports again, is known to be
//   missing, or the system attaches elsewhere.
// - If the histories of two nodes start with the same system, one of them has not noticed the
// detach.
//   Which one is unknown until that node notices.
// - All is unknown before the first history starts.
//
// Not thread-safe.
class presence_timeline {
public:
    // A missing-node mark this shortly before the silence explains it.
    static constexpr auto notice_before = std::chrono::seconds(20);
    // A node notices within this time that a system detached silently.
    static constexpr auto unnoticed_max = std::chrono::minutes(10);

    explicit presence_timeline(wall_time from, std::chrono::microseconds unnoticed = unnoticed_max)
        : from_(from), unnoticed_(unnoticed), view_since_(from) {}

    void add(const statement& statement);
    // Segments without gaps from `from` to `until`. Neighbours differ, or are two attachments.
    std::vector<segment> finish(wall_time until);

private:
    struct view {
        attachment_state state = attachment_state::unknown;
        node_number node;
        session::reason why = session::reason::unknown;
        std::int64_t attachment = 0;  // counts attachments, so that two in a row differ
        friend bool operator==(const view&, const view&) = default;
    };

    view current_view() const;
    void apply(const statement& statement);
    void start_attached(node_number node, wall_time at);
    void attach(node_number node);
    void detach(node_number node, session::reason why);
    void on_silent(node_number node, wall_time at);
    void resolve_rivals(wall_time now);
    void update_view(wall_time at);
    void close_segment(wall_time until);

    wall_time from_;
    std::chrono::microseconds unnoticed_;
    bool started_ = false;
    std::optional<node_number> attached_to_;
    node_number last_node_;
    session::reason why_ = session::reason::unknown;
    std::int64_t attachments_ = 0;
    std::map<node_number, wall_time> rivals_;  // whose histories also start with the system
    std::optional<wall_time> unsure_until_;    // until then the right node is unknown
    std::set<node_number> silent_;
    std::map<node_number, wall_time> missed_at_;  // last missing-node marks

    view view_;
    wall_time view_since_;
    std::vector<segment> segments_;
};

}  // namespace muster::presence::history
