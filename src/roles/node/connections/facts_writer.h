#pragma once

#include "base/backoff.h"
#include "core/model/facts.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/facts_channels.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "services/fleet/facts_row.h"

#include <agent_protocol.pb.h>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace muster::node {

// Brings agents' facts on record: merges differences into what is stored, many systems in one batch
// of the ledger. Asks for everything when a difference is not one to what is stored, or when the
// stored facts are not those the agent thinks are.
//
// Bounded: while too much waits it says `later`. submit(), check() and full() from any thread.
class facts_writer {
public:
    using channel_id = facts_channels::channel_id;
    enum class submitted { taken, later, refused };

    struct options {
        std::size_t waiting_max = 5'000;
        std::size_t waiting_bytes_max = std::size_t{32} * 1024 * 1024;
        std::size_t systems_a_batch = 500;
        std::size_t batch_bytes_max = std::size_t{8} * 1024 * 1024;
        monotonic::duration gather_time = std::chrono::milliseconds(200);
        monotonic::duration timeout = std::chrono::seconds(10);  // for the ledger
    };
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
        agent_connection_counters& counted;
        facts_channels& channels;
    };

    facts_writer(dependencies deps, options options) : deps_(deps), options_(options) {}

    submitted submit(
        channel_id from, const fingerprint& print, const muster::agent_protocol::Facts& facts);
    // Whether the stored facts are those of this digest is looked at when there is time.
    void check(channel_id from, const fingerprint& print, std::string digest);
    bool full() const;

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

private:
    struct request {
        channel_id from;
        fingerprint print;
        bool only_check = false;
        bool whole = false;
        std::string base_digest;
        std::string digest;
        facts_difference what;
        std::size_t bytes = 0;
    };
    using stored = std::map<fingerprint, fleet::stored_facts>;

    submitted push(request next);
    std::vector<request> take_batch();
    void put_back(std::vector<request> batch);
    async<void> settle(const std::vector<request>* batch);
    async<stored> read(const std::vector<request>* batch);
    async<void> write(table::write rows);
    bool settle_one(const request& request, const stored& stored, table::write& out);

    dependencies deps_;
    options options_;
    mutable std::mutex guard_;
    std::deque<request> waiting_;
    std::size_t waiting_bytes_ = 0;
    runtime::async_event more_;
};

}  // namespace muster::node
