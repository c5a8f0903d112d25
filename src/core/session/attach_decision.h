#pragma once

#include "base/time.h"
#include "core/model/system.h"
#include "core/placement/slot_table.h"
#include "core/session/reason.h"

#include <optional>
#include <string>
#include <variant>

namespace muster::session {

// What a node knows about itself and about a system that has proven its identity.
struct attach_context {
    struct slot_owner {
        bool is_self = false;
        std::string address;     // empty while the node is offline
        placement::epoch since;  // since when the node serves the system's slot
    };

    bool stopping = false;
    bool lease_holds = false;        // otherwise another node may serve this node's slots
    bool records_loaded = true;      // false until the first load
    bool released = false;           // an operator unregistered the system from this node
    std::optional<enrolment> stage;  // nothing: unknown
    system_number number;
    std::optional<slot_owner> owner;  // nothing: no node serves the slot
};

struct welcome {
    system_number system;
    placement::epoch since;
    friend bool operator==(const welcome&, const welcome&) = default;
};

// `moved` has an address; all other reasons but `deleted` and `denied` have a retry time.
struct refusal {
    reason why = reason::unknown;
    std::string address;
    monotonic::duration retry_after{};
    friend bool operator==(const refusal&, const refusal&) = default;
};

using attach_decision = std::variant<welcome, refusal>;

struct retry_delays {
    monotonic::duration busy = std::chrono::seconds(2);      // until lease or records are back
    monotonic::duration orphan = std::chrono::seconds(1);    // until a node serves the slot
    monotonic::duration stopping = std::chrono::seconds(5);  // until the node is back
    monotonic::duration fresh = std::chrono::seconds(10);    // until it is accepted
};

// Decides whether this node attaches the system now. Pure.
attach_decision decide_attach(const attach_context& context, const retry_delays& delays);

// Decides whether an attached system must detach, and why. A node without a lease or without
// records keeps its connections. Pure.
std::optional<refusal> reconsider(const attach_context& context, const retry_delays& delays);

}  // namespace muster::session
