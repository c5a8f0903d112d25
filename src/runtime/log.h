#pragma once

#include "base/result.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace muster::runtime {

enum class log_level { debug, info, warning, error };
result<log_level> parse_log_level(std::string_view name);

// A named value beside the sentence: {"system", fingerprint}, {"attempt", 3}.
struct log_field {
    using content = std::variant<std::string, std::int64_t, double, bool>;

    log_field(std::string_view field, std::string_view text)
        : name(field), value(std::string(text)) {}
    log_field(std::string_view field, const char* text) : name(field), value(std::string(text)) {}
    log_field(std::string_view field, const std::string& text) : name(field), value(text) {}
    log_field(std::string_view field, bool truth) : name(field), value(truth) {}
    log_field(std::string_view field, double number) : name(field), value(number) {}
    template <std::integral Number>
    log_field(std::string_view field, Number number)
        : name(field), value(static_cast<std::int64_t>(number)) {}

    std::string_view name;
    content value;
};

using log_fields = std::initializer_list<log_field>;

enum class log_format { text, json };

// "said this attempt=3 system=\"web 1\"": what follows time and level on a terminal.
std::string render_text(std::string_view sentence, log_fields fields);
// "message":"said this","attempt":3: the members after time and level of a JSON line.
std::string render_json(std::string_view sentence, log_fields fields);

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

    explicit logger(options how);
    logger(const logger&) = delete;
    logger& operator=(const logger&) = delete;
    ~logger();

    void debug(std::string_view sentence, log_fields fields = {});
    void info(std::string_view sentence, log_fields fields = {});
    void warning(std::string_view sentence, log_fields fields = {});
    void error(std::string_view sentence, log_fields fields = {});

    void set_level(log_level level);
    void flush();
    std::uint64_t dropped() const;

private:
    void write(log_level level, std::string_view sentence, log_fields fields);

    struct impl;
    std::unique_ptr<impl> impl_;
};

// Text when people read it (standard error is a terminal), JSON otherwise.
log_format natural_log_format();

}  // namespace muster::runtime
