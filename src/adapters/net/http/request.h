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

// A request as its handler gets it. Moves with the handler's coroutine.
class request {
public:
    request(request_head head, http::exchange& exchange)
        : head_(std::move(head)), exchange_(&exchange) {}

    std::string_view method() const { return head_.method(); }
    std::string_view path() const { return head_.path(); }
    std::optional<std::string_view> field(std::string_view name) const { return head_.field(name); }
    std::optional<std::string> query(std::string_view name) const;
    std::string_view raw_query() const { return head_.query(); }  // as sent
    // The decoded value of `{name}` in the route, which must have such a segment.
    const std::string& capture(std::string_view name) const;

    // The next piece of the body; empty at its end. The route and the limits bound size and time.
    async<std::string> read_body_piece() { return exchange_->read_body(); }
    // The whole body.
    async<std::string> body();

    boost::asio::ip::address client_address() const { return exchange_->client_address(); }
    // Set only if the client presented a certificate signed by the cluster's CA.
    std::optional<pki::certificate> client_certificate() const {
        return exchange_->client_certificate();
    }
    result<pki::channel_binding> channel_binding() const { return exchange_->channel_binding(); }
    // The agent authenticated by the `Authorization: Muster` field.
    result<pki::fingerprint> agent() const;

    void set_captures(captures captures) { captures_ = std::move(captures); }

private:
    request_head head_;
    http::exchange* exchange_;
    captures captures_;
};

}  // namespace muster::net::http
