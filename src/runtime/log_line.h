#pragma once

#include "base/result.h"

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

// The parts of a log line, for every logger.
namespace muster::runtime {

enum class log_level { debug, info, warning, error };
result<log_level> parse_log_level(std::string_view name);

// The message of a log line: a literal, so that operators can search for it and alert on it. Data
// goes into fields.
class log_event {
public:
    // NOLINTNEXTLINE(google-explicit-constructor): calls read as log.info("server started")
    consteval log_event(const char* text) : text_(text) {}
    constexpr std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

// A named value beside the message: {"system", fingerprint}, {"attempt", 3}.
struct log_field {
    using content = std::variant<std::string, std::int64_t, double, bool>;

    log_field(std::string_view field, std::string_view text)
        : name(field), value(std::string(text)) {}
    log_field(std::string_view field, const char* text) : name(field), value(std::string(text)) {}
    log_field(std::string_view field, const std::string& text) : name(field), value(text) {}
    log_field(std::string_view field, bool flag) : name(field), value(flag) {}
    log_field(std::string_view field, double number) : name(field), value(number) {}
    template <std::integral Number>
    log_field(std::string_view field, Number number)
        : name(field), value(static_cast<std::int64_t>(number)) {}

    std::string_view name;
    content value;
};

using log_fields = std::initializer_list<log_field>;

enum class log_format { text, json };

// "message attempt=3 system=\"web 1\"": the text behind time and level on a terminal.
std::string render_text(std::string_view message, log_fields fields);
// "message":"text","attempt":3: the members behind time and level of a JSON line.
std::string render_json(std::string_view message, log_fields fields);

// Text if standard error is a terminal, JSON otherwise.
log_format default_log_format();

}  // namespace muster::runtime
