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
    std::filesystem::path scripts;  // where scripts are written, and nothing else is
    std::string reboot_command = "systemctl reboot";
    update_options update;
    package_change_options packages;
};

// What a runner tells whoever gives it tasks.
class runner_listener {
public:
    runner_listener() = default;
    runner_listener(const runner_listener&) = delete;
    runner_listener& operator=(const runner_listener&) = delete;
    virtual ~runner_listener() = default;

    // Nothing else is told of this task after that.
    virtual void ended(session::task_name task, session::task_ending task_ending) = 0;
    // The task ends when the machine was started anew.
    virtual void awaits_boot(session::task_name task) = 0;
    // A chain wants to go on with its next step, once this is on disk: continue_chain() answers.
    virtual void stepped(session::task_name task, session::chain_progress chain_progress) = 0;
    // The rest of a chain is for the agent's next start.
    virtual void awaits_restart(session::task_name task) = 0;

    // The program of a task, or of a step of it; `leader` of its process group.
    virtual void program_started(session::task_name task, pid_t leader) = 0;
    virtual void program_ended(session::task_name task) = 0;
    // What programs of the task have written since to either of their outputs, and the headings of
    // a chain's steps.
    virtual void wrote(session::task_name task, std::string_view bytes) = 0;

    // The program of this agent is a new one.
    virtual void agent_replaced() = 0;
    // A sentence for the agent's log.
    virtual void problem(const std::string& sentence) = 0;
};

// Runs functions for tasks on one event loop, and says what they came to. Programs run beside each
// other; everything else is done at once.
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
    // What came of machine_inventory::refresh_packages(): the digest of their list.
    void packages_refreshed(session::task_name task, const result<std::string>& digest);
    // Asks every program to end and kills what does not; what ends now was interrupted.
    boost::asio::awaitable<void> stop();

private:
    struct program {
        command what;
        std::unique_ptr<child_process> child;
        captured_output captured;
        bool reboots = false;
        bool pressed = false;           // we asked it to end
        std::optional<instant> act_at;  // a step's own time is over; then it is pressed harder
        bool timed_out = false;
    };
    // A chain between its steps, or with one under way.
    struct chain {
        std::vector<chain_step> steps;
        session::chain_progress progress;
        instant step_began;
        bool ending = false;    // no further step
        bool waits = false;     // for a new boot
        bool restarts = false;  // goes on after the agent's next start
    };

    void run_function(const session::task_order& task);
    void run_chain(const session::run_task& run_task);
    void run_step(session::task_name task);
    void end_step(
        session::task_name task, session::task_ending task_ending, std::string_view output);
    void finish_chain(session::task_name task);
    bool end_between_steps(session::task_name task);
    void wait_for_boot(session::task_name task);
    boost::asio::awaitable<void> give_up_boot(session::task_name task, instant when);
    // What a function came to, for the task or for the chain it is a step of.
    void conclude(
        session::task_name task, session::task_ending task_ending, std::string_view payload);
    void press_late(program& program);
    void run_program(const session::task_order& task, result<command> command, bool reboots);
    result<command> reboot_order(const session::task_order& task) const;
    void tell_facts(const session::task_order& task);
    void deploy_files(const session::task_order& task);
    boost::asio::awaitable<void> attend(session::task_name task);
    bool collect(session::task_name task, program& from);
    void finish(session::task_name task, int status);
    captured_output::document payload_of(
        session::task_name task, const captured_output& captured, int exit_code);
    session::task_ending ending_of(const program& ended, int status);
    result<void> install(const command& command);
    session::task_ending with_payload(
        session::task_name task, session::task_ending ending, std::string_view payload);

    runner_options options_;
    payload_store& payloads_;
    machine_inventory& inventory_;
    muster::clock& clock_;
    runner_listener& listener_;
    std::map<session::task_name, std::unique_ptr<program>> programs_;
    std::map<session::task_name, chain> chains_;
    std::set<session::task_name> change_packages_;
    bool stopping_ = false;
    runtime::task_group tasks_;
};

}  // namespace muster::agent
