#include "apps/muster/cli/schedules_request.h"

#include "apps/muster/cli/system_verbs.h"

#include <boost/json.hpp>

#include <utility>

namespace muster::cli {
namespace {

namespace json = boost::json;

void add_text(json::object& body, const char* name, const std::optional<std::string>& text) {
    if (text) body[name] = *text;
}

void add_rollout(json::object& body, const schedule_flags& flags) {
    add_text(body, "batch", flags.batch);
    add_text(body, "batch_wait", flags.batch_wait);
    if (flags.rate) body["rate"] = *flags.rate;
    add_text(body, "canary", flags.canary);
    add_text(body, "canary_wait", flags.canary_wait);
    add_text(body, "max_failures", flags.max_failures);
    if (flags.retries) body["retries"] = *flags.retries;
    if (flags.priority) body["priority"] = *flags.priority;
    if (flags.weight) body["weight"] = *flags.weight;
}

}  // namespace

result<json::object> schedule_request(const schedule_flags& flags) {
    json::object body;
    add_text(body, "at", flags.start_time);
    add_text(body, "cron", flags.cron);
    add_text(body, "rrule", flags.rrule);
    add_text(body, "zone", flags.zone);
    add_text(body, "query", flags.query);
    add_text(body, "function", flags.function);
    add_text(body, "missed", flags.missed);
    if (!flags.arguments.empty()) body.emplace("arguments", json_list(flags.arguments));
    if (flags.arguments_object) {
        json::error_code failure;
        auto parsed = json::parse(*flags.arguments_object, failure);
        if (failure || !parsed.is_object())
            return fail(
                errc::invalid,
                R"(--arguments: expected a JSON object such as '{"channel":"motd"}')");
        body.emplace("arguments", std::move(parsed));
    }
    if (flags.any_time) body.emplace("maintenance_only", false);
    add_rollout(body, flags);
    return body;
}

}  // namespace muster::cli
