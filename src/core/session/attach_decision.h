#pragma once

#include "base/time.h"
#include "core/model/system.h"
#include "core/placement/slot_table.h"
#include "core/session/reason.h"

#include <optional>
#include <string>
#include <variant>

namespace muster::session {

// What a node knows about itself and about a system that has proven who it is.
struct attach_context {
    struct owner {
        bool is_us = false;
        std::string address;     // empty while that node is not there
        placement::epoch since;  // since when it serves the system's slot
    };

    bool stopping = false;
    bool lease_holds = false;        // otherwise another node may serve our slots already
    bool records_known = true;       // false before the records were read once
    bool released = false;           // an admin has unregistered it from this node
    std::optional<enrolment> stage;  // nothing: unknown
    system_number number;
    std::optional<owner> place;  // nothing: nobody serves its slot
};

struct welcome {
    system_number system;
    placement::epoch since;
    friend bool operator==(const welcome&, const welcome&) = default;
};

// With `moved` the address, with all others but `deleted` and `denied` a pause.
struct refusal {
    reason why = reason::unknown;
    std::string address;
    monotonic::duration retry_after{};
    friend bool operator==(const refusal&, const refusal&) = default;
};

using attach_decision = std::variant<welcome, refusal>;

struct pauses {
    monotonic::duration busy = std::chrono::seconds(2);  // until the lease or the records are back
    monotonic::duration orphan = std::chrono::seconds(1);    // until a place is found
    monotonic::duration stopping = std::chrono::seconds(5);  // until the node is back
    monotonic::duration fresh = std::chrono::seconds(10);    // until somebody accepted it
};

// Whether this node serves this system now. Pure; what it says holds for that moment only.
attach_decision judge(const attach_context& now, const pauses& pauses);

// The same question about a system that is attached: what to tell it when it must go. A node whose
// lease is not sure, or that does not know the records, keeps its channels: it only does nothing.
std::optional<refusal> reconsider(const attach_context& now, const pauses& pauses);

}  // namespace muster::session
