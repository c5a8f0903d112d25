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
        std::chrono::seconds(15);                               // from request to answer's head
    monotonic::duration whole_time = std::chrono::seconds(60);  // send(): everything
    monotonic::duration stall_time = std::chrono::seconds(60);  // between pieces of a stream
    monotonic::duration idle_time = std::chrono::seconds(30);   // a kept connection
    std::size_t idle_connections_max = 16;
    std::size_t header_bytes_max = std::size_t{32} * 1024;
    std::size_t fields_max = 200;
    std::size_t body_bytes_max = std::size_t{16} * 1024 * 1024;
};

struct outgoing {
    std::string method = "GET";
    std::string url;
    field_list fields = {};
    std::string body = {};
};

struct answer {
    unsigned status = 0;
    head lines;
    std::string body;

    std::optional<std::string_view> field(std::string_view name) const { return lines.field(name); }
};

// Sends requests and keeps connections for the next ones. errc::unavailable means that the request
// was not sent; errc::timed_out that it was, and nobody knows whether it was done; errc::denied
// that one side refused the other's certificate. A status such as 404 is an answer, not an error.
//
// Lives on one executor with its callers; outlives their calls.
class client {
public:
    struct options {
        muster::clock* clock;
        std::shared_ptr<const tls_client> tls = nullptr;  // needed for https
        client_limits allowed = {};
        // Proves on every connection that this agent is at this end: `Authorization: Muster`.
        std::optional<pki::private_key> agent = std::nullopt;
        // Which addresses may be called, also in the clear; none: any with TLS, else loopback.
        std::shared_ptr<const address_filter> addresses = nullptr;
        std::optional<endpoint> through = std::nullopt;  // a SOCKS5 proxy
    };

    explicit client(options options);
    client(const client&) = delete;
    client& operator=(const client&) = delete;
    ~client();

    // An answer whose body comes piece by piece.
    class stream {
    public:
        stream(stream&&) noexcept;
        stream& operator=(stream&&) noexcept;
        stream(const stream&) = delete;
        stream& operator=(const stream&) = delete;
        ~stream();  // hangs up when the body has not been read to its end

        unsigned status() const { return status_; }
        std::optional<std::string_view> field(std::string_view name) const {
            return lines_.field(name);
        }
        // Empty at the end.
        async<std::string> next();

    private:
        friend class client;
        stream(client& of, unsigned status, head lines, std::unique_ptr<client_connection> from);

        client* of_;
        unsigned status_;
        head lines_;
        std::unique_ptr<client_connection> from_;
    };

    async<answer> send(outgoing outgoing);
    async<stream> open(outgoing outgoing);

    std::size_t idle_connections() const { return idle_.size(); }

private:
    async<answer> send_whole(outgoing outgoing);
    async<stream> open_at(outgoing outgoing, url to);
    async<std::unique_ptr<client_connection>> connection_to(url to);
    async<std::unique_ptr<client_connection>> new_connection(url to);
    std::unique_ptr<client_connection> take_idle(const url& to);
    void keep(std::unique_ptr<client_connection> done);

    options wanted_;
    std::list<std::unique_ptr<client_connection>> idle_;  // the longest unused first
};

}  // namespace muster::net::http
