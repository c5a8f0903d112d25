#pragma once

#include "base/time.h"
#include "core/session/chain_progress.h"
#include "core/session/task_outcome.h"

#include <compare>
#include <cstdint>
#include <string>

namespace muster::session {

// A task as agent and node name it: another attempt of a job is another task.
struct task_name {
    std::int64_t job = 0;
    std::uint32_t attempt = 0;

    friend bool operator==(const task_name&, const task_name&) = default;
    friend std::strong_ordering operator<=>(const task_name&, const task_name&) = default;
};

struct task_order {
    task_name name;
    std::string function;  // "cmd.run"
    std::string arguments;
    monotonic::duration timeout{};
    bool may_run_again = false;  // when the agent's end interrupted it
    // Begun no later than so long after it came: its window closes then. Zero: whenever.
    monotonic::duration start_within{};

    friend bool operator==(const task_order&, const task_order&) = default;
};

// What a function came to.
struct task_ending {
    task_outcome outcome = task_outcome::unknown;
    std::int32_t exit_code = 0;
    std::string reason;              // a sentence when it did not succeed
    std::string digest;              // SHA-256 of the payload; empty: there is none
    std::uint64_t payload_size = 0;  // before compression
    bool truncated = false;
    std::string inline_payload;  // the payload itself when it is small
    bool payload_kept = false;   // it is kept beside the journal until the node has it

    friend bool operator==(const task_ending&, const task_ending&) = default;
};

struct task_report {
    task_name task;
    task_ending how;
    wall_time started;
    wall_time ended;

    friend bool operator==(const task_report&, const task_report&) = default;
};

// One task as the journal has it. The numbers of the stages are kept in journals.
struct journaled_task {
    enum class stage : std::uint8_t { waiting = 1, running = 2, reported = 3, taken = 4 };

    stage at = stage::waiting;
    task_order order;  // without its arguments once it is reported
    task_nature nature = task_nature::ordinary;
    wall_time since;           // picked up
    std::uint32_t starts = 0;  // how often it was begun
    std::string boot;          // of the machine, when it was begun
    chain_progress chain;      // of a chain, until it is reported
    task_report report;        // from `reported` on

    friend bool operator==(const journaled_task&, const journaled_task&) = default;
};

}  // namespace muster::session
