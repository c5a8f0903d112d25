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

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
}

result<void> check_url(const std::string& url) {
    if (url.size() > webhook_limits::url_bytes_max)
        return fail(errc::invalid, "`url` is longer than 2048 bytes");
    TRY(const auto address, net::http::parse_url(url));
    if (address.transport == net::http::url::security::tls || is_this_machine(address.address.host))
        return {};
    return fail(
        errc::invalid,
        "`url` must begin with https://; plain http is allowed for 127.0.0.1 and ::1 only");
}

json::value time_or_null(const std::optional<wall_time>& when) {
    if (!when) return nullptr;
    return stored_time(*when);
}

}  // namespace

result<void> check(const webhook_record& hook) {
    const bool valid_name = !hook.name.empty() && hook.name.size() <= webhook_limits::name_bytes_max
                            && std::ranges::all_of(hook.name, is_name_letter);
    if (!valid_name)
        return fail(errc::invalid, "webhook `name` must be 1 to 63 letters, digits, '-' and '_'");
    CHECK_OK(check_url(hook.url));
    CHECK_OK(filter_of(hook.kinds));
    if (hook.secret.size() < webhook_limits::secret_bytes_min
        || hook.secret.size() > webhook_limits::secret_bytes_max)
        return fail(errc::invalid, "`secret` must be 16 to 256 bytes");
    if (hook.authorities.size() > webhook_limits::authorities_bytes_max)
        return fail(errc::invalid, "`ca` is longer than 64 KiB");
    if (hook.authorities.empty()) return {};
    const auto chain = pki::certificate::chain_from_pem(hook.authorities);
    if (!chain) return fail(errc::invalid, "`ca` must be certificates in PEM");
    return {};
}

std::string encode(const webhook_record& hook) {
    return json::serialize(json::object{
        {"name", hook.name},
        {"url", hook.url},
        {"kinds", runtime::stored_list(hook.kinds)},
        {"secret", hook.secret},
        {"authorities", hook.authorities},
        {"made_by", hook.created_by},
        {"made", stored_time(hook.created)}});
}

result<webhook_record> decode_webhook(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("webhook", text));
    webhook_record hook{
        .name = reader.text("name"),
        .url = reader.text("url"),
        .kinds = reader.list("kinds"),
        .secret = reader.text("secret"),
        .authorities = reader.text("authorities"),
        .created_by = reader.text("made_by"),
        .created = reader.time("made")};
    return reader.finish(std::move(hook));
}

std::string encode(const webhook_progress& progress) {
    return json::serialize(json::object{
        {"events", progress.position.events},
        {"tasks", progress.position.tasks},
        {"delivered", progress.delivered},
        {"failures", progress.failures},
        {"last_error", progress.last_error},
        {"failing_since", time_or_null(progress.failing_since)},
        {"last_delivery", time_or_null(progress.last_delivery)},
        {"given_up", progress.given_up}});
}

result<webhook_progress> decode_progress(std::string_view text) {
    TRY(auto reader, json_record_reader::parse("webhook progress", text));
    webhook_progress progress{
        .position = {.events = reader.integer("events"), .tasks = reader.integer("tasks")},
        .delivered = reader.integer("delivered"),
        .failures = reader.integer("failures"),
        .last_error = reader.text("last_error"),
        .failing_since = reader.find_time("failing_since"),
        .last_delivery = reader.find_time("last_delivery"),
        .given_up = reader.boolean("given_up")};
    return reader.finish(std::move(progress));
}

}  // namespace muster::events
