#pragma once

#include "base/result.h"
#include "core/session/agent_task.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

namespace muster::session {

struct agent_tasks_options {
    std::size_t running_max = 4;             // at once, without harmless tasks
    std::size_t waiting_max = 1000;          // tasks waiting to start
    std::size_t remembered_max = 10000;      // tasks whose reports are recorded
    std::size_t undelivered_max = 10000;     // of these, payloads that no node has received
    std::size_t unacknowledged_max = 10000;  // reports without acknowledgement
    std::uint32_t starts_max = 3;            // starts of a task that may run again
    monotonic::duration dedup_period = std::chrono::hours(50);
    monotonic::duration wait_max = std::chrono::hours(1);
    monotonic::duration resend_interval = std::chrono::seconds(30);
    monotonic::duration offer_interval =
        std::chrono::minutes(10);                               // a payload that no node requests
    monotonic::duration kill_after = std::chrono::seconds(10);  // after the term signal
    monotonic::duration give_up_after = std::chrono::seconds(10);  // after the kill signal
};

// Effects. The caller executes them in order.

// Write the records atomically. If `durable`, call on_stored() when they are on disk.
struct store_tasks {
    std::uint64_t ticket = 0;
    bool durable = false;
    std::vector<journaled_task> put;
    std::vector<task_name> erased;

    friend bool operator==(const store_tasks&, const store_tasks&) = default;
};
struct run_task {
    task_request request;
    chain_progress chain = {};  // for a chain: where to continue
    friend bool operator==(const run_task&, const run_task&) = default;
};
// The progress of a chain is on disk, so its next step may start. With a failure it may not.
struct continue_chain {
    task_name task;
    std::string failure;
    friend bool operator==(const continue_chain&, const continue_chain&) = default;
};
enum class end_kind { term, kill };
struct end_task {
    task_name task;
    end_kind kind = end_kind::term;
    friend bool operator==(const end_task&, const end_task&) = default;
};
struct send_held_tasks {
    struct held_task {
        task_name task;
        wall_time since;
        bool unknown = false;
        std::string activity = {};  // what the task waits for, or its step
        friend bool operator==(const held_task&, const held_task&) = default;
    };
    bool complete = false;
    std::vector<held_task> tasks;
    friend bool operator==(const send_held_tasks&, const send_held_tasks&) = default;
};
struct send_reports {
    std::vector<task_report> reports;
    friend bool operator==(const send_reports&, const send_reports&) = default;
};
struct discard_payload {
    task_name task;
    bool undelivered = false;  // no node received it: too many were undelivered
    friend bool operator==(const discard_payload&, const discard_payload&) = default;
};
using task_effect = std::variant<
    store_tasks,
    run_task,
    continue_chain,
    end_task,
    send_held_tasks,
    send_reports,
    discard_payload>;
using task_effects = std::vector<task_effect>;

enum class task_signal { query, term, kill, cancel };

// The tasks of an agent, from the request of the node to the recorded report.
//
// - A task is on disk before it starts, and it starts once. A repeated request gets the stored
// state
//   as response. A task that ran when the agent stopped is reported as interrupted, unless it may
//   run again.
// - A report is stored and sent on every connection until a node acknowledges that it is recorded.
//   Then an entry without payload stays for `dedup_period`, to answer late copies of the task.
// - A payload is stored until a node has received it, and is offered repeatedly.
// - A task with a start deadline never starts after it. It is reported as not started, and another
//   attempt may follow.
// - The progress of a chain is on disk before each step starts; the next process of the agent
//   continues it (chain_progress.h).
// - A report that could not be stored is sent anyway. If the agent then stops, it reports the task
//   again as interrupted, and the node keeps the first report.
//
// Pure; not thread-safe. Call expire() no later than next_deadline().
class agent_tasks {
public:
    struct moment {
        instant now;
        wall_time wall;
    };
    struct received_task {
        task_request request;
        task_nature nature = task_nature::ordinary;
        std::vector<task_nature> steps = {};  // for a chain
    };
    // A task that waits or runs, for displays.
    struct view {
        const journaled_task* task = nullptr;
        bool running = false;
        std::string activity = {};  // what the task waits for, or its step
    };

    explicit agent_tasks(const agent_tasks_options& options) : options_(options) {}

    // Call first, with the journal and the boot id of the machine.
    [[nodiscard]] task_effects start(
        std::vector<journaled_task> journaled_tasks, std::string boot, moment at);
    [[nodiscard]] task_effects on_received(std::vector<received_task> tasks, moment at);
    [[nodiscard]] task_effects on_stored(
        std::uint64_t ticket, const result<void>& outcome, moment at);
    [[nodiscard]] task_effects on_ended(task_name task, task_result result, moment at);
    // The reboot command succeeded; from now on only a new boot ends the task.
    void await_boot(task_name task);
    // A step of a chain ended. continue_chain follows.
    [[nodiscard]] task_effects on_step_ended(task_name task, chain_progress progress, moment at);
    // The chain continues after the next start of the agent.
    void await_restart(task_name task);
    [[nodiscard]] task_effects on_signal(task_name task, task_signal signal, moment at);
    [[nodiscard]] task_effects on_reports_acknowledged(
        const std::vector<task_name>& tasks, moment at);
    // A node requested a part of the payload.
    void on_payload_requested(task_name task, moment at);
    [[nodiscard]] task_effects on_payload_delivered(task_name task, moment at);
    [[nodiscard]] task_effects on_attached(moment at);
    void on_detached() { attached_ = false; }
    // The machine is too busy to start tasks, for this reason. Empty: it is not overloaded.
    [[nodiscard]] task_effects set_overload(std::string reason, moment at);
    [[nodiscard]] task_effects expire(moment at);
    std::optional<instant> next_deadline() const;

    bool contains(task_name task) const { return tasks_.contains(task); }
    bool is_running(task_name task) const { return running_.contains(task); }
    std::size_t running() const { return running_.size(); }
    // Running tasks that a restart of the agent would interrupt.
    std::size_t interruptible() const;
    std::size_t waiting() const { return waiting_.size(); }
    std::size_t unacknowledged() const { return unacknowledged_.size(); }
    std::vector<view> unfinished() const;  // waiting and running tasks

private:
    enum class task_phase : std::uint8_t {
        accepting,  // the first record is being stored
        waiting,
        starting,  // the record is being stored; then it runs
        running,
        reporting,  // the report is being stored; then it is sent
        reported,
        acknowledged,
    };
    struct entry {
        journaled_task record;
        task_phase phase = task_phase::accepting;
        bool on_disk = false;
        bool report_unstored = false;       // storing failed; will be retried
        instant received;                   // by this process of the agent
        instant sent;                       // last send of the report, or request of the payload
        std::optional<instant> start_by{};  // must not start from then on
        // While it runs:
        bool has_process = true;  // false for a reboot that an earlier process started
        wall_time started;
        bool resumed = false;                // a chain that an earlier process started
        bool storing_progress = false;       // the progress of a chain is being stored
        bool awaits_restart = false;         // continues after the next start of the agent
        instant deadline;                    // timeout, or next step of escalate_end()
        task_outcome forced_outcome{};       // set when the agent ends the task
        std::optional<end_kind> end_sent{};  // strongest signal sent
    };
    // The effects of one input, collected so that they are stored and sent together.
    struct effect_batch {
        moment at;
        std::vector<journaled_task> durable;
        store_tasks lazy;
        send_held_tasks held_tasks;
        send_reports reports;
        task_effects actions;
    };

    void resume(entry& entry, effect_batch& out);
    void resume_reboot(entry& entry, effect_batch& out);
    void resume_chain(entry& entry, effect_batch& out);
    void fail_resumed(entry& entry, const error& cause, effect_batch& out);
    void fail_start(entry& entry, const error& cause, bool was_on_disk, effect_batch& out);
    void accept(received_task task, effect_batch& out);
    void send_status(const entry& entry, effect_batch& out);
    void begin(entry& entry, effect_batch& out);
    void run(entry& entry, effect_batch& out);
    void start_next(effect_batch& out);
    void report(entry& entry, task_result result, effect_batch& out);
    void report_unjournaled(entry& entry, task_result result, effect_batch& out);
    void set_result(entry& entry, task_result result, moment at);
    void send(entry& entry, effect_batch& out);
    void release(entry& entry);
    void finish_storing(entry& entry, const result<void>& outcome, effect_batch& out);
    void escalate_end(entry& entry, effect_batch& out);
    void end_by_signal(entry& entry, task_signal signal, effect_batch& out);
    void acknowledge(entry& entry, effect_batch& out);
    void forget_expired(effect_batch& out);
    void forget_oldest(effect_batch& out);
    void resend_reports(effect_batch& out);
    void offer_payloads(effect_batch& out);
    void remember(entry& entry, moment at);
    void forget(task_name task, effect_batch& out);
    void refuse_overdue(effect_batch& out);
    static bool is_late(const entry& entry, moment at);
    void end_late(entry& entry, std::uint32_t starts, effect_batch& out);
    bool may_start() const;
    send_held_tasks::held_task to_held_task(const entry& entry) const;
    task_effects to_effects(effect_batch batch);

    agent_tasks_options options_;
    std::string boot_;
    std::string overload_;
    bool attached_ = false;
    std::map<task_name, entry> tasks_;
    std::deque<task_name> waiting_;
    std::set<task_name> running_;  // and starting
    std::size_t places_used_ = 0;
    std::set<task_name> unacknowledged_;
    std::deque<task_name> acknowledged_;  // oldest first
    std::set<task_name> undelivered_;     // acknowledged, but the payload is not delivered
    std::map<std::uint64_t, std::vector<task_name>> storing_;
    std::uint64_t last_ticket_ = 0;
    std::optional<instant> retry_at_;  // the disk failed; nothing starts before
    instant resend_at_;
    instant forget_at_;
    instant offer_at_;
};

}  // namespace muster::session
