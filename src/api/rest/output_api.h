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

// Streams the output of a task as server-sent events (task_output_events.h) until it has ended.
// Waits for a task that has not started. For an ended task, sends the stored output. Reads from the
// task's node, and from the next node if the system moves. Live output may have gaps; stored output
// has none. Thread-safe.
class output_api {
public:
    static constexpr std::size_t streams_max = 200;  // of one gateway

    struct dependencies {
        const job_detail_reader& reader;
        const fleet::target_resolver& targets;
        const node_client& nodes;
        muster::clock& clock;
    };

    explicit output_api(dependencies deps) : deps_(deps) {}

    result<void> declare(registry& operations);

private:
    struct subscription {
        job_id job;
        system_number system;
        output_position position;
        std::shared_ptr<void> permit;  // released with the last copy
    };
    struct task_snapshot {
        task_state state = task_state::queued;
        std::optional<task_record> row;
        std::optional<std::uint32_t> attempt() const {
            return row ? std::optional(row->attempt) : std::nullopt;
        }
    };

    async<reply> follow(call call);
    result<std::shared_ptr<void>> acquire_permit();

    async<void> send(net::http::event_writer writer, subscription subscription) const;
    async<std::string> relay(
        net::http::event_writer writer,
        subscription subscription,
        task_output_events* events) const;
    async<void> send_end(
        net::http::event_writer writer,
        subscription subscription,
        task_output_events* events,
        task_snapshot task) const;
    async<task_snapshot> read(subscription subscription) const;
    async<std::string> read_payload(
        net::http::event_writer writer,
        subscription subscription,
        task_output_events* events,
        task_record task) const;

    dependencies deps_;
    std::atomic<std::size_t> streams_ = 0;
};

}  // namespace muster::api
