#include "services/events/webhook_record.h"

#include "adapters/net/http/url.h"
#include "adapters/pki/certificate.h"
#include "core/events/event_filter.h"
#include "runtime/json/record_reader.h"
#include "services/events/webhook_address_policy.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::events {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;
using runtime::stored_time;

bool is_letter_of_name(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
}

result<void> check_url(const std::string& url) {
    if (url.size() > webhook_limits::url_bytes_max)
        return fail(errc::invalid, "`url` is longer than 2048 bytes");
    TRY(const auto read, net::http::parse_url(url));
    if (read.over == net::http::url::security::tls || is_this_machine(read.where.host)) return {};
    return fail(
        errc::invalid, "`url` must begin with https://; plain http is for 127.0.0.1 and ::1 only");
}

json::value time_or_null(const std::optional<wall_time>& when) {
    if (!when) return nullptr;
    return stored_time(*when);
}

}  // namespace

result<void> check(const webhook_record& hook) {
    const bool named = !hook.name.empty() && hook.name.size() <= webhook_limits::name_bytes_max
                       && std::ranges::all_of(hook.name, is_letter_of_name);
    if (!named)
        return fail(errc::invalid, "a webhook's `name` is 1 to 63 letters, digits, '-' and '_'");
    CHECK_OK(check_url(hook.url));
    CHECK_OK(filter_of(hook.kinds));
    if (hook.secret.size() < webhook_limits::secret_bytes_min
        || hook.secret.size() > webhook_limits::secret_bytes_max)
        return fail(errc::invalid, "`secret` must have from 16 to 256 bytes");
    if (hook.authorities.size() > webhook_limits::authorities_bytes_max)
        return fail(errc::invalid, "`ca` is longer than 64 KiB");
    if (hook.authorities.empty()) return {};
    const auto read = pki::certificate::chain_from_pem(hook.authorities);
    if (!read) return fail(errc::invalid, "`ca` must be certificates in PEM");
    return {};
}

std::string encode(const webhook_record& webhook) {
    return json::serialize(json::object{
        {"name", webhook.name},
        {"url", webhook.url},
        {"kinds", runtime::stored_list(webhook.kinds)},
        {"secret", webhook.secret},
        {"authorities", webhook.authorities},
        {"made_by", webhook.made_by},
        {"made", stored_time(webhook.made)}});
}

result<webhook_record> decode_webhook(std::string_view text) {
    TRY(auto all, json_record_reader::of("webhook", text));
    webhook_record read{
        .name = all.text("name"),
        .url = all.text("url"),
        .kinds = all.list("kinds"),
        .secret = all.text("secret"),
        .authorities = all.text("authorities"),
        .made_by = all.text("made_by"),
        .made = all.time("made")};
    return all.finish(std::move(read));
}

std::string encode(const webhook_progress& webhook_progress) {
    return json::serialize(json::object{
        {"events", webhook_progress.position.events},
        {"tasks", webhook_progress.position.tasks},
        {"delivered", webhook_progress.delivered},
        {"failures", webhook_progress.failures},
        {"last_error", webhook_progress.last_error},
        {"failing_since", time_or_null(webhook_progress.failing_since)},
        {"last_delivery", time_or_null(webhook_progress.last_delivery)},
        {"given_up", webhook_progress.given_up}});
}

result<webhook_progress> decode_progress(std::string_view text) {
    TRY(auto all, json_record_reader::of("progress of a webhook", text));
    webhook_progress read{
        .position = {.events = all.integer("events"), .tasks = all.integer("tasks")},
        .delivered = all.integer("delivered"),
        .failures = all.integer("failures"),
        .last_error = all.text("last_error"),
        .failing_since = all.find_time("failing_since"),
        .last_delivery = all.find_time("last_delivery"),
        .given_up = all.boolean("given_up")};
    return all.finish(std::move(read));
}

}  // namespace muster::events
