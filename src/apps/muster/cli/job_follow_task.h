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

// Shows the output of a running task: its bytes on standard output (one JSON object an event with
// json), its state and skipped output on standard error. Resumes after a lost connection. The
// outcome of the task is the exit code.
exit_code follow_task(const client_context& context, const follow_task_options& options);

// Converts the events of a task's output for a reader.
class task_follower {
public:
    // A terminal gets only printable text: no escapes, no bells.
    enum class reader { program, terminal };
    explicit task_follower(reader reader) : reader_(reader) {}

    struct task_output {
        std::string output;  // for standard output
        std::string remark;  // a line for standard error
    };
    task_output add_event(const boost::json::object& event);

    bool is_finished() const { return finished_; }
    exit_code outcome() const { return outcome_; }
    const std::string& position() const { return position_; }

private:
    std::string end_line(const boost::json::object& event) const;
    std::string to_remark(std::string text) const;

    reader reader_;
    bool finished_ = false;
    bool in_line_ = false;  // the last line of the output has no end yet
    exit_code outcome_ = exit_code::timed_out;
    std::string position_;
};

}  // namespace muster::cli
