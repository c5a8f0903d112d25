#pragma once

#include "adapters/net/http/exchange.h"
#include "adapters/net/http/request_head.h"
#include "adapters/pki/fingerprint.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net::http {

using captures = std::vector<std::pair<std::string, std::string>>;

// What a handler gets. Moves with the handler's coroutine.
class request {
public:
    request(request_head head, exchange& with) : head_(std::move(head)), with_(&with) {}

    std::string_view method() const { return head_.method(); }
    std::string_view path() const { return head_.path(); }
    std::optional<std::string_view> field(std::string_view name) const { return head_.field(name); }
    std::optional<std::string> query(std::string_view name) const;
    std::string_view whole_query() const { return head_.query(); }  // as sent
    // What stood in the place of `{name}` in the route; decoded. The route must have such a place.
    const std::string& captured(std::string_view name) const;

    // The body piece by piece; empty at its end. Bounded in size and time by the route and limits.
    async<std::string> next_body_piece() { return with_->read_body(); }
    // The whole body.
    async<std::string> body();

    boost::asio::ip::address client_address() const { return with_->client_address(); }
    // Set only when the client showed a certificate that the cluster's CA has signed.
    std::optional<pki::certificate> client_certificate() const {
        return with_->client_certificate();
    }
    result<pki::channel_binding> channel_binding() const { return with_->channel_binding(); }
    // Who the `Authorization: Muster` field proves the agent at the other end to be.
    result<pki::fingerprint> agent() const;

    void set_captures(captures captures) { captures_ = std::move(captures); }

private:
    request_head head_;
    exchange* with_;
    captures captures_;
};

}  // namespace muster::net::http
