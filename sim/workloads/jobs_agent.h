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

// One life of a simulated agent: the product's own account of tasks, with a journal on a simulated
// disk, a channel over a simulated link, and programs that take a while, fail, and end with the
// machine.
class jobs_agent {
public:
    struct options {
        system_number system;
        std::vector<std::string> servers;
        agent_journal::habit habit = agent_journal::habit::careful;
        std::size_t places = 3;
        const std::vector<job_kind>* kinds = nullptr;
        jobs_invariants* rules = nullptr;
    };

    jobs_agent(cluster& stage, process& host, options options);
    jobs_agent(const jobs_agent&) = delete;
    jobs_agent& operator=(const jobs_agent&) = delete;
    ~jobs_agent();

    void start();
    void faulty_tcp_proxy() { channel_.cut(); }
    // Nothing waits, runs, or is still to be reported.
    bool idle() const;

private:
    using task_name = session::task_name;
    struct program {
        session::task_order order;
        std::uint64_t number = 0;  // of this start alone
    };

    boost::asio::awaitable<void> live();
    boost::asio::awaitable<void> keep_time();
    void take(const muster::agent_protocol::Frame& frame);
    void take_signal(const muster::agent_protocol::TaskSignal& task_signal);
    void send_part(const muster::agent_protocol::PayloadWanted& payload_wanted);

    void perform(session::task_effects task_effects);
    void perform_one(const session::task_effect& task_effect);
    void run(const session::task_order& order);
    void end(task_name task, std::uint64_t number, session::task_outcome how);
    session::task_ending ending_of(const session::task_order& order, session::task_outcome how);
    run_key key_of(task_name task) const;
    session::agent_tasks::moment now() const;

    process& host_;
    options options_;
    session::agent_tasks machine_;
    agent_journal journal_;
    agent_channel channel_;
    prng& random_;
    bool begun_ = false;  // the journal was read
    std::vector<session::store_tasks> unwritten_;
    runtime::async_event more_to_write_;
    runtime::async_event moved_;
    std::deque<session::task_effect> due_;
    bool performing_ = false;
    std::map<task_name, program> programs_;
    std::uint64_t begun_programs_ = 0;
};

}  // namespace muster::sim
