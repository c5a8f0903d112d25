#pragma once

#include "ports/async.h"
#include "sim/cluster.h"
#include "sim/engines/codec.h"
#include "sim/engines/packet.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace muster::sim {

struct engine_client_options {
    monotonic::duration attempt_time =
        std::chrono::milliseconds(300);                     // then it sends the request again
    monotonic::duration timeout = std::chrono::seconds(4);  // then it gives up
    std::size_t calls_max = 4096;                           // concurrent calls
    // An engine silent for this long may have crashed. Before the client sends a request that must
    // not run twice, it checks that the engine is still in the same life.
    monotonic::duration silence_max = std::chrono::milliseconds(50);
};

// What to do when a request was sent and its outcome is unknown.
enum class retry_mode : std::uint8_t {
    repeat,              // running it twice is harmless, and so is not knowing
    repeat_then_report,  // running it twice is harmless; at the timeout the caller gets
                         // errc::timed_out
    report,              // it must not run twice: the caller gets errc::timed_out
};

// The client of a simulated engine: repeats a request until it gets a reply or the timeout ends.
// - errc::unavailable: the engine did not execute it, or that does not matter.
// - errc::timed_out: the engine may have executed it. It does not execute it after later requests
// of this client.
// Belongs to a process and is destroyed at its crash; others hold it weakly.
class engine_client {
public:
    struct request {
        std::string body;
        retry_mode retry = retry_mode::report;
        monotonic::duration hold{};
    };

    engine_client(
        sim::cluster& cluster, process& host, std::string engine, engine_client_options options);

    void call(request request, completion<std::string> done);

private:
    struct pending {
        engine_client::request request;
        completion<std::string> done;
        instant deadline;
        std::uint64_t sent_to_life =
            0;  // the life of the engine that got the request; zero: none yet
    };
    using pending_map = std::map<std::uint64_t, pending>;

    void attempt(std::uint64_t call_number);
    bool may_send_body(const pending& pending, instant now) const;
    void give_up(pending_map::iterator iterator);
    void finish(pending_map::iterator iterator, result<std::string> outcome);
    void receive(std::string_view bytes);
    void handle_other_life(pending_map::iterator iterator, std::uint64_t engine_life);

    cluster& cluster_;
    process& host_;
    life& life_;
    address own_address_;
    address engine_address_;
    engine_client_options options_;
    std::uint64_t client_;
    std::uint64_t engine_life_ = 0;
    instant last_heard_{};
    std::uint64_t last_call_ = 0;
    pending_map pending_;
};

// Sends a request and decodes the reply.
template <class T, class Request>
async<T> send_request(
    std::weak_ptr<engine_client> weak,
    Request request,
    retry_mode retry,
    monotonic::duration hold = {}) {
    const auto reply = co_await await_callback<std::string>(
        [weak = std::move(weak), body = encode(request), retry, hold](
            completion<std::string> done) {
            const auto client = weak.lock();
            if (!client) return done(fail(errc::unavailable, "engine client is closed"));
            client->call({.body = body, .retry = retry, .hold = hold}, std::move(done));
        });
    if (!reply) co_return fail(reply.error());
    CO_TRY(result<T> decoded, decode<result<T>>(*reply));
    co_return decoded;
}

}  // namespace muster::sim
