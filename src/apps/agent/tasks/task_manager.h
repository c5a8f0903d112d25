#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "apps/agent/journal/journal.h"
#include "apps/agent/tasks/live_output_sender.h"
#include "apps/agent/tasks/load_check.h"
#include "apps/agent/tasks/machine_inventory.h"
#include "apps/agent/tasks/node_sender.h"
#include "apps/agent/tasks/payload_store.h"
#include "apps/agent/tasks/runner.h"
#include "core/session/agent_tasks.h"
#include "ports/clock.h"
#include "runtime/deadline_timer.h"
#include "runtime/effect_driver.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

struct task_manager_options {
    session::agent_tasks_options tasks;
    runner_options run;
    load_limits load;
    std::filesystem::path boot_id = "/proc/sys/kernel/random/boot_id";
    std::filesystem::path list;  // what `muster-agent tasks` shows
};

// Receives the notifications of a task manager.
class task_manager_listener {
public:
    task_manager_listener() = default;
    task_manager_listener(const task_manager_listener&) = delete;
    task_manager_listener& operator=(const task_manager_listener&) = delete;
    virtual ~task_manager_listener() = default;

    // The agent's program was replaced, and no running task would be interrupted by a restart.
    virtual void restart_needed() = 0;
    // A message for the agent's log.
    virtual void task_problem(const std::string& message) = 0;
};

// Runs the agent's tasks: connects the state machine core/session/agent_tasks with the journal,
// the programs and the node. Not thread-safe; call from one event loop.
class task_manager final : private runner_listener, private runtime::deadline_owner {
public:
    struct dependencies {
        agent::journal& journal;
        payload_store& payloads;
        machine_inventory& inventory;
        muster::clock& clock;
        boost::asio::any_io_executor loop;
    };

    task_manager(task_manager_options options, dependencies deps, task_manager_listener& listener);
    task_manager(const task_manager&) = delete;
    task_manager& operator=(const task_manager&) = delete;
    ~task_manager() override = default;

    // Resumes the tasks of the journal and handles deadlines until it is cancelled.
    boost::asio::awaitable<void> run();
    // Sends live output to watchers until it is cancelled.
    boost::asio::awaitable<void> send_live_output() { return live_output_.run(); }
    // Terminates running programs.
    boost::asio::awaitable<void> stop() { return runner_.stop(); }

    // True while tasks run or wait, or reports are not accepted yet.
    bool has_work() const {
        return !machine_->unfinished().empty() || machine_->unacknowledged() > 0;
    }

    void attached(std::shared_ptr<node_sender> node);
    void channel_lost();
    // The result of machine_inventory::refresh_packages(): the digest of the package list.
    void packages_refreshed(session::task_name task, const result<std::string>& digest) {
        runner_.packages_refreshed(task, digest);
    }
    // Returns true if the frame is about tasks. Received tasks start at read_done(), so that tasks
    // of one batch are stored and acknowledged together.
    bool handle(const agent_protocol::Frame& frame);
    void read_done();

private:
    using driver = runtime::effect_driver<session::agent_tasks, task_manager>;
    friend driver;

    void perform(const session::store_tasks& store_tasks);
    void perform(const session::run_task& run_task) { runner_.run(run_task); }
    void perform(const session::continue_chain& continue_chain) {
        runner_.continue_chain(continue_chain);
    }
    void perform(const session::end_task& effect) { runner_.end(effect.task, effect.kind); }
    void perform(const session::send_held_tasks& send_held);
    void perform(const session::send_reports& send_reports);
    void perform(const session::discard_payload& drop_payload);
    void settled();
    session::agent_tasks::moment now() const;

    void ended(session::task_name task, session::task_result result) override;
    void awaits_boot(session::task_name task) override;
    void stepped(session::task_name task, session::chain_progress chain_progress) override;
    void awaits_restart(session::task_name task) override;
    void program_started(session::task_name task, pid_t leader) override;
    void program_ended(session::task_name task) override;
    void output_written(session::task_name task, std::string_view bytes) override;
    void agent_replaced() override { restart_pending_ = true; }
    void problem(const std::string& message) override { listener_.task_problem(message); }

    std::optional<instant> next_deadline() const override;
    void deadline_due() override;
    void start_arrivals();
    void handle_signal(const agent_protocol::TaskSignal& task_signal);
    void send_part(const agent_protocol::PayloadWanted& payload_wanted);
    void handle_output_request(const agent_protocol::OutputWanted& output_wanted);
    void send_batch();
    void check_load();
    void kill_orphans();
    void write_list();

    task_manager_options options_;
    dependencies deps_;
    task_manager_listener& listener_;
    driver machine_;
    runtime::deadline_timer timer_;
    live_output_sender live_output_;
    runner runner_;
    std::shared_ptr<node_sender> node_;  // null while disconnected
    std::vector<session::agent_tasks::received_task> arrivals_;
    instant load_check_due_{};  // used while tasks wait
    bool reading_ = false;
    bool list_changed_ = true;
    std::string boot_id_;
    bool restart_pending_ = false;  // restarts when nothing runs
    session::send_held_tasks held_;
    session::send_reports reports_;
};

}  // namespace muster::agent
