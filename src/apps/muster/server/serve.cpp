#include "apps/muster/server/serve.h"

#include "apps/muster/server/server.h"
#include "apps/muster/server/settings_check.h"
#include "base/assert.h"
#include "runtime/settings/log_settings.h"

#include <utility>

namespace muster::server {
namespace {

runtime::logger::options log_options(const runtime::settings& settings) {
    const auto chosen = runtime::log_choice_in(settings);
    return {.level = chosen.level, .format = chosen.format};
}

}  // namespace

void log_refusal(const runtime::settings& settings, const std::vector<std::string>& problems) {
    const auto how = log_options(settings);
    if (how.format != runtime::log_format::json) return;
    runtime::logger log(how);
    for (const auto& problem : problems)
        log.error("the settings cannot be used", {{"problem", problem}});
}

result<void> serve(const std::function<runtime::resolution()>& read) {
    auto resolved = read();
    MUSTER_ASSERT(resolved.problems.empty());  // the caller has looked
    TRY(auto how, options_from(resolved.values));
    runtime::logger log(log_options(resolved.values));
    const auto format = runtime::log_choice_in(resolved.values).format;
    const auto read_again = [&read] {
        auto fresh = read();
        if (fresh.problems.empty()) fresh.problems = check_settings(fresh.values);
        return fresh;
    };
    server server(
        std::move(resolved.values), std::move(how), {.log = log, .read_again = read_again});
    auto ran = server.run();
    if (!ran && format == runtime::log_format::json)
        log.error("the server ends", {{"reason", ran.error().detail()}});
    return ran;
}

}  // namespace muster::server
