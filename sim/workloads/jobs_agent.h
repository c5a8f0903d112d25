#pragma once

#include "core/session/agent_tasks.h"
#include "runtime/async_event.h"
#include "sim/workloads/jobs_agent_channel.h"
#include "sim/workloads/jobs_agent_journal.h"
#include "sim/workloads/jobs_invariants.h"
#include "sim/workloads/jobs_kinds.h"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace muster::sim {

// One life of a simulated agent: the product task machine, a journal on a simulated disk, a channel
// over a simulated link, and programs that take time, fail, and end with the machine.
class jobs_agent {
public:
    struct options {
        system_number system;
        std::vector<std::string> servers;
        agent_journal::injected_bug injected_bug = agent_journal::injected_bug::none;
        std::size_t places = 3;
        const std::vector<job_kind>* kinds = nullptr;
        jobs_invariants* invariants = nullptr;
    };

    jobs_agent(sim::cluster& cluster, process& host, options options);
    jobs_agent(const jobs_agent&) = delete;
    jobs_agent& operator=(const jobs_agent&) = delete;
    ~jobs_agent();

    void start();
    void cut_link() { channel_.cut(); }
    // True if no task waits, runs or is still to be reported.
    bool idle() const;

private:
    using task_name = session::task_name;
    struct program {
        session::task_request request;
        std::uint64_t number = 0;  // of this start alone
    };

    boost::asio::awaitable<void> run_journal();
    boost::asio::awaitable<void> run_deadlines();
    void handle_frame(const muster::agent_protocol::Frame& frame);
    void handle_signal(const muster::agent_protocol::TaskSignal& task_signal);
    void send_part(const muster::agent_protocol::PayloadWanted& payload_wanted);

    void execute(session::task_effects task_effects);
    void execute_effect(const session::task_effect& task_effect);
    void start_program(const session::task_request& request);
    void end_program(task_name task, std::uint64_t number, session::task_outcome outcome);
    session::task_result build_result(
        const session::task_request& request, session::task_outcome outcome);
    run_key key_of(task_name task) const;
    session::agent_tasks::moment now() const;

    process& host_;
    options options_;
    session::agent_tasks machine_;
    agent_journal journal_;
    agent_channel channel_;
    prng& random_;
    bool started_ = false;  // the journal was read
    std::vector<session::store_tasks> unwritten_;
    runtime::async_event write_requested_;
    runtime::async_event deadline_changed_;
    std::deque<session::task_effect> pending_effects_;
    bool executing_ = false;
    std::map<task_name, program> programs_;
    std::uint64_t programs_started_ = 0;
};

}  // namespace muster::sim
