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

// What a task manager tells whoever composes it.
class task_manager_listener {
public:
    task_manager_listener() = default;
    task_manager_listener(const task_manager_listener&) = delete;
    task_manager_listener& operator=(const task_manager_listener&) = delete;
    virtual ~task_manager_listener() = default;

    // The agent's program is a new one, and no task runs that a restart would interrupt.
    virtual void restart_needed() = 0;
    // A sentence for the agent's log.
    virtual void task_problem(const std::string& sentence) = 0;
};

// The agent's tasks: drives core/session/agent_tasks with journal, programs and channel. Not
// thread-safe; call from one event loop.
class task_manager final : private runner_listener, private runtime::deadline_owner {
public:
    struct dependencies {
        journal& kept;
        payload_store& payloads;
        machine_inventory& inventory;
        muster::clock& clock;
        boost::asio::any_io_executor loop;
    };

    task_manager(task_manager_options options, dependencies deps, task_manager_listener& listener);
    task_manager(const task_manager&) = delete;
    task_manager& operator=(const task_manager&) = delete;
    ~task_manager() override = default;

    // Goes on with what the journal has, and keeps time until it is cancelled.
    boost::asio::awaitable<void> run();
    // Shows what tasks write to who wants it, until it is cancelled.
    boost::asio::awaitable<void> show_output() { return taps_.run(); }
    // Ends what runs.
    boost::asio::awaitable<void> stop() { return runner_.stop(); }

    // Something runs, waits, or is not on record yet.
    bool has_work() const { return !machine_->unended().empty() || machine_->untaken() > 0; }

    void attached(std::shared_ptr<node_sender> node);
    void channel_lost();
    // What came of machine_inventory::refresh_packages(): the digest of their list.
    void packages_refreshed(session::task_name task, const result<std::string>& digest) {
        runner_.packages_refreshed(task, digest);
    }
    // Whether this frame is about tasks; then it is taken. Tasks are begun when read_done() says
    // that no more came with them, so that they are stored and answered as one.
    bool take(const agent_protocol::Frame& frame);
    void read_done();

private:
    using driver = runtime::effect_driver<session::agent_tasks, task_manager>;
    friend driver;

    void perform(const session::store_tasks& store_tasks);
    void perform(const session::run_task& run_task) { runner_.run(run_task); }
    void perform(const session::continue_chain& continue_chain) {
        runner_.continue_chain(continue_chain);
    }
    void perform(const session::end_task& end_task) { runner_.end(end_task.task, end_task.how); }
    void perform(const session::send_held& send_held);
    void perform(const session::send_reports& send_reports);
    void perform(const session::drop_payload& drop_payload);
    void settled();
    session::agent_tasks::moment now() const;

    void ended(session::task_name task, session::task_ending task_ending) override;
    void awaits_boot(session::task_name task) override;
    void stepped(session::task_name task, session::chain_progress chain_progress) override;
    void awaits_restart(session::task_name task) override;
    void program_started(session::task_name task, pid_t leader) override;
    void program_ended(session::task_name task) override;
    void wrote(session::task_name task, std::string_view bytes) override;
    void agent_replaced() override { updated_ = true; }
    void problem(const std::string& sentence) override { listener_.task_problem(sentence); }

    std::optional<instant> next_deadline() const override;
    void deadline_due() override;
    void take_arrivals();
    void take_signal(const agent_protocol::TaskSignal& task_signal);
    void send_part(const agent_protocol::PayloadWanted& payload_wanted);
    void take_want(const agent_protocol::OutputWanted& output_wanted);
    void send_gathered();
    void check_load();
    void end_leftovers();
    void write_list();

    task_manager_options options_;
    dependencies deps_;
    task_manager_listener& listener_;
    driver machine_;
    runtime::deadline_timer timer_;
    live_output_sender taps_;
    runner runner_;
    std::shared_ptr<node_sender> node_;  // while a channel stands
    std::vector<session::agent_tasks::arrival> arrivals_;
    instant load_check_due_{};  // while tasks wait
    bool reading_ = false;
    bool list_changed_ = true;
    std::string boot_;      // of the machine
    bool updated_ = false;  // to be restarted when nothing runs
    session::send_held held_;
    session::send_reports reports_;
};

}  // namespace muster::agent
