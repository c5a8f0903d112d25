#pragma once

#include "runtime/log_line.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace muster::runtime {

// Structured lines on standard error: text for people, JSON for machines.
//
// Never blocks an event loop: a thread of its own writes, and when it cannot keep up with
// `lines_max` waiting lines the oldest are dropped and counted. What was logged before the logger
// ends is written before it is gone. Thread-safe.
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

    void debug(std::string_view sentence, log_fields fields = {});
    void info(std::string_view sentence, log_fields fields = {});
    void warning(std::string_view sentence, log_fields fields = {});
    void error(std::string_view sentence, log_fields fields = {});

    void set_level(log_level level);
    // Returns when all that was logged before is written, or its reader has taken nothing for
    // `flush_timeout`.
    void flush();
    static constexpr auto flush_timeout = std::chrono::seconds(1);
    std::uint64_t dropped() const;

private:
    void write(log_level level, std::string_view sentence, log_fields fields);

    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace muster::runtime
