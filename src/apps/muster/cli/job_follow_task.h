#pragma once

#include "apps/muster/cli/client.h"
#include "apps/muster/cli/exit_code.h"
#include "apps/muster/cli/output.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace muster::cli {

struct follow_task_options {
    std::string job;
    std::string system;
    output_format format = output_format::table;
};

// Shows what a task writes while it runs: its bytes on standard output as they come (one JSON
// object an event with json), how it stands and what was skipped on standard error. Goes on after a
// lost connection where it was. What comes of the task is the exit code.
exit_code follow_task(const client_context& where, const follow_task_options& options);

// What events of a task's output come to for somebody who reads them.
class followed_task {
public:
    // On a terminal nothing but text may come from a machine: no escapes, no bells.
    enum class reader { program, terminal };
    explicit followed_task(reader reader) : who_(reader) {}

    struct shown {
        std::string output;  // for standard output
        std::string remark;  // a line for standard error
    };
    shown take(const boost::json::object& event);

    bool over() const { return over_; }
    exit_code outcome() const { return outcome_; }
    const std::string& position() const { return position_; }

private:
    std::string end_line(const boost::json::object& event) const;
    std::string remark_of(std::string text) const;

    reader who_;
    bool over_ = false;
    bool in_line_ = false;  // the output's last line has no end yet
    exit_code outcome_ = exit_code::timed_out;
    std::string position_;
};

}  // namespace muster::cli
