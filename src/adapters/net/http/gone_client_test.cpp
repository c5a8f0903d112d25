// Clients that hang up, stall or are cut off at a bad moment.
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/process.h"
#include "tests/harness/until.h"

#include <boost/asio/write.hpp>
#include <openssl/ssl.h>

#include <array>
#include <future>
#include <thread>

namespace muster::net::http {
namespace {

using namespace test;

// A handler that looks at the body only when it is told to, and how that ended.
struct late_reader {
    std::atomic<bool> begun = false;
    std::atomic<bool> told = false;
    std::atomic<bool> ended = false;
    std::optional<errc> failed;

    async<response> read(request request) {
        begun = true;
        co_await harness::until(the_clock(), "told to look", [this] { return told.load(); });
        const auto whole = co_await request.body();
        if (!whole) failed = whole.error().code();
        ended = true;
        if (!whole) co_return fail(whole.error());
        co_return text(200, *whole);
    }

    std::shared_ptr<router> routes() {
        auto result = usual_routes();
        const handler late = [this](request request) {
            return read(std::move(request));
        };
        REQUIRE(result->add("POST", "/late", {.handle = late}).has_value());
        return result;
    }
};

constexpr std::string_view asks_first =
    "POST /late HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n";

// Closes with a reset, as a client that was killed with unread bytes does.
void reset(asio::ip::tcp::socket& connection) {
    connection.set_option(asio::socket_base::linger(true, 0));
    connection.close();
}

TEST_CASE("a client that asks first and is gone when it is told to go on harms nobody") {
    late_reader reader;
    const server_fixture fixture({.routes = reader.routes()});
    asio::io_context loop;
    asio::ip::tcp::socket asking(loop);
    asking.connect({asio::ip::address_v4::loopback(), fixture.plain().port});
    asio::write(asking, asio::buffer(asks_first));
    harness::eventually("the handler runs", [&] { return reader.begun.load(); });

    reset(asking);
    reader.told = true;
    harness::eventually("the handler has looked", [&] { return reader.ended.load(); });
    harness::eventually("the connection is given up", [&] {
        return fixture.running->metrics().connections_open == 0;
    });

    CHECK(reader.failed == errc::unavailable);
    CHECK(talk(fixture, "GET / HTTP/1.0\r\n\r\n").ends_with("hello"));
}

// A server of other make, which answers one connection with some bytes and hangs up.
class rude_server {
public:
    enum class goodbye { proper, none };  // close_notify, or only the socket's end

    rude_server(std::string says, goodbye goodbye)
        : acceptor_(loop_, {asio::ip::address_v4::loopback(), 0}),
          serving_([this, says = std::move(says), goodbye] { serve(says, goodbye); }) {}
    rude_server(const rude_server&) = delete;
    rude_server& operator=(const rude_server&) = delete;
    ~rude_server() {
        client_is_done_.set_value();
        serving_.join();
    }

    std::string url() const {
        return "https://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/";
    }

private:
    void serve(const std::string& says, goodbye how) {
        auto socket = acceptor_.accept();
        const std::unique_ptr<SSL, pki::freed_by<SSL_free>> ssl(SSL_new(tls_->native()));
        SSL_set_fd(ssl.get(), socket.native_handle());
        if (SSL_accept(ssl.get()) != 1) return;
        std::array<char, 4096> requests{};
        SSL_read(ssl.get(), requests.data(), static_cast<int>(requests.size()));
        SSL_write(ssl.get(), says.data(), static_cast<int>(says.size()));
        if (how == goodbye::proper) SSL_shutdown(ssl.get());
        boost::system::error_code ignored;
        socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
        // Closed earlier, what it has not read would reset the connection.
        client_is_done_.get_future().wait();
    }

    asio::io_context loop_;
    asio::ip::tcp::acceptor acceptor_;
    std::shared_ptr<const tls_server> tls_ = server_tls(server_identity());
    std::promise<void> client_is_done_;
    std::thread serving_;
};

async<client_response> post(std::string to) {
    client from({.clock = &the_clock(), .tls = client_tls()});
    co_return co_await from.send({.method = "POST", .url = std::move(to), .body = "change"});
}

TEST_CASE("a request whose answer breaks off in its body may have been done") {
    rude_server fixture(
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", rude_server::goodbye::proper);

    const auto answered = run(post(fixture.url()));

    REQUIRE_FALSE(answered.has_value());
    CHECK(answered.error().code() == errc::timed_out);
}

TEST_CASE("a body that ends with the connection is whole only if the server says so") {
    const std::string says = "HTTP/1.0 200 OK\r\n\r\nall there is";
    rude_server proper(says, rude_server::goodbye::proper);
    CHECK(run(post(proper.url())).value().body == "all there is");
    rude_server cut(says, rude_server::goodbye::none);

    const auto answered = run(post(cut.url()));

    REQUIRE_FALSE(answered.has_value());
    CHECK(answered.error().code() == errc::timed_out);
}

TEST_CASE("a connection on which a request was not sent to its end is not used again") {
    // More than a socket takes at once, of which the server reads little before it answers.
    const std::string much(16'000'000, 'x');
    rude_server fixture(
        "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n",
        rude_server::goodbye::proper);
    client from({.clock = &the_clock(), .tls = client_tls(), .limits = {.stall_time = 100ms}});

    const auto answered = run(from.send({.method = "POST", .url = fixture.url(), .body = much}));

    CHECK(answered.value().status == 413);
    CHECK(from.idle_connections() == 0);
}

}  // namespace
}  // namespace muster::net::http
