#pragma once

#include "roles/node/dispatch/dispatcher.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"

#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace muster::harness {
class temporary_directory;
}

// For tests: a node that has all systems, with a real ledger, and agents that are told and say what
// the test wants.
namespace muster::dispatch {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using muster::agent_protocol::Report;

struct room final : window_source, connection_sender {
    boost::asio::io_context loop;  // outlives the ledger, whose threads answer to it
    std::unique_ptr<harness::temporary_directory> where;
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<ledger> records;
    fleet::system_cache systems;
    cluster::topology_cache topology;
    cluster::lease_guard lease;
    jobs::job_store jobs;
    std::map<std::uint64_t, std::vector<Frame>> sent;  // by channel
    fleet::system_set outside;                         // of their windows
    double window_seconds = 1e9;                       // that are left of all of them
    jobs::duration_history::statistics recorded;       // how long work took
    std::size_t jobs_max = 10'000;                     // that a process takes
    jobs::duration_history::statistics believed;       // when the windows were last looked at

    // What dies with the process.
    struct process {
        task_inbox inbox;
        jobs::open_job_cache book;
        dispatcher node;
        runtime::task_group tasks;

        explicit process(room& in);
    };
    std::unique_ptr<process> up;

    explicit room(unsigned count);
    room(const room&) = delete;
    room& operator=(const room&) = delete;
    ~room() override;

    void start() { up = std::make_unique<process>(*this); }
    void stop();
    void until(const std::function<bool()>& holds);

    job_record make(job_spec spec, std::uint32_t first, std::uint32_t last);
    void change(job_id job, job_stage to);
    void cancel_by_force(job_id job);
    std::optional<task_record> task(job_id job, unsigned system);

    void say(unsigned system, Frame frame);
    void attach(unsigned system);
    void leave(unsigned system);
    void report(unsigned system, Report report);
    static Report report_of(job_id job, Report::Outcome outcome, std::uint32_t attempt = 1);
    std::size_t told(unsigned system, Frame::KindCase kind);

    void send(std::vector<outgoing> frames) override;
    windows::window_admission check(
        const fleet::system_set& among, const measured_duration& expected) override;
    async<measured_duration> measure(job_spec work) override;
};

}  // namespace muster::dispatch
