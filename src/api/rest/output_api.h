#pragma once

#include "adapters/net/http/events.h"
#include "api/operations/registry.h"
#include "api/peer/node_client.h"
#include "api/rest/job_detail_reader.h"
#include "api/rest/task_output_events.h"
#include "services/fleet/target_resolver.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace muster::api {

// What a task writes while it runs, as server-sent events (task_output_events.h) until it has
// ended. A task that has not started is waited for; of one that has ended, what is on record is
// told. The task's node is asked, and when the system moves, its next one. What is shown live may
// have gaps; the record has none.
class output_api {
public:
    static constexpr std::size_t watchers_max = 200;  // of a gateway

    struct dependencies {
        const job_detail_reader& reader;
        const fleet::target_resolver& targets;
        const node_client& nodes;
        muster::clock& clock;
    };

    explicit output_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& to);

private:
    struct watch {
        job_id job;
        system_number system;
        output_position from;
        std::shared_ptr<void> seat;  // counted while it is held
    };
    struct task_position {
        task_state state = task_state::queued;
        std::optional<task_record> row;
        std::optional<std::uint32_t> attempt() const {
            return row ? std::optional(row->attempt) : std::nullopt;
        }
    };

    async<reply> follow(call call);
    result<std::shared_ptr<void>> take_seat();

    async<void> send(net::http::event_writer to, watch watch) const;
    async<std::string> relay(
        net::http::event_writer to, watch watch, task_output_events* task_output_events) const;
    async<void> tell_end(
        net::http::event_writer to,
        watch watch,
        task_output_events* task_output_events,
        task_position ended) const;
    async<task_position> read(watch watch) const;
    async<std::string> recorded_output(
        net::http::event_writer to,
        watch watch,
        task_output_events* task_output_events,
        task_record ended) const;

    dependencies deps_;
    std::atomic<std::size_t> watchers_ = 0;
};

}  // namespace muster::api
