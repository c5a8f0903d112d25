#pragma once

#include "apps/agent/process/child_process.h"
#include "apps/agent/tasks/captured_output.h"
#include "apps/agent/tasks/chain.h"
#include "apps/agent/tasks/command.h"
#include "apps/agent/tasks/machine_inventory.h"
#include "apps/agent/tasks/package_change.h"
#include "apps/agent/tasks/payload_store.h"
#include "apps/agent/tasks/update.h"
#include "core/session/agent_tasks.h"
#include "ports/clock.h"
#include "runtime/task_group.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace muster::agent {

struct runner_options {
    command_limits limits;
    std::filesystem::path scripts;  // directory used for scripts only
    std::string reboot_command = "systemctl reboot";
    update_options update;
    package_change_options packages;
};

// Receives the notifications of a runner.
class runner_listener {
public:
    runner_listener() = default;
    runner_listener(const runner_listener&) = delete;
    runner_listener& operator=(const runner_listener&) = delete;
    virtual ~runner_listener() = default;

    // The last notification of a task.
    virtual void ended(session::task_name task, session::task_result result) = 0;
    // The task ends after the next boot of the machine.
    virtual void awaits_boot(session::task_name task) = 0;
    // A chain continues with continue_chain() once this progress is on disk.
    virtual void stepped(session::task_name task, session::chain_progress chain_progress) = 0;
    // The rest of a chain runs after the agent's next start.
    virtual void awaits_restart(session::task_name task) = 0;

    // The program of a task or of a step; `leader` leads its process group.
    virtual void program_started(session::task_name task, pid_t leader) = 0;
    virtual void program_ended(session::task_name task) = 0;
    // New output of the task's programs on stdout or stderr, and the headings of a chain's steps.
    virtual void output_written(session::task_name task, std::string_view bytes) = 0;

    // The agent's program file was replaced.
    virtual void agent_replaced() = 0;
    // A message for the agent's log.
    virtual void problem(const std::string& message) = 0;
};

// Runs the functions of tasks and reports their results. Programs run concurrently; other functions
// run at once. Not thread-safe; call from one event loop.
class runner {
public:
    struct dependencies {
        payload_store& payloads;
        machine_inventory& inventory;
        muster::clock& clock;
        boost::asio::any_io_executor loop;
    };

    runner(runner_options options, const dependencies& deps, runner_listener& listener);
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;
    ~runner();

    void run(const session::run_task& run_task);
    void continue_chain(const session::continue_chain& continue_chain);
    void end(session::task_name task, session::end_kind end_kind);
    // The result of machine_inventory::refresh_packages(): the digest of the package list.
    void packages_refreshed(session::task_name task, const result<std::string>& digest);
    // Terminates all programs, then kills those that remain; their tasks are interrupted.
    boost::asio::awaitable<void> stop();

private:
    struct program {
        command command;
        std::unique_ptr<child_process> child;
        captured_output captured;
        bool reboots = false;
        bool signalled = false;           // the runner asked it to end
        std::optional<instant> deadline;  // of a step; moved on for SIGKILL after SIGTERM
        bool timed_out = false;
    };
    // A chain between two steps or during one.
    struct chain {
        std::vector<chain_step> steps;
        session::chain_progress progress;
        instant step_began;
        bool ending = false;  // starts no further step
        bool waits_for_boot = false;
        bool waits_for_restart = false;  // continues after the agent's next start
    };

    void run_function(const session::task_request& task);
    void run_chain(const session::run_task& run_task);
    void run_step(session::task_name task);
    void end_step(session::task_name task, session::task_result result, std::string_view output);
    void finish_chain(session::task_name task);
    bool end_between_steps(session::task_name task);
    void wait_for_boot(session::task_name task);
    boost::asio::awaitable<void> time_out_boot(session::task_name task, instant deadline);
    // Ends the task, or the step of its chain, with the result of a function.
    void conclude(session::task_name task, session::task_result result, std::string_view payload);
    void enforce_deadline(program& program);
    void run_program(const session::task_request& task, result<command> command, bool reboots);
    result<command> build_reboot_command(const session::task_request& task) const;
    void report_facts(const session::task_request& task);
    void deploy_files(const session::task_request& task);
    boost::asio::awaitable<void> watch_program(session::task_name task);
    bool collect(session::task_name task, program& program);
    void finish(session::task_name task, int status);
    captured_output::document build_payload(
        session::task_name task, const captured_output& captured, int exit_code);
    session::task_result to_result(const program& program, int status);
    result<void> install(const command& command);
    session::task_result attach_payload(
        session::task_name task, session::task_result result, std::string_view payload);

    runner_options options_;
    payload_store& payloads_;
    machine_inventory& inventory_;
    muster::clock& clock_;
    runner_listener& listener_;
    std::map<session::task_name, std::unique_ptr<program>> programs_;
    std::map<session::task_name, chain> chains_;
    std::set<session::task_name> package_changes_;
    bool stopping_ = false;
    runtime::task_group tasks_;
};

}  // namespace muster::agent
