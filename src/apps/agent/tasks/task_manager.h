#pragma once

#include "adapters/agent_protocol/frame_codec.h"
#include "apps/agent/journal/journal.h"
#include "apps/agent/tasks/live_output_sender.h"
#include "apps/agent/tasks/load_check.h"
#include "apps/agent/tasks/payload_store.h"
#include "apps/agent/tasks/runner.h"
#include "core/session/agent_tasks.h"
#include "ports/clock.h"
#include "runtime/deadline_timer.h"
#include "runtime/effect_driver.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace muster::agent {

struct task_manager_options {
    session::agent_tasks_options tasks;
    runner_options run;
    load_limits load;
    std::filesystem::path boot_id = "/proc/sys/kernel/random/boot_id";
    std::filesystem::path list;  // what `muster-agent tasks` shows
};

// The way to the node while a channel stands.
struct node_sender {
    std::function<void(const agent_protocol::Frame&)> send;
    // After everything else; false when too much of this kind waits already.
    std::function<bool(const agent_protocol::Frame&)> send_bulk;
    // After that, too.
    std::function<bool(const agent_protocol::Frame&)> send_output;
};

// The agent's tasks: drives core/session/agent_tasks with journal, programs and channel. Not
// thread-safe; call from one event loop.
class task_manager {
public:
    struct dependencies {
        journal& kept;
        payload_store& payloads;
        clock& time;
        boost::asio::any_io_executor loop;
        std::function<void(const std::string&)> warn;
        std::function<facts()> survey;
        std::function<void()> restart;  // the agent, from its program
        std::function<void(std::function<void(const result<std::string>&)>)> refresh_packages;
        std::function<void()> packages_changed;
    };

    task_manager(task_manager_options options, dependencies deps);
    task_manager(const task_manager&) = delete;
    task_manager& operator=(const task_manager&) = delete;
    ~task_manager() = default;

    // Goes on with what the journal has, and keeps time until it is cancelled.
    boost::asio::awaitable<void> run();
    // Shows what tasks write to who wants it, until it is cancelled.
    boost::asio::awaitable<void> show_output() { return taps_.run(); }
    // Ends what runs.
    boost::asio::awaitable<void> stop() { return runner_.stop(); }

    // Something runs, waits, or is not on record yet.
    bool has_work() const { return !machine_->unended().empty() || machine_->untaken() > 0; }

    void attached(node_sender to);
    void channel_lost();
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

    std::optional<instant> next_look() const;
    void look();
    void take_arrivals();
    void take_signal(const agent_protocol::TaskSignal& task_signal);
    void send_part(const agent_protocol::PayloadWanted& payload_wanted);
    void take_want(const agent_protocol::OutputWanted& output_wanted);
    bool send_output(const live_output_sender::piece& piece);
    void send_gathered();
    void check_load();
    void note_process(session::task_name task, pid_t leader);
    void forget_process(session::task_name task);
    void end_leftovers();
    void write_list();
    runner::callbacks callbacks_of(const dependencies& deps);

    task_manager_options options_;
    dependencies deps_;
    driver machine_;
    runtime::deadline_timer timer_;
    live_output_sender taps_;
    runner runner_;
    node_sender to_;
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
