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

// One client's connection: handshake, then requests one after the other, in the order in which they
// came. While it waits for the next request it holds no buffer and one small coroutine.
class connection final : public exchange, public served {
public:
    struct options {
        std::unique_ptr<net::stream> over;
        std::shared_ptr<const service> what;
        boost::asio::ip::address client;
        admission::place place;
        worker::seat seat;
    };

    connection(worker& on, options options);
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;
    ~connection() override;

    boost::asio::awaitable<void> serve() override;
    void drain() override;

    async<std::string> read_body() override;
    async<void> write_body(std::string piece) override;
    async<void> until_gone() override;
    boost::asio::ip::address client_address() const override { return client_; }
    result<pki::channel_binding> channel_binding() const override;
    std::optional<pki::certificate> client_certificate() const override;
    muster::clock& clock() override { return on_.clock(); }
    monotonic::duration event_heartbeat() const override { return on_.allowed().event_heartbeat; }

private:
    enum class phase { handshake, idle, working, events, channel };
    enum class filled { more, ended, broken, too_late };

    // The request that is being worked on.
    struct current_request {
        http::version version = http::version::http_1_1;
        bool is_head = false;
        bool keep_alive = true;
        bool continue_owed = false;
        body_decoder body{body_framing{}};
        std::uint64_t body_bytes = 0;
        std::uint64_t body_bytes_max = 0;
        instant body_deadline = instant::max();
        std::optional<refusal> refused;  // the body turned out to be unacceptable
        body_form form = body_form::sized;
    };

    boost::asio::awaitable<bool> shake_hands();
    boost::asio::awaitable<void> serve_channel();
    boost::asio::awaitable<void> serve_http();
    boost::asio::awaitable<bool> serve_request();
    boost::asio::awaitable<std::optional<request_head>> read_head();
    boost::asio::awaitable<response> answer_for(request_head head);
    boost::asio::awaitable<response> answer_by(const route* to, request request);
    async<response> answer_in_time(const route* to, request request);
    boost::asio::awaitable<bool> send(response answer);
    boost::asio::awaitable<bool> send_stream(response answer);
    boost::asio::awaitable<filled> fill();
    boost::asio::awaitable<filled> first_bytes();
    async<void> flush();
    boost::asio::awaitable<void> linger();

    std::optional<filled> try_fill(step& step);
    parsed<std::optional<request_head>> take_head(std::size_t& scanned);
    void begin(const request_head& head);
    bool body_is_finished();
    std::unexpected<error> refuse_body(refusal why);
    bool try_send(std::string_view bytes);
    void refuse_now(const refusal& why);
    answer_form form_of(const response& answer) const;

    worker& on_;
    std::shared_ptr<const service> what_;
    boost::asio::ip::address client_;
    admission::place place_;
    worker::seat seat_;
    std::unique_ptr<net::stream> stream_;
    watchdog::watched deadline_;
    phase phase_ = phase::handshake;
    current_request now_;
    std::string in_;   // received and not used yet
    std::string out_;  // to be sent; survives a cancelled flush, so that no record is torn
    std::size_t out_sent_ = 0;
};

}  // namespace muster::net::http
