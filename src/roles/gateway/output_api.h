#pragma once

#include "adapters/net/http/events.h"
#include "adapters/net/http/request.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/router.h"
#include "roles/gateway/job_reader.h"
#include "roles/gateway/job_targets.h"
#include "roles/gateway/node_line.h"
#include "roles/gateway/office.h"
#include "roles/gateway/output_events.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace muster::gateway {

// GET /api/v1/jobs/{id}/tasks/{system}/output: what a task writes while it runs, as server-sent
// events (output_events.h) until it has ended. A task that has not started is waited for; of one
// that has ended, what is on record is told. The task's node is asked, and when the system moves,
// its next one. What is shown live may have gaps; the record has none.
class output_api {
public:
    static constexpr std::size_t watchers_max = 200;  // of a gateway

    struct surroundings {
        const front_desk& desk;
        const job_reader& reads;
        const job_targets& targets;
        const node_line& nodes;
        clock& time;
    };

    explicit output_api(surroundings around) : around_(around) {}

    result<void> add_routes(net::http::router& routes);

private:
    using answer = async<net::http::response>;
    struct watch {
        job_id job;
        system_number system;
        output_position from;
        std::shared_ptr<void> seat;  // counted while it is held
    };
    struct standing {
        task_state state = task_state::queued;
        std::optional<task_record> row;
        std::optional<std::uint32_t> attempt() const {
            return row ? std::optional(row->attempt) : std::nullopt;
        }
    };

    answer follow(net::http::request asked);
    static answer settled(answer work);
    result<std::shared_ptr<void>> take_seat();

    async<void> send(net::http::event_writer to, watch what) const;
    async<std::string> relay(net::http::event_writer to, watch what, output_events* told) const;
    async<void> tell_end(
        net::http::event_writer to, watch what, output_events* told, standing ended) const;
    async<standing> read(watch what) const;
    async<std::string> recorded_output(
        net::http::event_writer to, watch what, output_events* told, task_record ended) const;

    surroundings around_;
    std::atomic<std::size_t> watchers_ = 0;
};

}  // namespace muster::gateway
