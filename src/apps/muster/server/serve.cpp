#include "apps/muster/server/serve.h"

#include "apps/muster/server/engine_links.h"
#include "apps/muster/server/server.h"
#include "base/assert.h"
#include "runtime/settings/log_settings.h"

#include <optional>
#include <utility>

namespace muster::server {
namespace {

runtime::logger::options log_options(const runtime::settings& wanted) {
    const auto chosen = runtime::log_choice_in(wanted);
    return {.level = chosen.level, .format = chosen.format};
}

}  // namespace

result<void> check_settings(const runtime::settings& wanted) {
    CHECK_OK(check_engine_links(wanted));
    CHECK_OK(options_from(wanted));
    return {};
}

result<void> serve(const std::function<runtime::resolution()>& read) {
    auto resolved = read();
    MUSTER_ASSERT(resolved.problems.empty());  // the caller has looked
    TRY(auto how, options_from(resolved.values));
    runtime::logger log(log_options(resolved.values));
    const auto read_again = [&read]() -> std::optional<runtime::settings> {
        auto fresh = read();
        if (!fresh.problems.empty()) return std::nullopt;
        return std::move(fresh.values);
    };
    server one(std::move(resolved.values), std::move(how), {.log = log, .read_again = read_again});
    return one.run();
}

}  // namespace muster::server
