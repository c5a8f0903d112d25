#pragma once

#include "adapters/bus/nats/frame.h"
#include "adapters/bus/nats/jetstream.h"
#include "core/stream/subject_serializer.h"
#include "ports/bus.h"
#include "runtime/async_event.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace muster::nats {

// What a reader of a durable consumer knows: deliveries that arrived, in front of them the gate
// that keeps the order of subjects, and how the reader stands with the server.
//
// JetStream numbers the deliveries of a consumer. A gap means that some were lost on their way or
// went to somebody else; they come again when they are overdue, so the gate is held until then.
//
// Thread-safe: handlers of the link put in, coroutines take out. Rings `bell` when a look may help.
class reader {
public:
    enum class reader_state { reading, taken_over, forgotten, closed };

    reader(jetstream& of, consumer_options options, std::string token);

    const std::string& token() const { return token_; }
    const consumer_options& what() const { return options_; }

    void listens_with(link::listener_id deliveries) { deliveries_ = deliveries; }

    // The server's view when this reader began.
    void begin(const consumer_state& at, instant now);

    void arrived(incoming incoming, instant now);  // on the pull inbox
    void announced(const std::string& token);      // a reader opened the same consumer
    void reconnected();                            // what was asked for will not come

    result<void> standing_now() const;
    std::vector<stream::delivery> take(std::size_t messages_max);
    void forgotten();

    // What the coroutine that reads should do next.
    struct advice {
        std::size_t ask_for = 0;  // ask the server for so many
        bool look = false;        // compare with the server (compare())
        instant look_again_at;    // when time alone changes something
    };
    advice advise(std::size_t messages_max, instant now);
    void asked(std::size_t messages, instant expires_at);
    void compare(const consumer_state& consumer_state, instant now);

    // Acknowledging: the reply subjects to send to, then the outcome. What is in doubt stays until
    // the server confirms it.
    struct acknowledgement {
        std::vector<std::uint64_t> sequences;
        std::vector<std::string> replies;
    };
    acknowledgement acknowledge(const std::vector<std::uint64_t>& sequences);
    acknowledgement take_doubts();
    void confirmed(const acknowledgement& acknowledgement);
    void doubted(const acknowledgement& acknowledgement);

    // Gives back all it has. No handler does anything afterwards.
    void close(instant now);

    runtime::async_event bell;

private:
    void ended(const incoming& status, instant now);
    void note_number(std::uint64_t consumer_sequence, instant now);
    void hold(instant now);
    std::string reply_of(std::uint64_t sequence) const;

    jetstream& of_;
    const consumer_options options_;
    const std::string token_;

    link::listener_id deliveries_ = 0;

    mutable std::mutex mutex_;
    reader_state standing_ = reader_state::reading;
    stream::subject_serializer gate_;
    std::map<std::uint64_t, std::string> replies_;  // of all that arrived and is not confirmed
    std::vector<std::uint64_t> doubts_;
    std::uint64_t delivery_next_ = 0;
    std::size_t asked_for_ = 0;
    instant asked_until_;
    instant held_until_;
    instant look_at_;
    bool suspicious_ = false;  // nobody answered the last pull
};

}  // namespace muster::nats
