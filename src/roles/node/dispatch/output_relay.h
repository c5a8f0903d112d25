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
    std::size_t watchers_max = 200;  // of a node
    std::size_t watchers_of_task_max = 20;
    std::size_t tasks_of_system_max = 4;
    std::size_t tail_bytes_max = std::size_t{128} * 1024;      // of one task, for all its watchers
    monotonic::duration lease = std::chrono::seconds(30);      // what an agent is asked for
    monotonic::duration renewal = std::chrono::seconds(10);    // when it is asked again
    monotonic::duration last_bytes = std::chrono::seconds(1);  // come so long after the report
};

// Shows running tasks' output to those who watch. An agent is asked only while somebody does; what
// it sends is kept once for all watchers of the task, the last bytes of it, so one who reads slowly
// or not at all misses some and holds up nobody. Nothing here touches how tasks run.
//
// Thread-safe: channels tell it, HTTP's event loops wait for it. Outlives its watchers.
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
        std::uint32_t attempt = 0;  // none: from the beginning of whichever there is
        std::uint64_t offset = 0;
    };

    // One who watches. The last one to go ends the want.
    class watcher {
    public:
        watcher(const watcher&) = delete;
        watcher& operator=(const watcher&) = delete;
        ~watcher() { of_.leave(*this); }

        // What is new. When an attempt has ended this is told once; another one may follow.
        async<jobs::output_piece> next();

    private:
        friend class output_relay;
        watcher(output_relay& of, task task, position from) : of_(of), what_(task), at_(from) {}

        output_relay& of_;
        task what_;
        position at_;
        bool told_end_ = false;
        runtime::async_event bell_;
    };

    // errc::unavailable: too many watch already.
    result<std::unique_ptr<watcher>> watch(task task, position from);

    // What an agent said about tasks; most of it is of no interest here.
    void heard(system_number from, const muster::agent_protocol::Frame& frame);

    // Asks anew before wants end. Until it is cancelled.
    boost::asio::awaitable<void> run();

    void export_to(runtime::metrics& metrics);

private:
    struct watched {
        std::uint32_t attempt = 0;
        session::output_tail tail;
        bool ended = false;
        std::optional<instant> reported;  // the last of its output may still be on its way
        instant asked;
        std::set<watcher*> watchers;
    };
    using frames = std::vector<std::pair<system_number, muster::agent_protocol::Frame>>;

    void leave(watcher& watcher);
    std::optional<jobs::output_piece> take(watcher& watcher);
    void take_output(watched& of, const muster::agent_protocol::Output& output);
    void take_held(
        system_number from, const muster::agent_protocol::TasksHeld& tasks_held, frames& out);
    void take_report(system_number from, const muster::agent_protocol::Report& report);
    void begin(watched& of, std::uint32_t attempt);
    void look(instant now, frames& out);
    watched* find(system_number system, std::int64_t job);
    muster::agent_protocol::Frame want(const task& task) const;
    void send(frames out) const;

    muster::clock& clock_;
    agent_sender& sender_;
    output_limits options_;
    std::mutex guard_;
    std::map<task, watched> watched_;
    std::atomic<std::size_t> watchers_ = 0;
    std::atomic<std::uint64_t> bytes_ = 0;
    std::atomic<std::uint64_t> skipped_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
};

}  // namespace muster::dispatch
