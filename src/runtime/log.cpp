#include "runtime/log.h"

#include "base/assert.h"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
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

// Counts the written lines, so that flush() can wait for them.
class counting_sink final : public spdlog::sinks::sink {
public:
    explicit counting_sink(std::shared_ptr<spdlog::sinks::sink> target)
        : target_(std::move(target)) {}

    void log(const spdlog::details::log_msg& line) override {
        target_->log(line);
        {
            const std::scoped_lock lock(mutex_);
            ++written_;
        }
        changed_.notify_all();
    }
    void flush() override { target_->flush(); }
    void set_pattern(const std::string& pattern) override { target_->set_pattern(pattern); }
    void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
        target_->set_formatter(std::move(formatter));
    }

    // Waits until `target_count()` lines are written. It may decrease: dropped lines do not count.
    template <class Count>
    void wait_for(Count target_count) {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, logger::flush_timeout, [&] { return written_ >= target_count(); });
    }

private:
    std::shared_ptr<spdlog::sinks::sink> target_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::uint64_t written_ = 0;
};

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
    std::shared_ptr<counting_sink> sink;
    std::shared_ptr<spdlog::async_logger> lines;
    std::atomic<std::uint64_t> logged = 0;
};

logger::logger(options options) : impl_(std::make_unique<impl>()) {
    impl_->format = options.format;
    impl_->writer = std::make_shared<spdlog::details::thread_pool>(options.lines_max, 1);
    impl_->sink = std::make_shared<counting_sink>(make_sink(options.format));
    impl_->lines = std::make_shared<spdlog::async_logger>(
        "muster", impl_->sink, impl_->writer, spdlog::async_overflow_policy::overrun_oldest);
    impl_->lines->flush_on(spdlog::level::warn);
    set_level(options.level);
}

logger::~logger() {
    flush();
}

void logger::write(log_level level, std::string_view message, log_fields fields) {
    if (!impl_->lines->should_log(to_spdlog(level))) return;
    const auto line = impl_->format == log_format::text ? render_text(message, fields)
                                                        : render_json(message, fields);
    impl_->lines->log(to_spdlog(level), spdlog::string_view_t(line));
    ++impl_->logged;
}

void logger::debug(log_event event, log_fields fields) {
    write(log_level::debug, event.text(), fields);
}

void logger::info(log_event event, log_fields fields) {
    write(log_level::info, event.text(), fields);
}

void logger::warning(log_event event, log_fields fields) {
    write(log_level::warning, event.text(), fields);
}

void logger::error(log_event event, log_fields fields) {
    write(log_level::error, event.text(), fields);
}

void logger::set_level(log_level level) {
    impl_->lines->set_level(to_spdlog(level));
}

void logger::flush() {
    // The writer has its own thread, and spdlog's flush() only posts a request to it.
    const std::uint64_t logged = impl_->logged;
    impl_->sink->wait_for([this, logged] { return logged - std::min(logged, dropped()); });
    impl_->sink->flush();
}

std::uint64_t logger::dropped() const {
    return impl_->writer->overrun_counter();
}

}  // namespace muster::runtime
