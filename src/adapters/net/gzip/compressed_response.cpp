#include "adapters/net/gzip/compressed_response.h"

#include "adapters/net/gzip/gzip_codec.h"
#include "adapters/net/http/accepted.h"

#include <optional>
#include <string>
#include <utility>

namespace muster::net::gzip {
namespace {

// A connection that packs what is written to it.
class packing_exchange final : public http::exchange {
public:
    explicit packing_exchange(http::exchange& to) : to_(to) {}

    async<void> write_body(std::string piece) override { return pass_on(packing_.pack(piece)); }
    async<void> finish() { return pass_on(packing_.finish()); }

    async<std::string> read_body() override { return to_.read_body(); }
    async<void> until_gone() override { return to_.until_gone(); }
    boost::asio::ip::address client_address() const override { return to_.client_address(); }
    result<pki::channel_binding> channel_binding() const override { return to_.channel_binding(); }
    std::optional<pki::certificate> client_certificate() const override {
        return to_.client_certificate();
    }
    muster::clock& clock() override { return to_.clock(); }
    monotonic::duration event_heartbeat() const override { return to_.event_heartbeat(); }

private:
    // Nothing may come of a short piece yet.
    async<void> pass_on(std::string packed) {
        if (packed.empty()) co_return result<void>();
        co_return co_await to_.write_body(std::move(packed));
    }

    http::exchange& to_;
    packer packing_;
};

async<void> stream_packed(http::body_writer to, http::body_source from) {
    packing_exchange through(to.connection());
    CO_CHECK_OK(co_await from(http::body_writer(through)));
    co_return co_await through.finish();
}

}  // namespace

http::response compressed_response(http::response response, std::string_view accepted) {
    const bool long_enough = response.stream || response.body.size() > unpacked_bytes_max;
    if (!long_enough) return response;
    response.fields.emplace_back("Vary", "Accept-Encoding");
    if (!http::accepts(accepted, "gzip")) return response;
    response.fields.emplace_back("Content-Encoding", "gzip");
    if (response.stream) {
        response.stream = [from = std::move(response.stream)](http::body_writer to) {
            return stream_packed(to, from);
        };
        return response;
    }
    packer packing;
    auto body = packing.pack(response.body);
    body += packing.finish();
    response.body = std::move(body);
    return response;
}

}  // namespace muster::net::gzip
