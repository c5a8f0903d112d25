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

struct caller_options {
    monotonic::duration attempt_time = std::chrono::milliseconds(300);  // then it asks again
    monotonic::duration timeout = std::chrono::seconds(4);              // then it gives up
    std::size_t calls_max = 4096;                                       // at the same time
    // An engine not heard of for this long may have died: before it is entrusted with something
    // that must not be done twice, it is asked whether it is still the same.
    monotonic::duration silence_max = std::chrono::milliseconds(50);
};

// What to do when a request was sent and it is not known whether it was done.
enum class in_doubt : std::uint8_t {
    ask_again,            // doing it twice does no harm, and not knowing neither
    ask_again_then_tell,  // doing it twice does no harm; in the end its caller is told of the doubt
    tell,                 // it must not be done twice
};

// The client's end of a simulated engine: asks again until it is answered or its timeout ends.
// - errc::unavailable: the engine did not do it, or it does not matter.
// - errc::timed_out: it may have done it. It will not do it later than anything this caller asks
//   afterwards.
// Lives in a process and dies with it; others hold it weakly.
class caller {
public:
    struct question {
        std::string body;
        in_doubt then = in_doubt::tell;
        monotonic::duration hold{};
    };

    caller(cluster& stage, process& host, std::string engine, caller_options options);

    void call(question question, completion<std::string> done);

private:
    struct pending {
        question what;
        completion<std::string> done;
        instant deadline;
        std::uint64_t asked_life = 0;  // the engine's life it was sent to; zero: none yet
    };
    using pending_map = std::map<std::uint64_t, pending>;

    void attempt(std::uint64_t call_number);
    bool knows_engine_for(const pending& pending, instant now) const;
    void give_up(pending_map::iterator iterator);
    void finish(pending_map::iterator iterator, result<std::string> outcome);
    void receive(std::string_view bytes);
    void meet_other_life(pending_map::iterator iterator, std::uint64_t engine_life);

    cluster& stage_;
    process& host_;
    life& life_;
    address me_;
    address engine_;
    caller_options options_;
    std::uint64_t client_;
    std::uint64_t engine_life_ = 0;
    instant last_heard_{};
    std::uint64_t last_call_ = 0;
    pending_map pending_;
};

// Asks and understands the answer.
template <class T, class Request>
async<T> ask(
    std::weak_ptr<caller> weak, Request request, in_doubt then, monotonic::duration hold = {}) {
    const auto answer = co_await completed<std::string>(
        [weak = std::move(weak), body = encode(request), then, hold](completion<std::string> done) {
            const auto through = weak.lock();
            if (!through) return done(fail(errc::unavailable, "this client is closed"));
            through->call({.body = body, .then = then, .hold = hold}, std::move(done));
        });
    if (!answer) co_return fail(answer.error());
    CO_TRY(result<T> understood, decode<result<T>>(*answer));
    co_return understood;
}

}  // namespace muster::sim
