#pragma once

#include "adapters/net/http/client.h"
#include "services/events/event_json.h"
#include "services/events/webhook_record.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::events {

// One POST to the receiver of a webhook: a JSON object with `webhook`, `since`, `next` and
// `events`, and the headers Muster-Webhook, Muster-Timestamp (seconds) and Muster-Signature.
struct webhook_request {
    event_position since;
    event_position next;
    std::vector<event_log::item> items;
};
net::http::client_request webhook_message(
    const webhook_record& hook,
    const webhook_request& request,
    const system_names& names,
    wall_time now);

// Returns "v1=" and the HMAC-SHA256, in hex, of the timestamp, a dot and the body. A receiver that
// checks signature and time detects forged and replayed messages.
std::string webhook_signature(
    std::string_view secret, std::string_view timestamp, std::string_view body);

}  // namespace muster::events
