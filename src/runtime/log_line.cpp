#include "runtime/log_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <unistd.h>

namespace muster::runtime {
namespace {

// A line is one line: what comes from outside must not forge another one.
void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            out += '\\';
            out += letter;
        } else if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<int>(letter));
        } else {
            out += letter;
        }
    }
    out += '"';
}

bool needs_quotes(std::string_view text) {
    return text.empty() || std::ranges::any_of(text, [](char letter) {
               const bool plain = static_cast<unsigned char>(letter) > 0x20 && letter != 0x7f;
               return !plain || letter == '"' || letter == '=' || letter == '\\';
           });
}

void append_value(std::string& out, const log_field::content& value, log_format format) {
    std::visit(
        [&](const auto& held) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
                fmt::format_to(std::back_inserter(out), "{}", held);
            } else if (format == log_format::json || needs_quotes(held)) {
                append_json_string(out, held);
            } else {
                out += held;
            }
        },
        value);
}

void append_sentence(std::string& out, std::string_view sentence) {
    for (const char letter : sentence) {
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) {
            fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<int>(letter));
        } else {
            out += letter;
        }
    }
}

}  // namespace

result<log_level> parse_log_level(std::string_view name) {
    if (name == "debug") return log_level::debug;
    if (name == "info") return log_level::info;
    if (name == "warning") return log_level::warning;
    if (name == "error") return log_level::error;
    return fail(errc::invalid, fmt::format("`{}` is no log level", name));
}

std::string render_text(std::string_view sentence, log_fields fields) {
    std::string out;
    append_sentence(out, sentence);
    for (const auto& field : fields) {
        fmt::format_to(std::back_inserter(out), " {}=", field.name);
        append_value(out, field.value, log_format::text);
    }
    return out;
}

std::string render_json(std::string_view sentence, log_fields fields) {
    std::string out = "\"message\":";
    append_json_string(out, sentence);
    for (const auto& field : fields) {
        out += ',';
        append_json_string(out, field.name);
        out += ':';
        append_value(out, field.value, log_format::json);
    }
    return out;
}

log_format natural_log_format() {
    return ::isatty(STDERR_FILENO) == 1 ? log_format::text : log_format::json;
}

}  // namespace muster::runtime
