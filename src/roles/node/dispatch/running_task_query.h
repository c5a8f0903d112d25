#pragma once

#include "core/model/job.h"
#include "core/model/system.h"
#include "ports/clock.h"
#include "roles/node/dispatch/agent_sender.h"
#include "runtime/async_event.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::dispatch {

// A task that an agent has now.
struct listed_task {
    job_id job;
    std::uint32_t attempt = 0;
    std::string function;
    wall_time since;            // picked up
    bool is_waiting = false;    // for a free slot
    std::string progress = {};  // text for users: why it waits, or its step of a chain
};

// Requests the running tasks of agents. Thread-safe: agent connections feed it, HTTP event loops
// wait for it.
class running_task_query {
public:
    static constexpr std::size_t requests_max = 100;  // concurrent

    running_task_query(muster::clock& clock, agent_sender& sender)
        : clock_(clock), sender_(sender) {}
    running_task_query(const running_task_query&) = delete;
    running_task_query& operator=(const running_task_query&) = delete;

    // Oldest first. errc::unavailable: not attached here, or too many requests. errc::timed_out: no
    // response.
    async<std::vector<listed_task>> list(system_number system);

    void on_frame(system_number system, const muster::agent_protocol::Frame& frame);

private:
    struct request {
        system_number system;
        std::optional<muster::agent_protocol::Running> response;
        runtime::async_event responded;
    };
    using requests = std::list<request>;

    // Removes the request when its caller is gone.
    class pending_request {
    public:
        pending_request(running_task_query& query, requests::iterator iterator)
            : query_(query), request_(iterator) {}
        pending_request(const pending_request&) = delete;
        pending_request& operator=(const pending_request&) = delete;
        ~pending_request();

        async<void> wait() { return request_->responded.wait(); }
        std::optional<muster::agent_protocol::Running> response();

    private:
        running_task_query& query_;
        requests::iterator request_;
    };

    muster::clock& clock_;
    agent_sender& sender_;
    std::mutex mutex_;
    requests requests_;
};

}  // namespace muster::dispatch
