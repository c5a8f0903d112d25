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

// A job's name: the microsecond it was made in, so that jobs sort by age and no two are alike. For
// people and Salt's consumers it is twenty digits of UTC time.
using job_id = number<struct job_id_tag>;

job_id job_made_at(wall_time when);
wall_time made_at(job_id job);
std::string to_string(job_id job);              // "20261116051234123456"
result<job_id> parse_job_id(std::string_view);  // strict: twenty digits that are a time

// One job on one system. `queued` is the lack of any record: target minus started.
enum class task_state { queued, picked_up, completed, failed, cancelled, expired };

std::string_view to_string(task_state state);
std::optional<task_state> parse_task_state(std::string_view text);
bool is_end(task_state state);
// States: queued → picked_up → completed | failed; queued → failed | cancelled | expired. A new
// attempt leads back from picked_up to queued.
bool may_follow(task_state from, task_state to);

// So many, or such a part of all.
struct amount {
    enum class unit { count, percent } in = unit::count;
    double value = 0;

    friend bool operator==(const amount&, const amount&) = default;
};
// "10" or "25%". errc::invalid says what is wrong.
result<amount> parse_amount(std::string_view text);
std::string to_string(const amount& what);
// As Salt counts: below one rounds up, otherwise the fraction is dropped.
std::uint64_t of(const amount& what, std::uint64_t total);

// How a job spreads over its targets.
struct rollout_options {
    std::optional<amount> batch;         // at most so many at once; none: as many as go
    monotonic::duration batch_wait{};    // a place stays blocked so long after a return
    std::optional<double> rate;          // starts a second, cluster-wide
    std::optional<amount> canary;        // these first; the rest when all of them succeeded
    monotonic::duration canary_wait{};   // and so long after the last of them did
    std::optional<amount> max_failures;  // halt when more have failed
    std::uint32_t retries = 0;           // further attempts after a failure
    monotonic::duration retry_wait = std::chrono::seconds(10);  // doubles with each attempt
    // Systems that are away: run when they come back (until the job expires), or fail.
    bool on_return = true;
    std::int32_t priority = 0;  // -1000 … 1000
    std::uint32_t weight = 10;  // share among jobs of one priority

    friend bool operator==(const rollout_options&, const rollout_options&) = default;
};

// What someone asked to be done. Its targets are a frozen set of system numbers beside it.
struct job_spec {
    std::string function;   // "cmd.run"
    std::string arguments;  // a JSON object
    std::string query;      // what the targets were resolved from, for people
    std::string by;         // who asked
    std::string note;
    std::optional<wall_time> not_before;
    monotonic::duration expires_after = std::chrono::hours(24);  // of not_before or the making
    monotonic::duration timeout = std::chrono::hours(1);         // of one attempt
    // Whether an attempt that its agent's end interrupted may be run again.
    bool may_run_again = false;
    // What maintenance windows mean for it, on systems that have any: nothing; it starts only where
    // it ends within one; it starts within one and ends when it ends; nothing, in an emergency.
    enum class window_rule { ignore, respect, start, override } windows = window_rule::respect;
    std::vector<job_id> parents;  // all of them must have completed everywhere
    rollout_options rollout;
    // A job whose start had to move goes on as others (core/jobs/job_replacement.h): as these, from
    // the moment that is decided; it is cancelled with it.
    std::vector<job_id> replaced_by = {};
    // Of one of those: whose place it takes, and, until that has ended, all that do, itself too.
    std::optional<job_id> replaces = std::nullopt;
    std::vector<job_id> siblings = {};

    friend bool operator==(const job_spec&, const job_spec&) = default;
};

std::string_view to_string(job_spec::window_rule rule);
std::optional<job_spec::window_rule> parse_window_rule(std::string_view text);
// Whether it waits for windows.
bool heeds_windows(const job_spec& spec);

// The life of a job as a whole. `cancelling` lasts until every node has stopped starting it.
enum class job_stage { open, paused, cancelling, cancelled, halted, expired, done };

std::string_view to_string(job_stage stage);
std::optional<job_stage> parse_job_stage(std::string_view text);
bool is_end(job_stage stage);

// Whom an open job may be started on by now.
enum class job_phase { nobody, canaries, everybody };  // its parents go first; so do its canaries

std::string_view to_string(job_phase phase);
std::optional<job_phase> parse_job_phase(std::string_view text);

struct job_record {
    job_id job;
    job_spec spec;
    job_stage stage = job_stage::open;
    job_phase phase = job_phase::everybody;
    bool kill_running = false;  // with cancelling: running tasks are ended too
    std::string reason;         // of the stage, for people
    std::uint64_t targets = 0;
    std::int64_t version = 1;  // grows with every change
    wall_time changed;

    friend bool operator==(const job_record&, const job_record&) = default;
};

// What the record has of one task. Without a record a task is queued, or what the job's end makes
// of it.
struct task_record {
    job_id job;
    std::int64_t system = 0;
    std::uint32_t attempt = 1;
    task_state state = task_state::picked_up;
    std::optional<wall_time> picked_up;
    std::optional<wall_time> ended;
    std::int32_t exit_code = 0;
    std::string reason;  // why it is where it is, for people
    std::string digest;  // SHA-256 of the payload; empty: none
    std::int64_t payload_size = 0;
    bool truncated = false;
    std::string inline_payload;  // one that is too small to be kept apart
    std::string node;            // that wrote it
    std::int64_t epoch = 0;      // of the slot

    friend bool operator==(const task_record&, const task_record&) = default;
};

// Later records of a task have a larger rank; of two ends of one attempt the first one stays.
std::int64_t rank_of(const task_record& task);

// What a task counts as, given what is on record (null: nothing) and how its job stands.
task_state state_of(const task_record* task, job_stage job);

}  // namespace muster
