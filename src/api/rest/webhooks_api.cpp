#include "api/rest/webhooks_api.h"

#include "adapters/os/random.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "core/events/event_filter.h"
#include "ports/deadline.h"
#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::api {
namespace {

namespace json = boost::json;
using namespace api;
using events::event_position;
using events::webhook_store;

constexpr const char* hooks_path = "/api/v1/webhooks";
constexpr const char* hook_path = "/api/v1/webhooks/{name}";
constexpr std::int64_t body_bytes_max = 128 * std::int64_t{1024};
constexpr std::int64_t authorities_bytes_max = 64 * std::int64_t{1024};
constexpr std::int64_t kinds_max = 100;
constexpr std::size_t secret_bytes = 24;

json::value time_json(const std::optional<wall_time>& time) {
    json::value output;
    if (time) output = iso_time(*time);
    return output;
}

const char* state_of(const events::webhook_progress& progress) {
    if (progress.given_up) return "suspended";
    return progress.failures > 0 ? "failing" : "delivering";
}

// An upper bound: not all events in between match the webhook.
std::int64_t count_pending(const webhook_store::entry& entry, const event_position& end) {
    const auto filter = events::filter_of(entry.hook.kinds);
    const auto& position = entry.progress.position;
    auto count = std::max(std::int64_t{0}, end.events - position.events);
    if (filter && filter->returns) count += std::max(std::int64_t{0}, end.tasks - position.tasks);
    return count;
}

json::object hook_json(const webhook_store::entry& entry, const event_position& end) {
    return {
        {"name", entry.hook.name},
        {"url", entry.hook.url},
        {"kinds", runtime::stored_list(entry.hook.kinds)},
        {"state", state_of(entry.progress)},
        {"behind", count_pending(entry, end)},
        {"delivered", entry.progress.delivered},
        {"failures", entry.progress.failures},
        {"last_error",
         entry.progress.last_error.empty() ? json::value(nullptr)
                                           : json::value(entry.progress.last_error)},
        {"failing_since", time_json(entry.progress.failing_since)},
        {"last_delivery", time_json(entry.progress.last_delivery)},
        {"cursor", to_string(entry.progress.position)},
        {"made_by", entry.hook.created_by},
        {"made", iso_time(entry.hook.created)}};
}

struct hook_request {
    events::webhook_record hook;
    std::string since;
    bool generated_secret = false;  // by the server
};

hook_request read_hook(const call& call) {
    hook_request request;
    request.hook.name = call.text("name");
    request.hook.url = call.text("url");
    if (auto kinds = call.optional_texts("kinds")) request.hook.kinds = *std::move(kinds);
    auto secret = call.optional_text("secret");
    request.generated_secret = !secret;
    request.hook.secret = secret ? *std::move(secret) : to_hex(os::random_bytes(secret_bytes));
    request.hook.authorities = call.optional_text("ca").value_or("");
    request.since = call.optional_text("since").value_or("now");
    return request;
}

// Only the host: user info, path and query may contain secrets.
std::string host_of(std::string_view url) {
    const auto scheme = url.find("://");
    if (scheme == std::string_view::npos) return "an invalid URL";
    auto host = url.substr(scheme + 3);
    host = host.substr(0, host.find_first_of("/?#"));
    return std::string(
        host.substr(host.find('@') == std::string_view::npos ? 0 : host.find('@') + 1));
}

shape hook_shape() {
    return record_of(
        {required("name", name()),
         required("url", text()),
         required("kinds", list_of(text())),
         required("state", name().with_about("delivering, failing or suspended")),
         required("behind", integer(0).with_about("maximum number of unsent events")),
         required("delivered", integer(0)),
         required("failures", integer(0)),
         required("last_error", text().or_nothing()),
         required("failing_since", api::time().or_nothing()),
         required("last_delivery", api::time().or_nothing()),
         required("cursor", text()),
         required("made_by", text()),
         required("made", api::time()),
         optional("secret", text().with_about("generated secret; returned only once"))});
}

}  // namespace

result<void> webhooks_api::declare(registry& operations) {
    using access::right;
    CHECK_OK(operations.add(
        {.name = "webhooks.list",
         .summary = "List webhooks with their delivery status",
         .path = hooks_path,
         .gives = page_of(hook_shape()),
         .needed = right::webhooks_change},
        handler(this, &webhooks_api::list)));
    CHECK_OK(operations.add(
        {.name = "webhooks.show",
         .summary = "Get a webhook",
         .path = hook_path,
         .takes = {in_path("name", name())},
         .gives = hook_shape(),
         .needed = right::webhooks_change},
        handler(this, &webhooks_api::show)));
    CHECK_OK(operations.add(
        {.name = "webhooks.create",
         .summary = "Create a webhook that sends signed events",
         .method = verb::post,
         .path = hooks_path,
         .takes =
             {in_body("name", name()),
              in_body("url", text()),
              optional_in_body(
                  "kinds", list_of(text(), kinds_max).with_about("event kinds, such as job.*")),
              secret_in_body("secret", text().with_about("signing secret (default: generated)")),
              optional_in_body(
                  "ca", text(authorities_bytes_max).with_about("CA certificates in PEM format")),
              optional_in_body(
                  "since", text().with_about("cursor to start after (default `now`)"))},
         .gives = hook_shape(),
         .status = 201,
         .needed = right::webhooks_change,
         .gives_secret = true,
         .body_bytes_max = body_bytes_max},
        handler(this, &webhooks_api::add)));
    CHECK_OK(operations.add(
        {.name = "webhooks.remove",
         .summary = "Delete a webhook",
         .method = verb::remove,
         .path = hook_path,
         .takes = {in_path("name", name())},
         .gives = record_of({required("removed", name())}),
         .needed = right::webhooks_change},
        handler(this, &webhooks_api::remove)));
    return operations.add(
        {.name = "webhooks.resume",
         .summary = "Resume delivery to a webhook",
         .method = verb::post,
         .path = "/api/v1/webhooks/{name}/resume",
         .takes = {in_path("name", name())},
         .gives = record_of({required("resumed", name())}),
         .needed = right::webhooks_change},
        handler(this, &webhooks_api::resume));
}

async<event_position> webhooks_api::find_start(std::string since) const {
    if (since == "now") co_return co_await deps_.log.end();
    const auto position = events::parse_event_position(since);
    if (!position) co_return fail(errc::invalid, "`since` must be an event cursor or now");
    CO_CHECK_OK(co_await deps_.log.check(*position));
    co_return *position;
}

async<reply> webhooks_api::list(call /*call*/) {
    CO_TRY(const auto hooks, co_await within(deps_.clock, engine_timeout, deps_.webhooks.all()));
    CO_TRY(const auto end, co_await within(deps_.clock, engine_timeout, deps_.log.end()));
    json::array items;
    for (const auto& hook : hooks) items.push_back(hook_json(hook, end));
    co_return reply{json::object{{"items", std::move(items)}, {"next", nullptr}}};
}

async<reply> webhooks_api::show(call call) {
    auto pending_lookup = deps_.webhooks.find(call.text("name"));
    CO_TRY(
        const auto hook, co_await within(deps_.clock, engine_timeout, std::move(pending_lookup)));
    CO_TRY(const auto end, co_await within(deps_.clock, engine_timeout, deps_.log.end()));
    co_return reply{hook_json(hook, end)};
}

async<reply> webhooks_api::add(call call) {
    auto request = read_hook(call);
    call.set_subject(request.hook.name + " to " + host_of(request.hook.url));
    CO_CHECK_OK(deps_.addresses.check(request.hook.url));
    request.hook.created_by = call.caller().user;
    request.hook.created = deps_.clock.wall();
    auto pending_lookup = find_start(request.since);
    CO_TRY(
        const auto start, co_await within(deps_.clock, engine_timeout, std::move(pending_lookup)));
    webhook_store::entry entry{.hook = request.hook, .created = {}, .progress = {}, .saved = {}};
    entry.progress.position = start;
    CO_CHECK_OK(co_await within(
        deps_.clock, engine_timeout, deps_.webhooks.add(std::move(request.hook), start)));
    auto output = hook_json(entry, start);
    if (request.generated_secret) output["secret"] = entry.hook.secret;
    co_return reply{std::move(output)};
}

async<reply> webhooks_api::remove(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, deps_.webhooks.remove(name)));
    co_return reply{json::object{{"removed", name}}};
}

async<reply> webhooks_api::resume(call call) {
    const auto& name = call.text("name");
    CO_CHECK_OK(co_await within(deps_.clock, engine_timeout, deps_.webhooks.resume(name)));
    co_return reply{json::object{{"resumed", name}}};
}

}  // namespace muster::api
