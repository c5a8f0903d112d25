#include "adapters/net/gzip/compressed_response.h"

#include "adapters/net/gzip/gzip_codec.h"
#include "adapters/net/http/accept_header.h"

#include <optional>
#include <string>
#include <utility>

namespace muster::net::gzip {
namespace {

// Compresses what is written to an exchange.
class gzip_exchange final : public http::exchange {
public:
    explicit gzip_exchange(http::exchange& exchange) : exchange_(exchange) {}

    async<void> write_body(std::string piece) override { return forward(encoder_.encode(piece)); }
    async<void> finish() { return forward(encoder_.finish()); }

    async<std::string> read_body() override { return exchange_.read_body(); }
    async<void> wait_for_disconnect() override { return exchange_.wait_for_disconnect(); }
    boost::asio::ip::address client_address() const override { return exchange_.client_address(); }
    result<pki::channel_binding> channel_binding() const override {
        return exchange_.channel_binding();
    }
    std::optional<pki::certificate> client_certificate() const override {
        return exchange_.client_certificate();
    }
    muster::clock& clock() override { return exchange_.clock(); }
    monotonic::duration event_heartbeat() const override { return exchange_.event_heartbeat(); }

private:
    // A short piece may produce no output yet.
    async<void> forward(std::string compressed) {
        if (compressed.empty()) co_return result<void>();
        co_return co_await exchange_.write_body(std::move(compressed));
    }

    http::exchange& exchange_;
    gzip_encoder encoder_;
};

async<void> stream_compressed(http::body_writer body, http::body_source source) {
    gzip_exchange compressing(body.connection());
    CO_CHECK_OK(co_await source(http::body_writer(compressing)));
    co_return co_await compressing.finish();
}

}  // namespace

http::response compressed_response(http::response response, std::string_view accepted) {
    const bool long_enough = response.stream || response.body.size() > uncompressed_bytes_max;
    if (!long_enough) return response;
    response.fields.emplace_back("Vary", "Accept-Encoding");
    if (!http::accepts(accepted, "gzip")) return response;
    response.fields.emplace_back("Content-Encoding", "gzip");
    if (response.stream) {
        response.stream = [source = std::move(response.stream)](http::body_writer body) {
            return stream_compressed(body, source);
        };
        return response;
    }
    gzip_encoder encoder;
    auto body = encoder.encode(response.body);
    body += encoder.finish();
    response.body = std::move(body);
    return response;
}

}  // namespace muster::net::gzip
