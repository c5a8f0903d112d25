#pragma once

#include "adapters/net/http/exchange.h"
#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net::http {

// Writes a streamed response. A small handle: pass it by value.
class body_writer {
public:
    explicit body_writer(http::exchange& exchange) : exchange_(&exchange) {}

    // Waits while a slow client has unsent bytes, so that memory stays bounded.
    async<void> write(std::string piece) { return exchange_->write_body(std::move(piece)); }

    http::exchange& connection() const { return *exchange_; }

private:
    http::exchange* exchange_;
};

// Produces a body piece by piece. An error cuts the connection, so that the client does not take
// the body for complete.
using body_source = std::function<async<void>(body_writer)>;

using field_list = std::vector<std::pair<std::string, std::string>>;

struct response {
    unsigned status = 200;
    field_list fields = {};
    std::string body = {};
    body_source stream = nullptr;  // instead of `body`
};

response text(unsigned status, std::string body);
response json(unsigned status, std::string body);
// RFC 9457 problem+json.
response problem(unsigned status, std::string_view detail);
// 404 for not_found, 409 for conflict, and so on; 503 carries Retry-After.
response problem(const error& failure);

std::string_view reason_phrase(unsigned status);
std::string quoted_json(std::string_view text);

}  // namespace muster::net::http
