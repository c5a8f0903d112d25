#pragma once

#include "adapters/net/http/admission.h"
#include "adapters/net/http/body_decoder.h"
#include "adapters/net/http/exchange.h"
#include "adapters/net/http/request_head.h"
#include "adapters/net/http/response.h"
#include "adapters/net/http/serialise.h"
#include "adapters/net/http/service.h"
#include "adapters/net/http/worker.h"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace muster::net::http {

// Serves one client: TLS handshake, then requests strictly in order, or an agent connection.
// An idle connection holds no buffer. Not thread-safe; lives on its worker's event loop.
class connection final : public exchange, public worker_task {
public:
    struct options {
        std::unique_ptr<net::stream> stream;
        std::shared_ptr<const http::service> service;
        boost::asio::ip::address client;
        admission::permit permit;
        worker::connection_count connection_count;
    };

    connection(http::worker& worker, options options);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() override;

    boost::asio::awaitable<void> serve() override;
    void drain() override;

    async<std::string> read_body() override;
    async<void> write_body(std::string piece) override;
    async<void> wait_for_disconnect() override;
    boost::asio::ip::address client_address() const override { return client_; }
    result<pki::channel_binding> channel_binding() const override;
    std::optional<pki::certificate> client_certificate() const override;
    muster::clock& clock() override { return worker_.clock(); }
    monotonic::duration event_heartbeat() const override {
        return worker_.limits().event_heartbeat;
    }

private:
    enum class phase { handshake, idle, working, events, channel };
    enum class read_result { more, ended, broken, timed_out };

    // The request that is being worked on.
    struct current_request {
        http::version version = http::version::http_1_1;
        bool is_head = false;
        bool keep_alive = true;
        bool owes_continue = false;
        body_decoder body{body_framing{}};
        std::uint64_t body_bytes = 0;
        std::uint64_t body_bytes_max = 0;
        instant body_deadline = instant::max();
        std::optional<http_error> error;  // why the body is refused
        body_form form = body_form::sized;
    };

    boost::asio::awaitable<bool> handshake();
    boost::asio::awaitable<void> serve_channel();
    boost::asio::awaitable<void> serve_http();
    boost::asio::awaitable<bool> serve_request();
    boost::asio::awaitable<std::optional<request_head>> read_head();
    boost::asio::awaitable<response> respond_to(request_head head);
    boost::asio::awaitable<response> run_handler(const route* route, request request);
    async<response> run_handler_within_limit(const route* route, request request);
    boost::asio::awaitable<bool> send(response response);
    boost::asio::awaitable<bool> send_stream(response response);
    boost::asio::awaitable<read_result> fill();
    boost::asio::awaitable<read_result> read_first_bytes();
    async<void> flush();
    boost::asio::awaitable<void> linger();

    std::optional<read_result> try_fill(step& step);
    parsed<std::optional<request_head>> parse_head(std::size_t& scanned);
    void begin(const request_head& head);
    bool body_is_finished();
    std::unexpected<muster::error> refuse_body(http_error error);
    bool try_send(std::string_view bytes);
    void send_error(const http_error& error);
    response_form form_of(const response& response) const;

    http::worker& worker_;
    std::shared_ptr<const http::service> service_;
    boost::asio::ip::address client_;
    admission::permit permit_;
    worker::connection_count connection_count_;
    std::unique_ptr<net::stream> stream_;
    watchdog::stream_deadline deadline_;
    phase phase_ = phase::handshake;
    current_request request_;
    std::string received_;  // bytes that are not parsed yet
    std::string outgoing_;  // survives a cancelled flush, so that no TLS record is torn
    std::size_t outgoing_sent_ = 0;
};

}  // namespace muster::net::http
