#include "apps/agent/service/log.h"

#include "base/iso_time.h"

#include <fmt/format.h>

#include <unistd.h>

namespace muster::agent {
namespace {

std::string_view to_name(runtime::log_level level) {
    switch (level) {
        case runtime::log_level::debug:
            return "debug";
        case runtime::log_level::info:
            return "info";
        case runtime::log_level::warning:
            return "warning";
        case runtime::log_level::error:
            break;
    }
    return "error";
}

}  // namespace

void log::write(runtime::log_level level, std::string_view message, runtime::log_fields fields) {
    if (level < options_.level) return;
    const auto time = iso_time(clock_.wall(), iso_precision::milliseconds);
    const auto line =
        options_.format == runtime::log_format::text
            ? fmt::format("{} {:<7} {}\n", time, to_name(level), render_text(message, fields))
            : fmt::format(
                  R"({{"time":"{}","level":"{}",{}}})"
                  "\n",
                  time,
                  to_name(level),
                  render_json(message, fields));
    // A terminal that has gone or a full pipe must not stop the agent.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void log::debug(runtime::log_event event, runtime::log_fields fields) {
    write(runtime::log_level::debug, event.text(), fields);
}

void log::info(runtime::log_event event, runtime::log_fields fields) {
    write(runtime::log_level::info, event.text(), fields);
}

void log::warning(runtime::log_event event, runtime::log_fields fields) {
    write(runtime::log_level::warning, event.text(), fields);
}

void log::error(runtime::log_event event, runtime::log_fields fields) {
    write(runtime::log_level::error, event.text(), fields);
}

}  // namespace muster::agent
