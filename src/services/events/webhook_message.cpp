#include "services/events/webhook_message.h"

#include "adapters/pki/hmac.h"
#include "base/hex.h"

#include <boost/json.hpp>

#include <chrono>
#include <utility>

namespace muster::events {

namespace json = boost::json;

std::string webhook_signature(
    std::string_view secret, std::string_view timestamp, std::string_view body) {
    std::string message(timestamp);
    message += '.';
    message += body;
    return "v1=" + to_hex(pki::hmac_sha256({.key = secret, .message = message}));
}

net::http::client_request webhook_message(
    const webhook_record& hook,
    const webhook_request& request,
    const system_names& names,
    wall_time now) {
    json::array events;
    for (const auto& item : request.items) events.push_back(event_json(item, names));
    auto body = json::serialize(json::object{
        {"webhook", hook.name},
        {"since", to_string(request.since)},
        {"next", to_string(request.next)},
        {"events", std::move(events)}});
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
    const auto timestamp = std::to_string(seconds);
    net::http::client_request message{.method = "POST", .url = hook.url};
    message.fields.emplace_back("Content-Type", "application/json");
    message.fields.emplace_back("User-Agent", "muster/" MUSTER_VERSION);
    message.fields.emplace_back("Muster-Webhook", hook.name);
    message.fields.emplace_back("Muster-Timestamp", timestamp);
    message.fields.emplace_back(
        "Muster-Signature", webhook_signature(hook.secret, timestamp, body));
    message.body = std::move(body);
    return message;
}

}  // namespace muster::events
