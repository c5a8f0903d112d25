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

// What a person sees of a job that is being watched: a line or more for each return as it comes, a
// line of progress, and a last line; and what a script makes of it. Takes the events of
// /api/v1/jobs/{id}/events, each any number of times.
class job_progress {
public:
    // Gets the payload of a digest; nothing when it is not there yet.
    using payload_source = std::function<std::optional<std::string>(const std::string& digest)>;

    explicit job_progress(payload_source payloads) : payloads_(std::move(payloads)) {}

    // A return to be shown: for people, with its line ends, and for programs, with its output.
    struct taken {
        std::string text;
        boost::json::object event;
    };
    // Nothing for a return that was shown already, for progress, and for one whose output is still
    // on its way: that comes later, by take_late().
    std::optional<taken> take(const boost::json::value& event);

    // Returns whose output is here by now; with `give_up` also those whose is not.
    enum class timeout { wait, give_up };
    std::vector<taken> take_late(timeout how);
    bool waits_for_output() const { return !late_.empty(); }

    // "12/100, 3 running, 1 failed, 4.0/s, 22 s left"
    std::string line() const;
    // "99/100 in 12.3 s, 1 failed"
    std::string last_line(monotonic::duration taken) const;
    exit_code outcome() const;
    bool over() const { return over_; }
    // Where to go on after a break.
    const std::string& position() const { return at_; }
    const boost::json::object& last() const { return last_; }

private:
    static constexpr std::size_t payloads_kept = 32;
    static constexpr std::size_t late_max = 1'000;

    // False: its output is not there yet.
    bool complete(boost::json::object& task);
    std::int64_t count(const char* state) const;
    std::int64_t number(const char* name) const;

    payload_source payloads_;
    std::deque<std::pair<std::string, boost::json::value>> kept_;  // by digest; the oldest first
    std::deque<boost::json::object> late_;                         // without their output
    std::set<std::pair<std::int64_t, std::int64_t>> seen_;         // system and attempt
    boost::json::object last_;                                     // report of the progress
    std::string at_;
    bool over_ = false;
};

// A task that ended, as a line or more.
std::string task_text(const boost::json::object& task);
// What a task returned, for people: what a program wrote, or the value of a function.
std::string output_text(const boost::json::value& output);
// Without anything that moves the cursor.
std::string printable(std::string text);

}  // namespace muster::cli
