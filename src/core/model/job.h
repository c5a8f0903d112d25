#pragma once

#include "base/number.h"
#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster {

// A job's id: the microsecond of its creation, so that ids are unique and sort by age. Users and
// Salt's consumers see twenty digits of UTC time.
using job_id = number<struct job_id_tag>;

job_id job_id_at(wall_time time);
wall_time created_at(job_id job);
std::string to_string(job_id job);              // "20261116051234123456"
result<job_id> parse_job_id(std::string_view);  // strict: twenty digits that form a time

// State of one job on one system. A queued task has no record.
enum class task_state { queued, picked_up, completed, failed, cancelled, expired };

std::string_view to_string(task_state state);
std::optional<task_state> parse_task_state(std::string_view text);
bool is_final(task_state state);
// States: queued → picked_up → completed | failed; queued → failed | cancelled | expired. A new
// attempt leads back from picked_up to queued.
bool may_follow(task_state from, task_state to);

// An absolute number or a percentage.
struct amount {
    enum class units { count, percent } unit = units::count;
    double value = 0;

    friend bool operator==(const amount&, const amount&) = default;
};
// "10" or "25%"; otherwise errc::invalid.
result<amount> parse_amount(std::string_view text);
std::string to_string(const amount& value);
// The amount as a number of `total`. Rounds as Salt does: up below one, otherwise down.
std::uint64_t count_of(const amount& value, std::uint64_t total);

// How a job spreads over its targets.
struct rollout_options {
    std::optional<amount> batch;         // maximum of concurrent tasks; none: unlimited
    monotonic::duration batch_wait{};    // time until a finished task frees its place
    std::optional<double> rate;          // starts a second, cluster-wide
    std::optional<amount> canary;        // start these first, the rest when all succeeded
    monotonic::duration canary_wait{};   // wait after the last canary succeeded
    std::optional<amount> max_failures;  // halt when more tasks have failed
    std::uint32_t retries = 0;           // further attempts after a failure
    monotonic::duration retry_wait = std::chrono::seconds(10);  // doubles with each attempt
    // Absent systems: run when they return (until the job expires), or fail at once.
    bool on_return = true;
    std::int32_t priority = 0;  // -1000 … 1000
    std::uint32_t weight = 10;  // share among jobs of one priority

    friend bool operator==(const rollout_options&, const rollout_options&) = default;
};

// A job as requested. Its targets, a fixed set of system numbers, are stored beside it.
struct job_spec {
    std::string function;   // "cmd.run"
    std::string arguments;  // a JSON object
    std::string query;      // the targets came from it; for display
    std::string actor;      // a user, a rule or a schedule
    std::string note;
    std::optional<wall_time> not_before;
    monotonic::duration expires_after = std::chrono::hours(24);  // after not_before or creation
    monotonic::duration timeout = std::chrono::hours(1);         // of one attempt
    // Whether an attempt may run again if the agent's end interrupted it.
    bool may_run_again = false;
    // How maintenance windows limit the job on systems that have any. respect: it starts only if it
    // ends within the window. start: only its start is limited. override: an emergency.
    enum class window_rule { ignore, respect, start, override } windows = window_rule::respect;
    std::vector<job_id> parents;  // must all have completed on all targets
    rollout_options rollout;
    // Jobs that replace this one because its start moved (core/jobs/job_replacement.h). Set when
    // the replacement is decided; this job is then cancelled.
    std::vector<job_id> replaced_by = {};
    // In a replacement: the replaced job, and all its replacements (this one included) until the
    // replaced job has ended.
    std::optional<job_id> replaces = std::nullopt;
    std::vector<job_id> siblings = {};

    friend bool operator==(const job_spec&, const job_spec&) = default;
};

std::string_view to_string(job_spec::window_rule rule);
std::optional<job_spec::window_rule> parse_window_rule(std::string_view text);
// Whether the job waits for windows.
bool respects_windows(const job_spec& spec);

// State of a job. `cancelling` lasts until no node starts its tasks any more.
enum class job_stage { open, paused, cancelling, cancelled, halted, expired, done };

std::string_view to_string(job_stage stage);
std::optional<job_stage> parse_job_stage(std::string_view text);
bool is_final(job_stage stage);

// Targets on which an open job may start now. `none`: parents go first.
enum class job_phase { none, canaries, all };

std::string_view to_string(job_phase phase);
std::optional<job_phase> parse_job_phase(std::string_view text);

struct job_record {
    job_id job;
    job_spec spec;
    job_stage stage = job_stage::open;
    job_phase phase = job_phase::all;
    bool kill_running = false;  // with cancelling: also end running tasks
    std::string reason;         // reason of the stage, for display
    std::uint64_t targets = 0;
    std::int64_t version = 1;  // grows with every change
    wall_time changed;

    friend bool operator==(const job_record&, const job_record&) = default;
};

// The stored state of a task. A task without a record is queued, or ended with its job.
struct task_record {
    job_id job;
    std::int64_t system = 0;
    std::uint32_t attempt = 1;
    task_state state = task_state::picked_up;
    std::optional<wall_time> picked_up;
    std::optional<wall_time> ended;
    std::int32_t exit_code = 0;
    std::string reason;  // reason of the state, for display
    std::string digest;  // SHA-256 of the payload; empty: none
    std::int64_t payload_size = 0;
    bool truncated = false;
    std::string inline_payload;  // a payload too small to be stored separately
    std::string node;            // the writer of this record
    std::int64_t epoch = 0;      // of the slot

    friend bool operator==(const task_record&, const task_record&) = default;
};

// Later records of a task have a larger rank. Of two ends of one attempt the first is kept.
std::int64_t rank_of(const task_record& task);

// The state of a task, from its record (null: none) and the stage of its job.
task_state state_of(const task_record* task, job_stage job);

}  // namespace muster
