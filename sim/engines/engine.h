#pragma once

#include "sim/cluster.h"
#include "sim/engines/journal.h"
#include "sim/engines/machine.h"
#include "sim/engines/packet.h"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::sim {

struct engine_options {
    std::size_t queue_max = 10'000;   // requests that wait for their turn; beyond: unavailable
    std::size_t parked_max = 10'000;  // requests that wait for something to happen
    std::size_t group_max = 256;      // requests made durable by one sync
    std::size_t journal_bytes_max = std::size_t{1} << 18;  // then a checkpoint
};

// A server process around a machine. It takes requests in groups, writes and syncs changes to the
// journal, then applies the group and replies. So clients never see a change that a crash can undo,
// and an acknowledged change is never lost.
//
// When asked to stop, it behaves like a cluster whose leader changes: it stops replying, and each
// unanswered request is executed or not. After an election it serves again, in a new life.
class engine {
public:
    engine(
        sim::cluster& cluster,
        process& host,
        std::unique_ptr<machine> machine,
        engine_options options);

    // Recovers, then serves until the process dies.
    boost::asio::awaitable<void> serve();

    bool recovered() const { return recovered_; }

private:
    struct request {
        address from;
        std::uint64_t client = 0;
        std::uint64_t call = 0;
        instant hold_until;
        std::string body;
    };
    struct session {
        std::uint64_t done_below = 0;
        std::map<std::uint64_t, std::optional<std::string>> answers;  // nullopt: in progress
    };

    void receive(address from, std::string_view bytes);
    bool is_new(address from, const request_packet& packet);
    void accept(address from, request_packet packet);
    void reply(const request& request, std::string body);
    void send(address to, const reply_packet& packet);

    void enqueue(request request);
    void park(request request);
    void unpark_ready();
    void wake();
    void wake_at(std::optional<instant> when);
    async<void> wait_for_work();

    async<void> recover();
    async<void> serve_group();
    async<void> checkpoint_if_due();
    void resign();
    void crash(const error& reason);

    cluster& cluster_;
    process& host_;
    life& life_;
    address own_address_;
    std::unique_ptr<machine> machine_;
    engine_options options_;
    journal journal_;
    bool recovered_ = false;
    bool resigned_ = false;
    std::map<std::uint64_t, session> sessions_;
    std::deque<request> queue_;
    std::map<std::uint64_t, request> parked_;
    std::uint64_t last_parked_ = 0;
    std::optional<instant> next_wake_;
    completion<void> sleeping_;
};

}  // namespace muster::sim
