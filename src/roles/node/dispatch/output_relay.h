#pragma once

#include "core/model/job.h"
#include "core/model/system.h"
#include "core/session/output_tail.h"
#include "ports/clock.h"
#include "roles/node/dispatch/agent_sender.h"
#include "runtime/async_event.h"
#include "runtime/metrics.h"
#include "services/jobs/output_piece.h"

#include <agent_protocol.pb.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace muster::dispatch {

struct output_limits {
    std::size_t watchers_max = 200;  // of one node
    std::size_t watchers_of_task_max = 20;
    std::size_t tasks_of_system_max = 4;
    std::size_t tail_bytes_max = std::size_t{128} * 1024;     // of one task, shared by its watchers
    monotonic::duration lease = std::chrono::seconds(30);     // of a request to an agent
    monotonic::duration renewal = std::chrono::seconds(10);   // interval of repeated requests
    monotonic::duration tail_wait = std::chrono::seconds(1);  // for output that follows the report
};

// Relays the output of running tasks to watchers. Agents send output only while it is watched. The
// last bytes are kept once for all watchers of a task, so a slow watcher misses output and blocks
// nobody. Does not affect how tasks run.
//
// Thread-safe: agent connections feed it, HTTP event loops wait for it. Must outlive its watchers.
class output_relay {
public:
    output_relay(muster::clock& clock, agent_sender& sender, output_limits output_limits = {})
        : clock_(clock), sender_(sender), options_(output_limits) {}
    output_relay(const output_relay&) = delete;
    output_relay& operator=(const output_relay&) = delete;

    struct task {
        system_number system;
        job_id job;
        friend auto operator<=>(const task&, const task&) = default;
    };
    struct position {
        std::uint32_t attempt = 0;  // 0: from the beginning of any attempt
        std::uint64_t offset = 0;
    };

    // A watcher of one task. The last watcher ends the request to the agent.
    class watcher {
    public:
        watcher(const watcher&) = delete;
        watcher& operator=(const watcher&) = delete;
        ~watcher() { relay_.remove(*this); }

        // The next piece. The end of an attempt comes once; another attempt may follow.
        async<jobs::output_piece> next();

    private:
        friend class output_relay;
        watcher(output_relay& relay, task task, position from)
            : relay_(relay), task_(task), position_(from) {}

        output_relay& relay_;
        task task_;
        position position_;
        bool end_sent_ = false;
        runtime::async_event wakeup_;
    };

    // errc::unavailable: too many watchers.
    result<std::unique_ptr<watcher>> watch(task task, position from);

    // Handles a frame of an agent; ignores frames that are not about output.
    void on_frame(system_number system, const muster::agent_protocol::Frame& frame);

    // Renews requests before they expire. Runs until cancelled.
    boost::asio::awaitable<void> run();

    void export_to(runtime::metrics& metrics);

private:
    struct watched_task {
        std::uint32_t attempt = 0;
        session::output_tail tail;
        bool ended = false;
        std::optional<instant> reported_at;  // the last output may still follow
        instant requested_at;
        std::set<watcher*> watchers;
    };
    using frames = std::vector<std::pair<system_number, muster::agent_protocol::Frame>>;

    void remove(watcher& watcher);
    std::optional<jobs::output_piece> next_piece(watcher& watcher);
    void on_output(watched_task& watched, const muster::agent_protocol::Output& output);
    void on_tasks_held(
        system_number system,
        const muster::agent_protocol::TasksHeld& tasks_held,
        frames& frames_to_send);
    void on_report(system_number system, const muster::agent_protocol::Report& report);
    void restart(watched_task& watched, std::uint32_t attempt);
    void renew_requests(instant now, frames& frames_to_send);
    watched_task* find(system_number system, std::int64_t job);
    muster::agent_protocol::Frame build_request(const task& task) const;
    void send(frames frames_to_send) const;

    muster::clock& clock_;
    agent_sender& sender_;
    output_limits options_;
    std::mutex mutex_;
    std::map<task, watched_task> watched_tasks_;
    std::atomic<std::size_t> watchers_ = 0;
    std::atomic<std::uint64_t> bytes_ = 0;
    std::atomic<std::uint64_t> skipped_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace muster::dispatch
