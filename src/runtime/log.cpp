#include "runtime/log.h"

#include "base/assert.h"

#include <fmt/format.h>
#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <iterator>
#include <type_traits>
#include <unistd.h>
#include <utility>

namespace muster::runtime {
namespace {

constexpr auto text_pattern = "%Y-%m-%dT%H:%M:%S.%eZ %^%-7l%$ %v";
constexpr auto json_pattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%fZ","level":"%l",%v})";

spdlog::level::level_enum to_spdlog(log_level level) {
    switch (level) {
        case log_level::debug:
            return spdlog::level::debug;
        case log_level::info:
            return spdlog::level::info;
        case log_level::warning:
            return spdlog::level::warn;
        case log_level::error:
            return spdlog::level::err;
    }
    MUSTER_ASSERT(false);
    return spdlog::level::err;
}

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

std::shared_ptr<spdlog::sinks::sink> make_sink(log_format format) {
    std::shared_ptr<spdlog::sinks::sink> sink;
    if (format == log_format::text) {
        sink = std::make_shared<spdlog::sinks::stderr_color_sink_mt>();
    } else {
        sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    }
    sink->set_formatter(std::make_unique<spdlog::pattern_formatter>(
        format == log_format::text ? text_pattern : json_pattern, spdlog::pattern_time_type::utc));
    return sink;
}

}  // namespace

struct logger::impl {
    log_format format = log_format::text;
    std::shared_ptr<spdlog::details::thread_pool> writer;
    std::shared_ptr<spdlog::async_logger> lines;
};

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
    for (const auto& each : fields) {
        fmt::format_to(std::back_inserter(out), " {}=", each.name);
        append_value(out, each.value, log_format::text);
    }
    return out;
}

std::string render_json(std::string_view sentence, log_fields fields) {
    std::string out = "\"message\":";
    append_json_string(out, sentence);
    for (const auto& each : fields) {
        out += ',';
        append_json_string(out, each.name);
        out += ':';
        append_value(out, each.value, log_format::json);
    }
    return out;
}

logger::logger(options how) : impl_(std::make_unique<impl>()) {
    impl_->format = how.format;
    impl_->writer = std::make_shared<spdlog::details::thread_pool>(how.lines_max, 1);
    impl_->lines = std::make_shared<spdlog::async_logger>(
        "muster",
        make_sink(how.format),
        impl_->writer,
        spdlog::async_overflow_policy::overrun_oldest);
    impl_->lines->flush_on(spdlog::level::warn);
    set_level(how.level);
}

logger::~logger() {
    flush();
}

void logger::write(log_level level, std::string_view sentence, log_fields fields) {
    if (!impl_->lines->should_log(to_spdlog(level))) return;
    const auto line = impl_->format == log_format::text ? render_text(sentence, fields)
                                                        : render_json(sentence, fields);
    impl_->lines->log(to_spdlog(level), spdlog::string_view_t(line));
}

void logger::debug(std::string_view sentence, log_fields fields) {
    write(log_level::debug, sentence, fields);
}

void logger::info(std::string_view sentence, log_fields fields) {
    write(log_level::info, sentence, fields);
}

void logger::warning(std::string_view sentence, log_fields fields) {
    write(log_level::warning, sentence, fields);
}

void logger::error(std::string_view sentence, log_fields fields) {
    write(log_level::error, sentence, fields);
}

void logger::set_level(log_level level) {
    impl_->lines->set_level(to_spdlog(level));
}

void logger::flush() {
    impl_->lines->flush();
}

std::uint64_t logger::dropped() const {
    return impl_->writer->overrun_counter();
}

log_format natural_log_format() {
    return ::isatty(STDERR_FILENO) == 1 ? log_format::text : log_format::json;
}

}  // namespace muster::runtime
