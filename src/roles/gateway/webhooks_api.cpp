#include "roles/gateway/webhooks_api.h"

#include "adapters/os/random.h"
#include "base/hex.h"
#include "core/events/event_filter.h"
#include "ports/deadline.h"
#include "roles/cluster/json_members.h"
#include "roles/gateway/json_body.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::gateway {
namespace {

namespace http = net::http;
namespace json = boost::json;
using events::event_position;
using events::webhook_book;

constexpr std::size_t body_bytes_max = 128 * std::size_t{1024};
constexpr std::size_t secret_bytes = 24;

http::response told(unsigned status, const json::value& what) {
    return no_store(http::json(status, json::serialize(what)));
}

json::value time_json(const std::optional<wall_time>& when) {
    json::value shown;
    if (when) shown = cluster::iso_time(*when);
    return shown;
}

const char* state_of(const events::webhook_progress& how) {
    if (how.given_up) return "given up";
    return how.failures > 0 ? "failing" : "well";
}

// An upper bound: what lies between may be for others.
std::int64_t behind(const webhook_book::entry& one, const event_position& end) {
    const auto wanted = events::filter_of(one.hook.kinds);
    const auto& at = one.progress.position;
    auto count = std::max(std::int64_t{0}, end.events - at.events);
    if (wanted && wanted->returns) count += std::max(std::int64_t{0}, end.tasks - at.tasks);
    return count;
}

json::object hook_json(const webhook_book::entry& one, const event_position& end) {
    return {
        {"name", one.hook.name},
        {"url", one.hook.url},
        {"kinds", cluster::stored_list(one.hook.kinds)},
        {"state", state_of(one.progress)},
        {"behind", behind(one, end)},
        {"delivered", one.progress.delivered},
        {"failures", one.progress.failures},
        {"last_error",
         one.progress.last_error.empty() ? json::value(nullptr)
                                         : json::value(one.progress.last_error)},
        {"failing_since", time_json(one.progress.failing_since)},
        {"last_delivery", time_json(one.progress.last_delivery)},
        {"cursor", to_string(one.progress.position)},
        {"made_by", one.hook.made_by},
        {"made", cluster::iso_time(one.hook.made)}};
}

struct wanted_hook {
    events::webhook_record hook;
    std::string since;
    bool own_secret = false;  // the server made it
};

result<wanted_hook> read_hook(const std::string& text) {
    TRY(auto body, json_body::parse(text));
    wanted_hook read;
    TRY(read.hook.name, body.text("name"));
    TRY(read.hook.url, body.text("url"));
    TRY(auto kinds, body.optional_list("kinds"));
    if (kinds) read.hook.kinds = *std::move(kinds);
    TRY(auto secret, body.optional_text("secret"));
    TRY(auto authorities, body.optional_text("ca"));
    TRY(auto since, body.optional_text("since"));
    CHECK_OK(body.finish());
    read.own_secret = !secret;
    read.hook.secret = secret ? *std::move(secret) : to_hex(os::random_bytes(secret_bytes));
    read.hook.authorities = authorities.value_or("");
    read.since = since.value_or("now");
    return read;
}

}  // namespace

webhooks_api::answer webhooks_api::settled(answer work) {
    auto done = co_await std::move(work);
    if (!done) co_return refused(done.error());
    co_return done;
}

http::handler webhooks_api::calling(answer (webhooks_api::*method)(http::request)) {
    return [this, method](http::request asked) {
        return settled((this->*method)(std::move(asked)));
    };
}

result<void> webhooks_api::add_routes(http::router& routes) {
    const auto with_body = [this](auto method) {
        return http::route{.handle = calling(method), .body_bytes_max = body_bytes_max};
    };
    const std::string all = "/api/v1/webhooks";
    const std::string one = all + "/{name}";
    CHECK_OK(routes.add("GET", all, {calling(&webhooks_api::list)}));
    CHECK_OK(routes.add("POST", all, with_body(&webhooks_api::add)));
    CHECK_OK(routes.add("GET", one, {calling(&webhooks_api::show)}));
    CHECK_OK(routes.add("DELETE", one, with_body(&webhooks_api::remove)));
    return routes.add("POST", one + "/resume", with_body(&webhooks_api::resume));
}

async<void> webhooks_api::recorded(
    visitor who, std::string what, std::string detail, result<void> outcome) const {
    deed done{
        .who = who.user,
        .what = std::move(what),
        .origin = who.origin,
        .outcome = outcome ? "done" : "refused",
        .detail = outcome ? detail : detail + ": " + outcome.error().detail()};
    const auto written =
        co_await within(around_.time, engine_patience, who.desk->audit.record(std::move(done)));
    if (!outcome) co_return outcome;
    co_return written;
}

async<event_position> webhooks_api::start_of(std::string since) const {
    if (since == "now") co_return co_await around_.log.end();
    const auto read = events::parse_event_position(since);
    if (!read) co_return fail(errc::invalid, "`since` must be a cursor of an event, or now");
    CO_CHECK_OK(co_await around_.log.check(*read));
    co_return *read;
}

webhooks_api::answer webhooks_api::list(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    CO_TRY(const auto all, co_await within(around_.time, engine_patience, around_.book.all()));
    CO_TRY(const auto end, co_await within(around_.time, engine_patience, around_.log.end()));
    json::array items;
    for (const auto& each : all) items.push_back(hook_json(each, end));
    co_return told(200, json::object{{"items", std::move(items)}, {"next", nullptr}});
}

webhooks_api::answer webhooks_api::show(http::request asked) {
    CO_CHECK_OK(co_await around_.desk.admit(asked));
    auto finding = around_.book.find(asked.captured("name"));
    CO_TRY(const auto one, co_await within(around_.time, engine_patience, std::move(finding)));
    CO_TRY(const auto end, co_await within(around_.time, engine_patience, around_.log.end()));
    co_return told(200, hook_json(one, end));
}

webhooks_api::answer webhooks_api::add(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    CO_TRY(const auto text, co_await asked.body());
    CO_TRY(auto wanted, read_hook(text));
    const auto open = around_.gate.check(wanted.hook.url);
    if (!open) {
        const auto tried = wanted.hook.name + " to " + wanted.hook.url;
        CO_CHECK_OK(co_await recorded(std::move(who), "webhook.add", tried, open));
    }
    wanted.hook.made_by = who.user;
    wanted.hook.made = around_.time.wall();
    auto finding = start_of(wanted.since);
    CO_TRY(const auto from, co_await within(around_.time, engine_patience, std::move(finding)));
    webhook_book::entry made{.hook = wanted.hook, .made = {}, .progress = {}, .saved = {}};
    made.progress.position = from;
    const auto added = co_await within(
        around_.time, engine_patience, around_.book.add(std::move(wanted.hook), from));
    const auto detail = made.hook.name + " to " + made.hook.url;
    CO_CHECK_OK(co_await recorded(std::move(who), "webhook.add", detail, added));
    auto shown = hook_json(made, from);
    if (wanted.own_secret) shown["secret"] = made.hook.secret;
    co_return told(201, shown);
}

webhooks_api::answer webhooks_api::remove(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    const auto& name = asked.captured("name");
    const auto removed = co_await within(around_.time, engine_patience, around_.book.remove(name));
    CO_CHECK_OK(co_await recorded(std::move(who), "webhook.remove", name, removed));
    co_return told(200, json::object{{"removed", name}});
}

webhooks_api::answer webhooks_api::resume(http::request asked) {
    CO_TRY(auto who, co_await around_.desk.admit(asked));
    const auto& name = asked.captured("name");
    const auto resumed = co_await within(around_.time, engine_patience, around_.book.resume(name));
    CO_CHECK_OK(co_await recorded(std::move(who), "webhook.resume", name, resumed));
    co_return told(200, json::object{{"resumed", name}});
}

}  // namespace muster::gateway
