#pragma once

#include "core/model/facts.h"

#include <optional>
#include <string>

namespace muster::session {

// Facts with their digest. The caller computes the digest (SHA-256 of canonical_form()).
struct digested_facts {
    facts all;
    std::string digest;  // empty: no facts

    friend bool operator==(const digested_facts&, const digested_facts&) = default;
};

// All facts, or the changes since the facts of digest `base`.
struct facts_message {
    bool complete = false;
    std::string base;
    std::string digest;
    facts_difference change;

    friend bool operator==(const facts_message&, const facts_message&) = default;
};

// Tracks which facts the cluster has, and decides what to send so that it has the current ones. One
// message is in flight at a time; later changes go with the next one. Pure; not thread-safe.
class agent_facts {
public:
    // `acknowledged`: the facts that the cluster had when the agent last stopped.
    explicit agent_facts(digested_facts acknowledged) : acknowledged_(std::move(acknowledged)) {}

    const std::string& acknowledged_digest() const { return acknowledged_.digest; }
    const digested_facts& acknowledged() const { return acknowledged_; }

    // The facts of the system were collected.
    [[nodiscard]] std::optional<facts_message> on_collected(digested_facts present);
    // `send_all`: the node does not have the facts of acknowledged_digest().
    [[nodiscard]] std::optional<facts_message> on_attached(bool send_all);
    void on_detached();

    struct response {
        bool newly_acknowledged = false;  // the caller stores acknowledged()
        std::optional<facts_message> next;
    };
    // The node has the facts of `digest`, or needs all facts.
    [[nodiscard]] response on_response(const std::string& digest, bool send_all);

private:
    std::optional<facts_message> next_message();

    digested_facts acknowledged_;
    std::optional<digested_facts> present_;
    std::optional<digested_facts> in_flight_;
    bool attached_ = false;
    bool send_all_ = false;
};

}  // namespace muster::session
