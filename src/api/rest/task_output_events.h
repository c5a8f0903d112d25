#pragma once

#include "adapters/net/http/events.h"
#include "core/model/job.h"
#include "services/jobs/output_piece.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::api {

// Position of a client in a task's output. As text, "OFFSET" or "ATTEMPT-OFFSET", it is the event
// id, the client's Last-Event-ID and `?from=`.
struct output_position {
    std::uint32_t attempt = 0;  // 0: any
    std::uint64_t offset = 0;

    friend bool operator==(const output_position&, const output_position&) = default;
};
std::string to_string(const output_position& position);
std::optional<output_position> parse_output_position(std::string_view text);

// Turns the output of a task into events: output once and in order, skipped bytes as a gap, and
// never a part of a UTF-8 character. Pure; not thread-safe. Each event is one JSON object:
//
// - `state`  the task's state, when it changed
// - `output` `text`, or `base64` when it is not UTF-8
// - `gap`    `size` bytes that were not sent
// - `end`    the ended task, and the number of `skipped` bytes
class task_output_events {
public:
    using events = std::vector<net::http::event>;

    explicit task_output_events(output_position position)
        : position_(position), sent_offset_(position.offset) {}

    events state(task_state state, std::optional<std::uint32_t> attempt, const std::string& remark);
    events add_piece(const jobs::output_piece& piece);
    // Adds the stored output of an ended task, as far as it was not sent.
    events add_stored(std::string_view payload);
    events end(boost::json::object task);

    bool has_live_output() const { return has_live_output_; }
    // Whether the node reported the end of this attempt.
    bool is_finished(std::uint32_t attempt) const {
        return ended_attempt_ && *ended_attempt_ == attempt;
    }
    const output_position& position() const { return position_; }

private:
    void add_output(events& events, const std::string& content);
    void add_gap(events& events, std::uint64_t size);
    void flush_partial(events& events);
    net::http::event event_of(const char* kind, boost::json::object data) const;

    output_position position_;       // received, including partial_character_
    std::uint64_t sent_offset_;      // sent
    std::string partial_character_;  // begin of a UTF-8 character whose rest is missing
    std::uint64_t skipped_ = 0;
    bool has_live_output_ = false;
    std::optional<std::uint32_t> ended_attempt_;
    std::string last_state_;
};

}  // namespace muster::api
