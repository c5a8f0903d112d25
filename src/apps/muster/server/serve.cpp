#include "apps/muster/server/serve.h"

#include "apps/muster/server/server.h"
#include "apps/muster/server/settings_check.h"
#include "base/assert.h"
#include "runtime/settings/log_settings.h"

#include <utility>

namespace muster::server {
namespace {

runtime::logger::options log_options(const runtime::settings& settings) {
    const auto options = runtime::read_log_options(settings);
    return {.level = options.level, .format = options.format};
}

}  // namespace

void log_refusal(const runtime::settings& settings, const std::vector<std::string>& problems) {
    const auto options = log_options(settings);
    if (options.format != runtime::log_format::json) return;
    runtime::logger log(options);
    for (const auto& problem : problems)
        log.error("invalid setting; server not started", {{"error", problem}});
}

result<void> serve(const std::function<runtime::resolution()>& read_settings) {
    auto resolved = read_settings();
    MUSTER_ASSERT(resolved.problems.empty());  // checked by the caller
    TRY(auto options, options_from(resolved.values));
    runtime::logger log(log_options(resolved.values));
    const auto format = runtime::read_log_options(resolved.values).format;
    const auto read_and_check = [&read_settings] {
        auto resolution = read_settings();
        if (resolution.problems.empty()) resolution.problems = check_settings(resolution.values);
        return resolution;
    };
    server server(
        std::move(resolved.values),
        std::move(options),
        {.log = log, .read_settings = read_and_check});
    auto outcome = server.run();
    if (!outcome && format == runtime::log_format::json)
        log.error("server failed", {{"error", outcome.error().detail()}});
    return outcome;
}

}  // namespace muster::server
