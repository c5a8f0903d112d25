#pragma once

#include "ports/clock.h"
#include "runtime/log_line.h"

#include <string_view>

namespace muster::agent {

// Writes log lines to standard error without buffering: an agent logs little, and its last lines
// matter most. Not thread-safe.
class log {
public:
    struct options {
        runtime::log_level level = runtime::log_level::info;
        runtime::log_format format = runtime::log_format::text;
    };

    log(options options, muster::clock& clock) : options_(options), clock_(clock) {}

    void debug(runtime::log_event event, runtime::log_fields fields = {});
    void info(runtime::log_event event, runtime::log_fields fields = {});
    void warning(runtime::log_event event, runtime::log_fields fields = {});
    void error(runtime::log_event event, runtime::log_fields fields = {});

private:
    void write(runtime::log_level level, std::string_view message, runtime::log_fields fields);

    options options_;
    muster::clock& clock_;
};

}  // namespace muster::agent
