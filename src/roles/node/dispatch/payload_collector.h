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

// Brings payloads on record, each digest once however many systems have it. A payload is asked for
// piece by piece and only when there is room for all of it, so memory stays bounded whatever agents
// hold and however long the ledger is away: what is not fetched stays with its agent.
//
// A payload that nobody can give, or that is not what it was said to be, is lost: the tasks that
// had it say so from then on, and only then their agents may drop it.
//
// Lives on one strand, but for the counters.
class payload_collector {
public:
    struct options {
        std::size_t fetched_at_once = 16;
        std::size_t bytes_max = std::size_t{64} * 1024 * 1024;  // under way in all
        std::uint32_t piece_bytes = 256 * 1024;
        std::size_t payload_bytes_max =
            muster::agent_protocol::task_limits::payload_packed_bytes_max;  // compressed
        std::size_t stored_at_once_bytes = std::size_t{8} * 1024 * 1024;    // with one commit
        std::size_t waiting_max = 50'000;  // tasks whose payloads are offered, in all
        std::size_t looked_up_at_once = 500;
        std::size_t remembered_max = 50'000;  // digests that are on record
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

    // A task is on record whose payload the agent has. Too many wait: the agent is asked when it
    // tells of the task again.
    void offered(const task_record& task);
    void take(system_number from, const muster::agent_protocol::PayloadPart& part);

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    std::uint64_t stored() const { return stored_; }
    std::uint64_t shared() const { return shared_; }
    std::uint64_t put_off() const { return put_off_; }
    std::uint64_t lost() const { return lost_count_; }
    // Tasks whose payloads are not on record yet, as far as they are kept in mind here.
    std::size_t waiting() const { return waiting_.size(); }

private:
    struct by_name {
        bool operator()(const rollout::attempt_key& a, const rollout::attempt_key& b) const {
            return std::tie(a.job, a.system, a.attempt) < std::tie(b.job, b.system, b.attempt);
        }
    };
    struct holder {
        rollout::attempt_key task;
        std::int64_t size = 0;
    };
    // By where payloads are kept, and what they are.
    using payload_key = std::pair<wall_time, std::string>;
    // One who could not give it.
    struct loser {
        holder who;
        std::string_view why;
    };
    struct fetch {
        std::deque<holder> holders;  // the last one is asked
        std::vector<loser> losers;
        std::string content;
        instant until;  // the next piece has to be here
        bool complete = false;
    };
    using fetch_map = std::map<payload_key, fetch>;
    struct lost_payload {
        payload_key which;
        loser of;
    };

    boost::asio::awaitable<bool> look_up();
    bool has_room() const;
    void begin_some();
    void ask(fetch& of);
    void drop_holder(fetch_map::iterator iterator, std::string_view why);
    void end_asking(fetch_map::iterator iterator);
    void give_up_silent_ones();
    std::vector<payload_key> take_complete(table::batch& into) const;
    async<void> store_complete();
    async<void> mark_lost();
    void settle(const payload_key& payload_key, const holder& holder);
    void remember(const payload_key& payload_key);
    void tell_taken(const holder& holder);

    dependencies deps_;
    options options_;
    std::deque<std::pair<payload_key, holder>> offered_;
    fetch_map fetches_;
    std::deque<payload_key> unasked_;   // of the fetches, those that wait for room
    std::deque<payload_key> complete_;  // and those that are all here
    std::deque<lost_payload> lost_;
    std::set<rollout::attempt_key, by_name> waiting_;  // whose payloads are not on record yet
    std::map<rollout::attempt_key, payload_key, by_name> asked_;  // fetches that are under way
    std::set<payload_key> known_;
    std::deque<payload_key> known_order_;
    runtime::async_event more_;
    std::atomic<std::uint64_t> stored_ = 0;
    std::atomic<std::uint64_t> shared_ = 0;
    std::atomic<std::uint64_t> put_off_ = 0;
    std::atomic<std::uint64_t> lost_count_ = 0;
};

}  // namespace muster::dispatch
