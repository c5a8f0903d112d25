#pragma once

#include "base/time.h"
#include "core/session/chain_progress.h"
#include "core/session/task_outcome.h"

#include <compare>
#include <cstdint>
#include <string>

namespace muster::session {

// Identifies a task between agent and node. Each attempt of a job is a task of its own.
struct task_name {
    std::int64_t job = 0;
    std::uint32_t attempt = 0;

    friend bool operator==(const task_name&, const task_name&) = default;
    friend std::strong_ordering operator<=>(const task_name&, const task_name&) = default;
};

struct task_request {
    task_name name;
    std::string function;  // "cmd.run"
    std::string arguments;
    monotonic::duration timeout{};
    bool may_run_again = false;  // if the agent stopped while it ran
    // The task must start within this time of its arrival, because its window closes. Zero: any
    // time.
    monotonic::duration start_within{};

    friend bool operator==(const task_request&, const task_request&) = default;
};

// How a task ended.
struct task_result {
    task_outcome outcome = task_outcome::unknown;
    std::int32_t exit_code = 0;
    std::string reason;              // set if the task did not succeed
    std::string digest;              // SHA-256 of the payload; empty: no payload
    std::uint64_t payload_size = 0;  // before compression
    bool truncated = false;
    std::string inline_payload;   // a small payload
    bool payload_stored = false;  // stored beside the journal until the node has it

    friend bool operator==(const task_result&, const task_result&) = default;
};

struct task_report {
    task_name task;
    task_result result;
    wall_time started;
    wall_time ended;

    friend bool operator==(const task_report&, const task_report&) = default;
};

// A task in the journal of the agent. Journals store the numbers of the states.
struct journaled_task {
    enum class journal_state : std::uint8_t {
        waiting = 1,
        running = 2,
        reported = 3,
        acknowledged = 4
    };

    journal_state state = journal_state::waiting;
    task_request request;  // without arguments from `reported` on
    task_nature nature = task_nature::ordinary;
    wall_time since;           // received
    std::uint32_t starts = 0;  // number of starts
    std::string boot;          // boot id of the machine at the last start
    chain_progress chain;      // for a chain, until `reported`
    task_report report;        // from `reported` on

    friend bool operator==(const journaled_task&, const journaled_task&) = default;
};

}  // namespace muster::session
