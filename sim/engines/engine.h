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

// A server process around a machine: requests are taken in groups; what changes something is
// written to the journal and synced, then all of the group is applied and answered. So nothing that
// a crash may take back is ever seen by anyone, and an acknowledged change is never taken back.
//
// Asked to stop, it does what clients see of a cluster whose leader gives way to another: from then
// on it answers nobody; each request that it had not answered is done or not, because the next
// leader may have heard of it or not; and after an election it serves again, as another life.
class engine {
public:
    engine(cluster& stage, process& host, std::unique_ptr<machine> machine, engine_options options);

    // Recovers, then serves until the process dies.
    boost::asio::awaitable<void> serve();

    bool recovered() const { return recovered_; }

private:
    struct request {
        address from;
        std::uint64_t client = 0;
        std::uint64_t call = 0;
        instant until;  // no longer held back after this
        std::string body;
    };
    struct session {
        std::uint64_t done_below = 0;
        std::map<std::uint64_t, std::optional<std::string>> answers;  // nothing: being worked on
    };

    void receive(address from, std::string_view bytes);
    bool is_new(address from, const request_packet& packet);
    void accept(address from, request_packet packet);
    void reply(const request& to, std::string body);
    void send(address to, const reply_packet& packet);

    void enqueue(request request);
    void park(request request);
    void unpark_ready();
    void wake();
    void wake_at(std::optional<instant> when);
    async<void> work_to_do();

    async<void> recover();
    async<void> serve_group();
    async<void> checkpoint_if_due();
    void resign();
    void die(const error& why);

    cluster& stage_;
    process& host_;
    life& life_;
    address me_;
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
