#pragma once

#include "core/model/facts.h"

#include <optional>
#include <string>

namespace muster::session {

// A set of facts with its digest, which the driver makes (SHA-256 over canonical_form()).
struct digested_facts {
    facts all;
    std::string digest;  // empty: there are none

    friend bool operator==(const digested_facts&, const digested_facts&) = default;
};

// What is sent: everything, or what changed since `base`.
struct facts_message {
    bool whole = false;
    std::string base;
    std::string digest;
    facts_difference change;

    friend bool operator==(const facts_message&, const facts_message&) = default;
};

// Which facts the cluster has, and what must be sent so that it has the present ones. One message
// is under way at a time; what changes meanwhile goes with the next.
class agent_facts {
public:
    // `taken`: what the cluster took when the agent last ran.
    explicit agent_facts(digested_facts digested_facts) : taken_(std::move(digested_facts)) {}

    const std::string& taken_digest() const { return taken_.digest; }
    const digested_facts& taken() const { return taken_; }

    // A survey of the system.
    [[nodiscard]] std::optional<facts_message> surveyed(digested_facts present);
    // A channel stands; `wanted`: the node does not have the facts of taken_digest().
    [[nodiscard]] std::optional<facts_message> attached(bool desired);
    void channel_lost();

    struct answer {
        bool newly_taken = false;  // taken() is to be stored
        std::optional<facts_message> next;
    };
    // The node took the facts of `digest`, or (wanted) needs them all.
    [[nodiscard]] answer answered(const std::string& digest, bool desired);

private:
    std::optional<facts_message> next();

    digested_facts taken_;
    std::optional<digested_facts> present_;
    std::optional<digested_facts> under_way_;
    bool attached_ = false;
    bool all_wanted_ = false;
};

}  // namespace muster::session
