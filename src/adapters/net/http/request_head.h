#pragma once

#include "adapters/net/http/body_framing.h"
#include "adapters/net/http/head.h"
#include "adapters/net/http/http_error.h"

#include <string>
#include <string_view>

namespace muster::net::http {

enum class version { http_1_0, http_1_1 };

// The validated head of a request: everything that parse() accepts has one meaning.
class request_head {
public:
    static parsed<request_head> parse(std::string_view text, head_limits limits);

    std::string_view method() const { return head_.word(0); }
    std::string_view target() const { return head_.word(1); }
    std::string_view path() const;   // as sent: still percent-encoded, without the query
    std::string_view query() const;  // as sent, without the question mark
    std::optional<std::string_view> field(std::string_view name) const { return head_.field(name); }

    http::version version() const { return version_; }
    body_framing body() const { return body_; }
    bool keep_alive() const { return keep_alive_; }
    bool expects_continue() const { return expects_continue_; }

private:
    explicit request_head(http::head head) : head_(std::move(head)) {}
    parsed<void> check_first_line();
    parsed<void> check_fields();

    http::head head_;
    http::version version_ = http::version::http_1_1;
    body_framing body_;
    bool keep_alive_ = true;
    bool expects_continue_ = false;
};

}  // namespace muster::net::http
