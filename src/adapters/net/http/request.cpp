#include "adapters/net/http/request.h"

#include "adapters/net/http/uri.h"
#include "adapters/pki/agent_proof.h"
#include "base/assert.h"

#include <algorithm>

namespace muster::net::http {

std::optional<std::string> request::query(std::string_view name) const {
    return query_value(head_.query(), name);
}

const std::string& request::captured(std::string_view name) const {
    const auto it = std::ranges::find(captures_, name, [](const auto& each) { return each.first; });
    MUSTER_ASSERT(it != captures_.end());
    return it->second;
}

namespace {

async<std::string> read_whole(exchange* with) {
    std::string whole;
    while (true) {
        CO_TRY(const std::string piece, co_await with->read_body());
        if (piece.empty()) co_return whole;
        whole += piece;
    }
}

}  // namespace

async<std::string> request::body() {
    return read_whole(with_);
}

result<pki::fingerprint> request::agent() const {
    const auto authorization = field("authorization");
    if (!authorization) {
        return fail(
            errc::denied, "this needs an agent's proof in the Authorization field: Muster …");
    }
    TRY(const auto binding, channel_binding());
    return pki::authenticated_agent(binding, *authorization);
}

}  // namespace muster::net::http
