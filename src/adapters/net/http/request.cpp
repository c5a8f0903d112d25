#include "adapters/net/http/request.h"

#include "adapters/net/http/uri.h"
#include "adapters/pki/agent_proof.h"
#include "base/assert.h"

#include <algorithm>

namespace muster::net::http {

std::optional<std::string> request::query(std::string_view name) const {
    return query_value(head_.query(), name);
}

const std::string& request::capture(std::string_view name) const {
    const auto it =
        std::ranges::find(captures_, name, [](const auto& entry) { return entry.first; });
    MUSTER_ASSERT(it != captures_.end());
    return it->second;
}

namespace {

async<std::string> read_whole(http::exchange* exchange) {
    std::string body;
    while (true) {
        CO_TRY(const std::string piece, co_await exchange->read_body());
        if (piece.empty()) co_return body;
        body += piece;
    }
}

}  // namespace

async<std::string> request::body() {
    return read_whole(exchange_);
}

result<pki::fingerprint> request::agent() const {
    const auto authorization = field("authorization");
    if (!authorization) {
        return fail(errc::denied, "agent proof required in the Authorization field: Muster …");
    }
    TRY(const auto binding, channel_binding());
    return pki::verify_agent_authorization(binding, *authorization);
}

}  // namespace muster::net::http
