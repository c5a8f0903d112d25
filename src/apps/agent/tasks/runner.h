#pragma once

#include "apps/agent/tasks/captured_output.h"
#include "apps/agent/tasks/child_process.h"
#include "apps/agent/tasks/command.h"
#include "apps/agent/tasks/payload_store.h"
#include "apps/agent/tasks/update.h"
#include "core/model/facts.h"
#include "core/session/agent_tasks.h"
#include "ports/clock.h"
#include "runtime/task_group.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace muster::agent {

struct runner_options {
    command_limits limits;
    std::filesystem::path scripts;  // where scripts are written, and nothing else is
    std::string reboot_command = "systemctl reboot";
    update_options update;
};

// Runs functions for tasks on one event loop, and says what they came to. Programs run beside each
// other; everything else is done at once.
class runner {
public:
    struct callbacks {
        std::function<void(session::task_name, session::task_ending)> ended;
        std::function<void(session::task_name)> awaits_boot;
        std::function<void()> updated;  // the program of this agent is a new one
        // What the task's program has written since, to either of its outputs.
        std::function<void(session::task_name, std::string_view)> wrote;
        std::function<facts()> survey;
    };

    runner(
        runner_options how,
        payload_store& payloads,
        clock& time,
        boost::asio::any_io_executor loop,
        callbacks tell);
    runner(const runner&) = delete;
    runner& operator=(const runner&) = delete;
    ~runner();

    void run(const session::task_order& task);
    void end(session::task_name task, session::end_kind how);
    // Asks every program to end and kills what does not; what ends now was interrupted.
    boost::asio::awaitable<void> stop();

private:
    struct program {
        command what;
        std::unique_ptr<child_process> child;
        captured_output captured;
        bool reboots = false;
        bool pressed = false;  // we asked it to end
    };

    void run_program(const session::task_order& task, result<command> what, bool reboots);
    result<command> reboot_order(const session::task_order& task) const;
    session::task_ending facts_ending(const session::task_order& task);
    boost::asio::awaitable<void> attend(session::task_name task);
    bool collect(session::task_name task, program& from);
    void finish(session::task_name task, int status);
    session::task_ending ending_of(const program& ended, int status);
    result<void> install(const command& what);
    session::task_ending with_payload(
        session::task_name task, session::task_ending ending, std::string_view payload);

    runner_options how_;
    payload_store& payloads_;
    clock& time_;
    callbacks tell_;
    std::map<session::task_name, std::unique_ptr<program>> programs_;
    bool stopping_ = false;
    runtime::task_group tasks_;
};

}  // namespace muster::agent
