#pragma once

#include "core/presence/history.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace muster::presence::history {

// What a node's record, or the cluster about a node, says of one system at one moment. In the order
// in which they count when they were made at the same moment.
enum class claim : std::uint8_t {
    lost,            // the cluster noticed that the node is gone
    begins_without,  // the node's record begins here, and the system is not attached to it
    begins_with,     // the same, and it is
    left,
    came,
    silent,   // the node's record ends here, and nobody knows why
    stopped,  // it ends because the node went down: nobody is attached to it
};

struct statement {
    wall_time at;
    wall_time told;  // when it was written down: of what a node says, the later word counts
    std::int64_t step = 0;
    claim what = claim::begins_without;
    node_number node;
    session::reason why = session::reason::unknown;  // of who is no longer attached

    friend auto operator<=>(const statement&, const statement&) = default;
};

enum class attachment_state : std::uint8_t {
    unknown,
    attached,
    away,
};

// Where a system was for a while.
struct segment {
    wall_time from;
    wall_time until;
    attachment_state where = attachment_state::unknown;
    node_number
        node;  // attached: to whom; away: to whom it was last; unknown: whose word is missing
    session::reason why = session::reason::unknown;  // away: how its last channel ended

    friend bool operator==(const segment&, const segment&) = default;
};

// Puts together what the nodes say, statement by statement in order, to one line.
//
// - A later attachment wins over an earlier one; that a node lets go of a system which is attached
//   elsewhere by then changes nothing.
// - Of a node that fell silent nobody knows who is attached to it. Who is attached to another one
//   is there; of all others it is not known, until the node speaks again, is known to be gone, or
//   they turn up elsewhere.
// - Two nodes whose records begin with the same system: one of them has not noticed yet that it
//   left. Which one is not known, until that one notices.
// - Nothing is known before the first node's record begins.
class presence_timeline {
public:
    // What was noticed of a node so shortly before it fell silent is why it did.
    static constexpr auto notice_before = std::chrono::seconds(20);
    // A node notices within that time that a system left without a word.
    static constexpr auto unnoticed_max = std::chrono::minutes(10);

    explicit presence_timeline(wall_time from, std::chrono::microseconds unnoticed = unnoticed_max)
        : from_(from), unnoticed_(unnoticed), shown_since_(from) {}

    void take(const statement& next);
    // Without holes from `from` to `until`; neighbours differ, or the system attached anew.
    std::vector<segment> finish(wall_time until);

private:
    struct view {
        attachment_state where = attachment_state::unknown;
        node_number node;
        session::reason why = session::reason::unknown;
        std::int64_t attachment = 0;  // which one, so that two in a row are two
        friend bool operator==(const view&, const view&) = default;
    };

    view look() const;
    void listen(const statement& next);
    void begin_with(node_number node, wall_time at);
    void attach(node_number node);
    void let_go(node_number node, session::reason why);
    void fall_silent(node_number node, wall_time at);
    void settle(wall_time now);
    void show(wall_time at);
    void close(wall_time until);

    wall_time from_;
    std::chrono::microseconds unnoticed_;
    bool begun_ = false;
    std::optional<node_number> attached_to_;
    node_number last_node_;
    session::reason why_ = session::reason::unknown;
    std::int64_t attachments_ = 0;
    std::map<node_number, wall_time> rivals_;  // whose records began with the system, too
    std::optional<wall_time> unsure_until_;    // which of them has it
    std::set<node_number> silent_;
    std::map<node_number, wall_time> noticed_;  // when the cluster last missed it

    view shown_;
    wall_time shown_since_;
    std::vector<segment> done_;
};

}  // namespace muster::presence::history
