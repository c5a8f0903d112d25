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

struct answer_head {
    unsigned status = 0;
    head lines;
};

// The client's end of one connection: one request at a time.
class client_connection {
public:
    client_connection(std::unique_ptr<net::stream> over, url to, client_limits allowed)
        : stream_(std::move(over)), to_(std::move(to)), allowed_(allowed) {}

    bool leads_to(const url& other) const {
        return to_.where == other.where && to_.over == other.over;
    }
    // Whether the server has neither closed it nor said anything unasked.
    bool is_quiet();
    // A server may answer before it has read everything; what it did not read is still to come.
    bool is_reusable() const { return keep_alive_ && sent_whole_ && body_.at_end(); }

    // The Authorization field of this agent on this connection; signed once.
    result<std::string> authorization(const pki::private_key& agent);

    async<void> send(std::string request);
    async<answer_head> read_head(answered_request request);
    async<std::string> read_body_piece();

    bool used_before() const { return used_before_; }
    void mark_idle(instant since) {
        idle_since_ = since;
        used_before_ = true;
    }
    instant idle_since() const { return idle_since_; }

private:
    async<bool> fill();
    result<answer_head> parse_head(std::string_view text, answered_request request);

    std::unique_ptr<net::stream> stream_;
    url to_;
    client_limits allowed_;
    std::string authorization_;
    std::string in_;
    body_decoder body_{body_framing{}};
    bool keep_alive_ = true;
    bool sent_whole_ = true;
    bool used_before_ = false;
    instant idle_since_{};
};

}  // namespace muster::net::http
