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

// Up to where a watcher has seen a task's output. As text, "OFFSET" or "ATTEMPT-OFFSET", it is an
// event's id, a client's Last-Event-ID and `?from=`.
struct output_position {
    std::uint32_t attempt = 0;  // none: whichever there is
    std::uint64_t offset = 0;

    friend bool operator==(const output_position&, const output_position&) = default;
};
std::string to_string(const output_position& where);
std::optional<output_position> parse_output_position(std::string_view text);

// Makes events of a task's output: what is shown is told once and in order, what was skipped is
// told as a gap, and text is never cut in the middle of a letter. Each is one JSON object:
//
// - `state`  how the task stands, when that changed
// - `output` `text`, or `base64` when it is not UTF-8
// - `gap`    `size` bytes that were not shown
// - `end`    the task as it ended, and how many bytes were `skipped`
class task_output_events {
public:
    using events = std::vector<net::http::event>;

    explicit task_output_events(output_position from) : at_(from), told_(from.offset) {}

    events state(task_state now, std::optional<std::uint32_t> attempt, const std::string& remark);
    events take(const jobs::output_piece& piece);
    // What is on record of an ended task's output, as far as it was not shown.
    events stored(std::string_view payload);
    events end(boost::json::object task);

    bool shown_live() const { return shown_live_; }
    // This attempt has ended, by what its node says.
    bool is_over(std::uint32_t attempt) const { return over_ && *over_ == attempt; }
    const output_position& position() const { return at_; }

private:
    void put(events& out, const std::string& content);
    void put_gap(events& out, std::uint64_t size);
    void put_held(events& out);
    net::http::event event_of(const char* kind, boost::json::object response) const;

    output_position at_;  // what came, also what is held
    std::uint64_t told_;  // what was told
    std::string held_;    // the beginning of a letter whose rest has not come
    std::uint64_t skipped_ = 0;
    bool shown_live_ = false;
    std::optional<std::uint32_t> over_;
    std::string last_state_;
};

}  // namespace muster::api
