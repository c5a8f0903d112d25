#pragma once

#include "adapters/net/http/body_decoder.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/head.h"
#include "adapters/net/http/url.h"
#include "adapters/net/stream.h"
#include "ports/async.h"

#include <array>
#include <memory>
#include <string>

namespace muster::net::http {

struct response_head {
    unsigned status = 0;
    http::head head;
};

// The client's end of one connection; handles one request at a time. Not thread-safe.
class client_connection {
public:
    client_connection(std::unique_ptr<net::stream> stream, url url, client_limits limits)
        : stream_(std::move(stream)), url_(std::move(url)), limits_(limits) {}

    bool goes_to(const url& other) const {
        return url_.address == other.address && url_.transport == other.transport;
    }
    // True if the server neither closed the connection nor sent unexpected bytes.
    bool is_idle();
    // False after a response that came before the server read the whole request.
    bool is_reusable() const { return keep_alive_ && request_sent_ && body_.at_end(); }

    // The Authorization field of this agent for this connection; signed once.
    result<std::string> authorization(const pki::private_key& agent);

    async<void> send(std::string request);
    async<response_head> read_head(answered_request request);
    async<std::string> read_body_piece();

    bool used_before() const { return used_before_; }
    void mark_idle(instant since) {
        idle_since_ = since;
        used_before_ = true;
    }
    instant idle_since() const { return idle_since_; }

private:
    async<bool> fill();
    result<response_head> parse_head(std::string_view text, answered_request request);

    std::unique_ptr<net::stream> stream_;
    url url_;
    client_limits limits_;
    std::string authorization_;
    std::string received_;
    body_decoder body_{body_framing{}};
    bool keep_alive_ = true;
    bool request_sent_ = true;
    bool used_before_ = false;
    instant idle_since_{};
};

}  // namespace muster::net::http
