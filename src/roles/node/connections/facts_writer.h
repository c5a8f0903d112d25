#pragma once

#include "base/backoff.h"
#include "core/model/facts.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "roles/node/connections/agent_connection_counters.h"
#include "roles/node/connections/facts_connections.h"
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

// Writes the facts of agents to the ledger in batches. Merges differences into the stored facts.
// Requests all facts if the stored facts are not the base of a difference.
//
// Bounded: submit() returns `later` while the queue is full. submit(), check() and is_full() are
// thread-safe.
class facts_writer {
public:
    using connection_id = facts_connections::connection_id;
    enum class submit_result { accepted, later, refused };

    struct options {
        std::size_t pending_max = 5'000;
        std::size_t pending_bytes_max = std::size_t{32} * 1024 * 1024;
        std::size_t batch_systems_max = 500;
        std::size_t batch_bytes_max = std::size_t{8} * 1024 * 1024;
        monotonic::duration gather_time = std::chrono::milliseconds(200);
        monotonic::duration timeout = std::chrono::seconds(10);  // for the ledger
    };
    struct dependencies {
        muster::ledger& ledger;
        muster::clock& clock;
        runtime::logger& log;
        agent_connection_counters& counters;
        facts_connections& channels;
    };

    facts_writer(dependencies deps, options options) : deps_(deps), options_(options) {}

    submit_result submit(
        connection_id connection,
        const fingerprint& print,
        const muster::agent_protocol::Facts& facts);
    // Queues a check whether the stored facts have this digest.
    void check(connection_id connection, const fingerprint& print, std::string digest);
    bool is_full() const;

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

private:
    struct request {
        connection_id connection;
        fingerprint print;
        bool only_check = false;
        bool whole = false;
        std::string base_digest;
        std::string digest;
        facts_difference difference;
        std::size_t bytes = 0;
    };
    using stored = std::map<fingerprint, fleet::stored_facts>;

    submit_result push(request added);
    std::vector<request> pop_batch();
    void requeue(std::vector<request> batch);
    async<void> store_batch(const std::vector<request>* batch);
    async<stored> read(const std::vector<request>* batch);
    async<void> write(table::write rows);
    bool apply_request(const request& request, const stored& stored, table::write& rows);

    dependencies deps_;
    options options_;
    mutable std::mutex mutex_;
    std::deque<request> pending_;
    std::size_t pending_bytes_ = 0;
    runtime::async_event wakeup_;
};

}  // namespace muster::node
