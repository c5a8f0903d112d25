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
    std::size_t running_max = 4;         // at once; harmless ones are not counted
    std::size_t waiting_max = 1000;      // for a place
    std::size_t remembered_max = 10000;  // tasks whose reports are on record
    std::size_t owed_max = 10000;        // of them, payloads that no node has taken
    std::size_t unreported_max = 10000;  // reports that no node has taken
    std::uint32_t starts_max = 3;        // of one that may be run again
    monotonic::duration remember = std::chrono::hours(50);
    monotonic::duration wait_max = std::chrono::hours(1);
    monotonic::duration resend = std::chrono::seconds(30);
    monotonic::duration offer_again = std::chrono::minutes(10);    // a payload nobody asks for
    monotonic::duration kill_after = std::chrono::seconds(10);     // of asking it to end
    monotonic::duration give_up_after = std::chrono::seconds(10);  // of killing it
};

// What is to be done, in this order.

// To be written as one piece. A durable one is on disk before stored() is told about it; of the
// others nobody is told.
struct store_tasks {
    std::uint64_t ticket = 0;
    bool durable = false;
    std::vector<journaled_task> put;
    std::vector<task_name> erased;

    friend bool operator==(const store_tasks&, const store_tasks&) = default;
};
struct run_task {
    task_order order;
    chain_progress chain = {};  // of a chain: from here on
    friend bool operator==(const run_task&, const run_task&) = default;
};
// How far a chain has come is on disk: its next step may be begun. Otherwise (with the reason) it
// may not.
struct continue_chain {
    task_name task;
    std::string failure;
    friend bool operator==(const continue_chain&, const continue_chain&) = default;
};
enum class end_kind { term, kill };
struct end_task {
    task_name task;
    end_kind how = end_kind::term;
    friend bool operator==(const end_task&, const end_task&) = default;
};
struct send_held {
    struct held {
        task_name task;
        wall_time since;
        bool unknown = false;
        std::string where = {};  // what it waits for, or the step it is in
        friend bool operator==(const held&, const held&) = default;
    };
    bool all = false;
    std::vector<held> tasks;
    friend bool operator==(const send_held&, const send_held&) = default;
};
struct send_reports {
    std::vector<task_report> reports;
    friend bool operator==(const send_reports&, const send_reports&) = default;
};
struct drop_payload {
    task_name task;
    bool owed = false;  // no node has it: too many waited
    friend bool operator==(const drop_payload&, const drop_payload&) = default;
};
using task_effect = std::
    variant<store_tasks, run_task, continue_chain, end_task, send_held, send_reports, drop_payload>;
using task_effects = std::vector<task_effect>;

enum class task_signal { ask, term, kill, cancel };

// An agent's tasks, from the node's order to the report that is on record.
//
// A task is on disk before it is begun, and is begun once: sent again it is answered from what is
// kept. One that ran when the agent ended is reported as interrupted, unless it may be run again.
// A report is kept and sent on every channel until a node says that it is on record; then a mark
// without payload stays for `remember`, so that a late copy of the task is answered as well.
// A payload is kept until a node has it, and is offered again and again until it is asked for.
//
// A task that must begin within some time is not begun after it, whatever kept it: it is reported
// as not started, and another attempt of it may come.
//
// A chain's progress is on disk before each of its steps is begun; a start of the agent goes on
// with it (chain_progress.h).
//
// A report whose store failed is sent all the same: should the agent end before the disk is well,
// the task is reported again as interrupted, and the node keeps what came first.
//
// Pure; one strand. Call expire() no later than next_deadline().
class agent_tasks {
public:
    struct moment {
        instant now;
        wall_time wall;
    };
    struct arrival {
        task_order order;
        task_nature nature = task_nature::ordinary;
        std::vector<task_nature> steps = {};  // of a chain
    };
    // What somebody who looks at the agent sees.
    struct view {
        const journaled_task* task = nullptr;
        bool running = false;
        std::string where = {};  // what it waits for, or the step it is in
    };

    explicit agent_tasks(const agent_tasks_options& options) : options_(options) {}

    // First of all: what the journal has, and which boot of the machine this is.
    [[nodiscard]] task_effects start(
        std::vector<journaled_task> journaled_tasks, std::string boot, moment at);
    [[nodiscard]] task_effects arrived(std::vector<arrival> orders, moment at);
    [[nodiscard]] task_effects stored(std::uint64_t ticket, const result<void>& how, moment at);
    [[nodiscard]] task_effects ended(task_name task, task_ending task_ending, moment at);
    // A reboot's command has done its part: from here on only a new boot ends the task.
    void awaits_boot(task_name task);
    // A step of a chain ended, and this is how far it has come. Answered by continue_chain.
    [[nodiscard]] task_effects stepped(task_name task, chain_progress to, moment at);
    // A chain goes on after the agent's next start.
    void awaits_restart(task_name task);
    [[nodiscard]] task_effects signalled(task_name task, task_signal what, moment at);
    [[nodiscard]] task_effects reports_taken(const std::vector<task_name>& tasks, moment at);
    // A node asks for a part of it.
    void payload_wanted(task_name task, moment at);
    [[nodiscard]] task_effects payload_taken(task_name task, moment at);
    [[nodiscard]] task_effects attached(moment at);
    void channel_lost() { attached_ = false; }
    // The machine is too busy to begin anything (why), or (empty) is not any more.
    [[nodiscard]] task_effects strained(std::string why, moment at);
    [[nodiscard]] task_effects expire(moment at);
    std::optional<instant> next_deadline() const;

    bool knows(task_name task) const { return all_.contains(task); }
    bool is_running(task_name task) const { return running_.contains(task); }
    std::size_t running() const { return running_.size(); }
    // Those that an agent which is restarted now would interrupt.
    std::size_t interruptible() const;
    std::size_t waiting() const { return waiting_.size(); }
    std::size_t untaken() const { return untaken_.size(); }
    std::vector<view> unended() const;  // what waits and what runs

private:
    enum class phase : std::uint8_t {
        accepting,  // its first record is being stored; then it waits
        waiting,
        starting,  // its record is being stored; then it runs
        running,
        reporting,  // its report is being stored; then it is sent
        reported,
        taken,
    };
    struct entry {
        journaled_task kept;
        phase at = phase::accepting;
        bool on_disk = false;
        bool report_unstored = false;       // the disk failed; tried again
        instant began;                      // picked up by this run of the agent
        instant sent;                       // its report, the last time, or asked for its payload
        std::optional<instant> start_by{};  // it must not be begun from then on
        // While it runs:
        bool process = true;  // not so for a reboot that was begun before the agent's start
        wall_time started;
        bool resumed = false;                    // a chain that an earlier run of the agent began
        bool marking = false;                    // its progress is being stored
        bool parked = false;                     // it goes on after the agent's next start
        instant act_at;                          // its timeout, or when to become harsher
        task_outcome forced{};                   // why we end it
        std::optional<end_kind> asked_to_end{};  // how harsh we were
    };
    // What one input makes, gathered so that it is stored and sent as one.
    struct gathering {
        moment at;
        std::vector<journaled_task> durable;
        store_tasks lazy;
        send_held held;
        send_reports reports;
        task_effects others;
    };

    void resume(entry& entry, gathering& out);
    void resume_reboot(entry& entry, gathering& out);
    void resume_chain(entry& entry, gathering& out);
    void fail_resumed(entry& entry, const error& why, gathering& out);
    void fail_start(entry& entry, const error& why, bool was_on_disk, gathering& out);
    void accept(arrival arrival, gathering& out);
    void answer(const entry& entry, gathering& out);
    void begin(entry& entry, gathering& out);
    void run(entry& entry, gathering& out);
    void start_next(gathering& out);
    void report(entry& entry, task_ending task_ending, gathering& out);
    void report_unkept(entry& entry, task_ending task_ending, gathering& out);
    void conclude(entry& entry, task_ending task_ending, moment at);
    void send(entry& entry, gathering& out);
    void release(entry& entry);
    void finish_storing(entry& entry, const result<void>& how, gathering& out);
    void revision_publisher(entry& entry, gathering& out);
    void end_by_signal(entry& entry, task_signal what, gathering& out);
    void take(entry& entry, gathering& out);
    void forget(gathering& out);
    void forget_oldest(gathering& out);
    void resend(gathering& out);
    void offer_again(gathering& out);
    void remember(entry& entry, moment at);
    void forget_one(task_name task, gathering& out);
    void refuse_late(gathering& out);
    static bool is_late(const entry& entry, moment at);
    void end_late(entry& entry, std::uint32_t starts, gathering& out);
    bool may_start() const;
    send_held::held held_of(const entry& entry) const;
    task_effects effects_of(gathering gathering);

    agent_tasks_options options_;
    std::string boot_;
    std::string strain_;
    bool attached_ = false;
    std::map<task_name, entry> all_;
    std::deque<task_name> waiting_;
    std::set<task_name> running_;  // starting ones too
    std::size_t places_taken_ = 0;
    std::set<task_name> untaken_;
    std::deque<task_name> taken_;  // oldest first
    std::set<task_name> owed_;     // taken as well, but for their payloads
    std::map<std::uint64_t, std::vector<task_name>> storing_;
    std::uint64_t last_ticket_ = 0;
    std::optional<instant> retry_at_;  // nothing is begun before: the disk failed
    instant resend_at_;
    instant forget_at_;
    instant offer_at_;
};

}  // namespace muster::session
