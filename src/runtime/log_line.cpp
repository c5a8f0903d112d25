#include "runtime/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <unistd.h>

namespace muster::runtime {
namespace {

// Escapes control characters: text from outside must not forge another log line.
void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char character : text) {
        if (character == '"' || character == '\\') {
            out += '\\';
            out += character;
        } else if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<int>(character));
        } else {
            out += character;
        }
    }
    out += '"';
}

bool needs_quotes(std::string_view text) {
    return text.empty() || std::ranges::any_of(text, [](char character) {
               const bool plain = static_cast<unsigned char>(character) > 0x20 && character != 0x7f;
               return !plain || character == '"' || character == '=' || character == '\\';
           });
}

void append_value(std::string& out, const log_field::content& content, log_format format) {
    std::visit(
        [&](const auto& value) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
                fmt::format_to(std::back_inserter(out), "{}", value);
            } else if (format == log_format::json || needs_quotes(value)) {
                append_json_string(out, value);
            } else {
                out += value;
            }
        },
        content);
}

void append_message(std::string& out, std::string_view message) {
    for (const char character : message) {
        if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<int>(character));
        } else {
            out += character;
        }
    }
}

}  // namespace

result<log_level> parse_log_level(std::string_view name) {
    if (name == "debug") return log_level::debug;
    if (name == "info") return log_level::info;
    if (name == "warning") return log_level::warning;
    if (name == "error") return log_level::error;
    return fail(
        errc::invalid,
        fmt::format("unknown log level \"{}\"; use debug, info, warning or error", name));
}

std::string render_text(std::string_view message, log_fields fields) {
    std::string out;
    append_message(out, message);
    for (const auto& field : fields) {
        fmt::format_to(std::back_inserter(out), " {}=", field.name);
        append_value(out, field.value, log_format::text);
    }
    return out;
}

std::string render_json(std::string_view message, log_fields fields) {
    std::string out = "\"message\":";
    append_json_string(out, message);
    for (const auto& field : fields) {
        out += ',';
        append_json_string(out, field.name);
        out += ':';
        append_value(out, field.value, log_format::json);
    }
    return out;
}

log_format default_log_format() {
    return ::isatty(STDERR_FILENO) == 1 ? log_format::text : log_format::json;
}

}  // namespace muster::runtime
