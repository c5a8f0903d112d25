#pragma once

#include "adapters/net/http/exchange.h"
#include "base/result.h"

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::net::http {

// Where a streamed answer goes. A small handle: pass it by value.
class body_writer {
public:
    explicit body_writer(exchange& to) : to_(&to) {}

    // Waits until the client has taken it, more or less: nothing piles up for a slow one.
    async<void> write(std::string piece) { return to_->write_body(std::move(piece)); }

    exchange& connection() const { return *to_; }

private:
    exchange* to_;
};

// Produces a body piece by piece. When it ends with an error the connection is cut, so that the
// client cannot take the part for the whole.
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
// RFC 9457 problem+json: what went wrong, for programs and for people.
response problem(unsigned status, std::string_view detail);
// 404 for not_found, 409 for conflict, and so on; 503 carries Retry-After.
response problem(const error& failure);

std::string_view reason_phrase(unsigned status);
std::string quoted_json(std::string_view text);

}  // namespace muster::net::http
