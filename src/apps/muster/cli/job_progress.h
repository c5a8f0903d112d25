#pragma once

#include "apps/muster/cli/exit_code.h"
#include "base/time.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace muster::cli {

// The view of a running job: one or more lines for each return, a progress line, a summary, and the
// exit code. Accepts the events of /api/v1/jobs/{id}/events, each any number of times.
class job_progress {
public:
    // Returns the payload of a digest; nothing if it has not arrived.
    using payload_source = std::function<std::optional<std::string>(const std::string& digest)>;

    explicit job_progress(payload_source payloads) : payloads_(std::move(payloads)) {}

    // A return to show: as text for people, and as an event with its output for programs.
    struct task_return {
        std::string text;
        boost::json::object event;
    };
    // Nothing for a repeated return, for progress, and for a return whose output has not arrived;
    // take_completed() returns the latter.
    std::optional<task_return> add_event(const boost::json::value& event);

    // Returns whose output has arrived; with `give_up` also the others.
    enum class late_policy { wait, give_up };
    std::vector<task_return> take_completed(late_policy policy);
    bool has_pending_output() const { return !late_.empty(); }

    // "12/100, 3 running, 1 failed, 4.0/s, 22 s left"
    std::string line() const;
    // "99/100 in 12.3 s, 1 failed"
    std::string last_line(monotonic::duration duration) const;
    exit_code outcome() const;
    bool is_finished() const { return finished_; }
    // The position to resume from after a lost connection.
    const std::string& position() const { return position_; }
    const boost::json::object& last() const { return last_; }

private:
    static constexpr std::size_t payload_cache_max = 32;
    static constexpr std::size_t late_max = 1'000;

    // False if the output has not arrived.
    bool complete(boost::json::object& task);
    std::int64_t count(const char* state) const;
    std::int64_t number(const char* name) const;

    payload_source payloads_;
    std::deque<std::pair<std::string, boost::json::value>>
        payload_cache_;                                      // by digest; the oldest first
    std::deque<boost::json::object> late_;                   // without their output
    std::set<std::pair<std::int64_t, std::int64_t>> shown_;  // system and attempt
    boost::json::object last_;                               // report of the progress
    std::string position_;
    bool finished_ = false;
};

// The name of the task's system, or its number.
std::string system_name(const boost::json::object& task);
// A finished task as one or more lines, for its system or for the systems named instead.
std::string task_text(const boost::json::object& task);
std::string task_text(const boost::json::object& task, const std::string& systems);
// The result of a task as text: the output of a program, or the value of a function.
std::string output_text(const boost::json::value& output);
// Replaces control characters, which could move the cursor.
std::string printable(std::string text);

}  // namespace muster::cli
