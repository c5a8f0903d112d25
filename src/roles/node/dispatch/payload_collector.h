#pragma once

#include "adapters/agent_protocol/task_frames.h"
#include "core/model/job.h"
#include "core/rollout/effect.h"
#include "roles/node/dispatch/agent_outbox.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "services/jobs/job_store.h"

#include <agent_protocol.pb.h>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace muster::dispatch {

// Fetches payloads from agents and stores each digest once. A payload is requested in parts, and
// only if all of it fits into the budget. So memory stays bounded while the ledger is down: other
// payloads stay with their agents.
//
// A payload that no agent can deliver, or whose digest is wrong, is lost. Its tasks are marked, and
// only then may the agents delete it.
//
// Not thread-safe, except the counters; call from one strand.
class payload_collector {
public:
    struct options {
        std::size_t fetches_max = 16;
        std::size_t bytes_max = std::size_t{64} * 1024 * 1024;  // of all fetches together
        std::uint32_t piece_bytes = 256 * 1024;
        std::size_t payload_bytes_max =
            muster::agent_protocol::task_limits::payload_compressed_bytes_max;  // compressed
        std::size_t batch_bytes_max = std::size_t{8} * 1024 * 1024;             // in one commit
        std::size_t waiting_max = 50'000;  // tasks with payloads that are not stored
        std::size_t lookups_max = 500;
        std::size_t remembered_max = 50'000;  // stored digests
        monotonic::duration piece_time = std::chrono::seconds(30);
        monotonic::duration retry_pause = std::chrono::seconds(1);
    };
    struct dependencies {
        jobs::job_store& jobs;
        muster::clock& clock;
        runtime::logger& log;
        agent_outbox& outbox;
    };

    payload_collector(dependencies deps, options options) : deps_(deps), options_(options) {}

    // A stored task whose payload the agent still has. If too many wait, the payload is fetched
    // when the agent reports the task again.
    void offer(const task_record& task);
    void add_part(system_number system, const muster::agent_protocol::PayloadPart& part);

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    std::uint64_t stored() const { return stored_; }
    std::uint64_t shared() const { return shared_; }
    std::uint64_t deferred() const { return deferred_; }
    std::uint64_t lost() const { return lost_count_; }
    // Known tasks whose payloads are not stored yet.
    std::size_t waiting() const { return waiting_.size(); }

private:
    struct attempt_order {
        bool operator()(const rollout::attempt_key& a, const rollout::attempt_key& b) const {
            return std::tie(a.job, a.system, a.attempt) < std::tie(b.job, b.system, b.attempt);
        }
    };
    struct payload_holder {
        rollout::attempt_key task;
        std::int64_t size = 0;
    };
    // Partition of the payload table, and digest.
    using payload_key = std::pair<wall_time, std::string>;
    // A holder that could not deliver the payload.
    struct failed_holder {
        payload_holder holder;
        std::string_view reason;
    };
    struct fetch {
        std::deque<payload_holder> holders;  // requests go to the last one
        std::vector<failed_holder> failed;
        std::string content;
        instant deadline;  // for the next part
        bool complete = false;
    };
    using fetch_map = std::map<payload_key, fetch>;
    struct lost_payload {
        payload_key key;
        failed_holder failed;
    };

    boost::asio::awaitable<bool> check_offers();
    bool has_capacity() const;
    void start_fetches();
    void request_part(fetch& target);
    void drop_holder(fetch_map::iterator it, std::string_view reason);
    void end_request(fetch_map::iterator it);
    void drop_silent_holders();
    std::vector<payload_key> add_complete(table::batch& batch) const;
    async<void> store_complete();
    async<void> mark_lost();
    void mark_stored(const payload_key& key, const payload_holder& holder);
    void remember(const payload_key& key);
    void acknowledge(const payload_holder& holder);

    dependencies deps_;
    options options_;
    std::deque<std::pair<payload_key, payload_holder>> offers_;
    fetch_map fetches_;
    std::deque<payload_key> pending_fetches_;   // fetches that wait for capacity
    std::deque<payload_key> complete_fetches_;  // fetches with all parts
    std::deque<lost_payload> lost_;
    std::set<rollout::attempt_key, attempt_order>
        waiting_;  // tasks whose payloads are not stored yet
    std::map<rollout::attempt_key, payload_key, attempt_order>
        active_requests_;  // fetches in progress
    std::set<payload_key> stored_keys_;
    std::deque<payload_key> stored_order_;
    runtime::async_event wakeup_;
    std::atomic<std::uint64_t> stored_ = 0;
    std::atomic<std::uint64_t> shared_ = 0;
    std::atomic<std::uint64_t> deferred_ = 0;
    std::atomic<std::uint64_t> lost_count_ = 0;
};

}  // namespace muster::dispatch
