#pragma once

#include "runtime/log_line.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace muster::runtime {

// Writes structured lines to standard error: text for people, JSON for machines.
//
// Never blocks an event loop: a background thread writes. When more than `lines_max` lines wait,
// the oldest are dropped and counted. The destructor writes the lines that still wait. Thread-safe.
class logger {
public:
    struct options {
        log_level level = log_level::info;
        log_format format = log_format::text;
        std::size_t lines_max = 8192;
    };

    explicit logger(options options);
    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;
    ~logger();

    void debug(log_event event, log_fields fields = {});
    void info(log_event event, log_fields fields = {});
    void warning(log_event event, log_fields fields = {});
    void error(log_event event, log_fields fields = {});

    void set_level(log_level level);
    // Returns when all earlier lines are written, or after `flush_timeout`.
    void flush();
    static constexpr auto flush_timeout = std::chrono::seconds(1);
    std::uint64_t dropped() const;

private:
    void write(log_level level, std::string_view message, log_fields fields);

    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace muster::runtime
