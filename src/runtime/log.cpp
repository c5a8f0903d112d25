#include "runtime/log.h"

#include "base/assert.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>

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

}  // namespace muster::runtime
