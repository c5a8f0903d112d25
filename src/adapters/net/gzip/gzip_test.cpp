#include "adapters/net/gzip/compressed_response.h"
#include "adapters/net/gzip/gzip_codec.h"
#include "base/prng.h"
#include "tests/harness/run_sync.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace muster::net::gzip {
namespace {

using harness::run_sync;

result<std::string> unpacked(std::string_view packed, std::size_t piece) {
    gzip_decoder decoder;
    std::string whole;
    for (std::size_t at = 0; at < packed.size(); at += piece) {
        decoder.feed(std::string(packed.substr(at, piece)));
        for (bool more = true; more;) {
            TRY(const auto block, decoder.next());
            whole += block;
            more = !block.empty();
        }
    }
    CHECK_OK(decoder.finish());
    return whole;
}

std::string packed(std::string_view text) {
    gzip_encoder encoder;
    auto result = encoder.encode(text);
    result += encoder.finish();
    return result;
}

// A connection that keeps what is written to it.
class kept_exchange final : public http::exchange {
public:
    async<void> write_body(std::string piece) override {
        largest = std::max(largest, piece.size());
        written += piece;
        co_return result<void>();
    }
    async<std::string> read_body() override { co_return std::string(); }
    async<void> wait_for_disconnect() override { co_return fail(errc::cancelled, "nobody waits"); }
    boost::asio::ip::address client_address() const override { return {}; }
    result<pki::channel_binding> channel_binding() const override {
        return fail(errc::unavailable, "none");
    }
    std::optional<pki::certificate> client_certificate() const override { return std::nullopt; }
    muster::clock& clock() override { std::terminate(); }
    monotonic::duration event_heartbeat() const override { return {}; }

    std::string written;
    std::size_t largest = 0;
};

async<void> write_lines(http::body_writer to, int count) {
    for (int each = 0; each < count; ++each) {
        CO_CHECK_OK(co_await to.write("line " + std::to_string(each) + " of many\n"));
    }
    co_return result<void>();
}

std::string_view field_of(const http::response& in, std::string_view name) {
    const auto it = std::ranges::find(
        in.fields, name, [](const auto& each) -> std::string_view { return each.first; });
    return it == in.fields.end() ? std::string_view() : std::string_view(it->second);
}

TEST_CASE("what is packed in any pieces is unpacked in any others") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        prng random(seed);
        std::string text;
        gzip_encoder encoder;
        std::string result;
        for (auto count = random.below(20); count > 0; --count) {
            std::string piece(random.below(60'000), ' ');
            for (auto& each : piece)
                each = static_cast<char>(random.below(seed % 2 == 0 ? 4 : 256));
            result += encoder.encode(piece);
            text += piece;
        }
        result += encoder.finish();
        const auto back = unpacked(result, 1 + random.below(5'000));
        REQUIRE(back.has_value());
        CHECK(*back == text);
    }
}

TEST_CASE("what is not packed whole and alone is refused") {
    const auto whole = packed(std::string(10'000, 'x'));
    CHECK(unpacked(whole, 100).has_value());
    CHECK_FALSE(unpacked(whole.substr(0, whole.size() - 1), 100).has_value());
    CHECK_FALSE(unpacked(whole + "more", 100).has_value());
    CHECK_FALSE(unpacked("<methodCall>", 100).has_value());
    CHECK_FALSE(unpacked("", 100).has_value());
    for (std::size_t at = 0; at < whole.size(); ++at) {
        auto broken = whole;
        broken[at] = static_cast<char>(broken[at] ^ 0x10);
        const auto back = unpacked(broken, 7);
        // A time or a name in its head says nothing of what is in it.
        if (back) CHECK(*back == std::string(10'000, 'x'));
    }
}

TEST_CASE("a block is small, however much a little input would become") {
    const auto bomb = packed(std::string(std::size_t{32} * 1024 * 1024, '\0'));
    gzip_decoder decoder;
    decoder.feed(bomb);
    const auto block = decoder.next();
    REQUIRE(block.has_value());
    CHECK(block->size() <= std::size_t{16} * 1024);
}

TEST_CASE("an answer is packed for who accepts it, if it is worth it") {
    const http::response whole{.body = std::string(5'000, 'x')};

    const auto result = compressed_response(whole, "gzip, deflate");
    CHECK(field_of(result, "Content-Encoding") == "gzip");
    CHECK(field_of(result, "Vary") == "Accept-Encoding");
    CHECK(result.body.size() < 500);
    CHECK(unpacked(result.body, 100).value() == whole.body);

    for (const char* const other : {"", "identity", "br", "gzip;q=0"}) {
        const auto plain = compressed_response(whole, other);
        CHECK(plain.body == whole.body);
        CHECK(field_of(plain, "Content-Encoding").empty());
        CHECK(field_of(plain, "Vary") == "Accept-Encoding");
    }
    CHECK(compressed_response({.body = "short"}, "gzip").body == "short");
}

TEST_CASE("a streamed answer is packed as it goes, and not kept") {
    http::response response{.stream = [](http::body_writer to) {
        return write_lines(to, 200'000);
    }};
    response = compressed_response(std::move(response), "gzip");
    kept_exchange client;

    REQUIRE(run_sync(response.stream(http::body_writer(client))).has_value());

    const auto back = unpacked(client.written, 4'096);
    REQUIRE(back.has_value());
    CHECK(std::ranges::count(*back, '\n') == 200'000);
    CHECK(back->ends_with("line 199999 of many\n"));
    CHECK(client.written.size() < back->size() / 3);
    CHECK(client.largest < std::size_t{256} * 1024);
}

TEST_CASE("a stream that fails is not ended as if it were whole") {
    const auto broken = [](http::body_writer) -> async<void> {
        co_return fail(errc::unavailable, "the ledger is away");
    };
    http::response response{.stream = broken};
    response = compressed_response(std::move(response), "gzip");
    kept_exchange client;
    CHECK_FALSE(run_sync(response.stream(http::body_writer(client))).has_value());
    CHECK(client.written.empty());
}

}  // namespace
}  // namespace muster::net::gzip
