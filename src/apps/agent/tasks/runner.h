#pragma once

#include "apps/agent/process/child_process.h"
#include "apps/agent/tasks/captured_output.h"
#include "apps/agent/tasks/chain.h"
#include "apps/agent/tasks/command.h"
#include "apps/agent/tasks/package_change.h"
#include "apps/agent/tasks/payload_store.h"
#include "apps/agent/tasks/update.h"
#include "core/model/facts.h"
#include "core/session/agent_tasks.h"
#include "ports/clock.h"
#include "runtime/task_group.h"

#include <functional>
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

// Runs functions for tasks on one event loop, and says what they came to. Programs run beside each
// other; everything else is done at once.
class runner {
public:
    struct callbacks {
        std::function<void(session::task_name, session::task_ending)> ended;
        std::function<void(session::task_name)> awaits_boot;
        std::function<void()> updated;  // the program of this agent is a new one
        // A chain wants to go on with its next step, once this is on disk: continue_chain()
        // answers.
        std::function<void(session::task_name, session::chain_progress)> stepped;
        std::function<void(session::task_name)> awaits_restart;
        // A program was started, and it is gone.
        std::function<void(session::task_name, pid_t)> began;
        std::function<void(session::task_name)> gone;
        // What the task's program has written since, to either of its outputs.
        std::function<void(session::task_name, std::string_view)> wrote;
        std::function<facts()> survey;
        // The machine's packages are looked at again; the answer is the digest of their list.
        std::function<void(std::function<void(const result<std::string>&)>)> refresh_packages;
        std::function<void()> packages_changed;  // perhaps: a program that does so has ended
        std::function<void(const std::string&)> warn;
    };

    runner(
        runner_options options,
        payload_store& payloads,
        clock& time,
        boost::asio::any_io_executor loop,
        callbacks tell);
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;
    ~runner();

    void run(const session::run_task& run_task);
    void continue_chain(const session::continue_chain& continue_chain);
    void end(session::task_name task, session::end_kind end_kind);
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
    void refresh_packages(session::task_name task);
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
    clock& time_;
    callbacks tell_;
    std::map<session::task_name, std::unique_ptr<program>> programs_;
    std::map<session::task_name, chain> chains_;
    std::set<session::task_name> change_packages_;
    bool stopping_ = false;
    runtime::task_group tasks_;
};

}  // namespace muster::agent
