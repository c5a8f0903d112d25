#pragma once

#include "adapters/net/http/head.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/url.h"
#include "adapters/net/outbound_address_policy.h"
#include "adapters/net/tls_context.h"
#include "adapters/pki/key.h"
#include "ports/async.h"
#include "ports/clock.h"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace muster::net::http {

class client_connection;

struct client_limits {
    monotonic::duration connect_time = std::chrono::seconds(5);
    monotonic::duration first_byte_time =
        std::chrono::seconds(15);                                 // from request to response head
    monotonic::duration request_time = std::chrono::seconds(60);  // send(): request and response
    monotonic::duration stall_time = std::chrono::seconds(60);    // between pieces of a stream
    monotonic::duration idle_time = std::chrono::seconds(30);     // a kept connection
    std::size_t idle_connections_max = 16;
    std::size_t header_bytes_max = std::size_t{32} * 1024;
    std::size_t fields_max = 200;
    std::size_t body_bytes_max = std::size_t{16} * 1024 * 1024;
};

struct client_request {
    std::string method = "GET";
    std::string url;
    field_list fields = {};
    std::string body = {};
};

struct client_response {
    unsigned status = 0;
    http::head head;
    std::string body;

    std::optional<std::string_view> field(std::string_view name) const { return head.field(name); }
};

// Sends requests and keeps connections for later ones. errc::unavailable: the request was not sent.
// errc::timed_out: it was sent and its effect is unknown. errc::denied: a certificate was refused.
// A status such as 404 is a response, not an error.
//
// Not thread-safe: callers share its executor. Must outlive their calls.
class client {
public:
    struct options {
        muster::clock* clock;
        std::shared_ptr<const tls_client> tls = nullptr;  // needed for https
        client_limits limits = {};
        // Authenticates this agent on every connection: `Authorization: Muster`.
        std::optional<pki::private_key> agent = std::nullopt;
        // Addresses that may be called, with or without TLS; null: any with TLS, else loopback.
        std::shared_ptr<const address_filter> allowed_addresses = nullptr;
        std::optional<endpoint> proxy = std::nullopt;  // SOCKS5
    };

    explicit client(options options);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    // A response whose body is read piece by piece.
    class stream {
    public:
        stream(stream&&) noexcept;
        stream& operator=(stream&&) noexcept;
        stream(const stream&) = delete;
        stream& operator=(const stream&) = delete;
        ~stream();  // closes the connection unless the body was read to its end

        unsigned status() const { return status_; }
        std::optional<std::string_view> field(std::string_view name) const {
            return head_.field(name);
        }
        // Empty at the end.
        async<std::string> next();

    private:
        friend class client;
        stream(
            client& client,
            unsigned status,
            http::head head,
            std::unique_ptr<client_connection> connection);

        client* client_;
        unsigned status_;
        http::head head_;
        std::unique_ptr<client_connection> connection_;
    };

    async<client_response> send(client_request request);
    async<stream> open(client_request request);

    std::size_t idle_connections() const { return idle_.size(); }

private:
    async<client_response> send_and_read(client_request request);
    async<stream> open_at(client_request request, url url);
    async<std::unique_ptr<client_connection>> get_connection(url url);
    async<std::unique_ptr<client_connection>> open_connection(url url);
    std::unique_ptr<client_connection> take_idle(const url& url);
    void keep_idle(std::unique_ptr<client_connection> connection);

    options options_;
    std::list<std::unique_ptr<client_connection>> idle_;  // longest unused first
};

}  // namespace muster::net::http
