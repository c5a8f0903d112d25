#include "apps/agent/service/log.h"

#include "base/iso_time.h"

#include <fmt/format.h>

#include <unistd.h>

namespace muster::agent {
namespace {

std::string_view name_of(runtime::log_level level) {
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

void log::write(runtime::log_level level, std::string_view sentence, runtime::log_fields fields) {
    if (level < options_.level) return;
    const auto when = iso_time(clock_.wall(), iso_precision::milliseconds);
    const auto line =
        options_.format == runtime::log_format::text
            ? fmt::format("{} {:<7} {}\n", when, name_of(level), render_text(sentence, fields))
            : fmt::format(
                  R"({{"time":"{}","level":"{}",{}}})"
                  "\n",
                  when,
                  name_of(level),
                  render_json(sentence, fields));
    // A terminal that has gone or a full pipe must not stop the agent.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

void log::debug(std::string_view sentence, runtime::log_fields fields) {
    write(runtime::log_level::debug, sentence, fields);
}

void log::info(std::string_view sentence, runtime::log_fields fields) {
    write(runtime::log_level::info, sentence, fields);
}

void log::warning(std::string_view sentence, runtime::log_fields fields) {
    write(runtime::log_level::warning, sentence, fields);
}

void log::error(std::string_view sentence, runtime::log_fields fields) {
    write(runtime::log_level::error, sentence, fields);
}

}  // namespace muster::agent
