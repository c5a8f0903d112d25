#include "runtime/settings/log_settings.h"

#include "base/assert.h"

namespace muster::runtime {

log_options read_log_options(const settings& settings) {
    const auto level = parse_log_level(settings.text("log.level"));
    MUSTER_ASSERT(level.has_value());  // one of the setting's choices
    const auto& format = settings.text("log.format");
    if (format == "text") return {.level = *level, .format = log_format::text};
    if (format == "json") return {.level = *level, .format = log_format::json};
    return {.level = *level, .format = default_log_format()};
}

}  // namespace muster::runtime
