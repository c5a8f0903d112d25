// Who talks to whom: certificates, rotation, agents' proofs, protocols.
#include "adapters/pki/pem_file.h"
#include "tests/fixtures/net/http_fixture.h"
#include "tests/harness/process.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/until.h"

#include <fmt/format.h>

#include <fstream>
#include <future>

namespace muster::net::http {
namespace {

using namespace test;

async<client_response> fetch_with(client::options options, std::string url) {
    client from(std::move(options));
    co_return co_await from.send({.url = std::move(url)});
}

result<client_response> fetch(std::shared_ptr<const tls_client> tls, std::string url) {
    return run(fetch_with({.clock = &the_clock(), .tls = std::move(tls)}, std::move(url)));
}

async<std::string> serial_of(net::stream* over) {
    CO_CHECK_OK(co_await over->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    std::array<char, 4096> buffer{};
    CO_TRY(const std::size_t size, co_await over->read_some(buffer));
    CHECK(std::string_view(buffer.data(), size).ends_with("hello"));
    co_return over->peer_certificate()->serial();
}

async<void> rotate(const server_fixture* fixture) {
    const destination to{.address = fixture->address(), .tls = client_tls()};
    CO_TRY(const auto before, co_await connect(to));
    CO_TRY(const std::string first, co_await serial_of(before.get()));

    fixture->tls->replace(server_tls(server_identity()));

    CO_TRY(const auto after, co_await connect(to));
    CO_TRY(const std::string second, co_await serial_of(after.get()));
    CO_TRY(const std::string first_again, co_await serial_of(before.get()));
    CHECK(first != second);
    CHECK(first == first_again);
    co_return result<void>();
}

TEST_CASE("a new certificate serves new connections and leaves running ones alone") {
    const server_fixture fixture;

    CHECK(run(rotate(&fixture)).has_value());
}

async<void> rotate_before_greeting(const server_fixture* fixture) {
    asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
    const auto where = fixture->address();
    socket.connect({asio::ip::make_address(where.host), where.port});
    co_await harness::until(the_clock(), "the connection is counted", [fixture] {
        return fixture->running->metrics().connections_open > 0;
    });

    fixture->tls->replace(server_tls(server_identity()));

    net::stream late(std::move(socket), {.tls = client_tls(), .host = where.host});
    CO_CHECK_OK(co_await late.handshake());
    CHECK(late.protocol() == "http/1.1");
    co_return result<void>();
}

TEST_CASE("a connection that has not greeted yet survives a change of the certificate") {
    const server_fixture fixture;

    CHECK(run(rotate_before_greeting(&fixture)).has_value());
}

TEST_CASE("a client refuses an expired certificate, a foreign CA and a wrong name") {
    const auto past = cluster_ca()
                          .issue(
                              {.name = "localhost",
                               .hosts = {"127.0.0.1"},
                               .now = the_clock().wall() - 48h,
                               .valid_for = 24h})
                          .value();
    const server_fixture expired({.tls = server_tls(past)});
    const auto elsewhere =
        cluster_ca().issue({.name = "node7.acme.org", .now = the_clock().wall()}).value();
    const server_fixture misnamed({.tls = server_tls(elsewhere)});
    const auto foreign_ca = pki::authority::create("foreign", the_clock().wall()).value();
    const auto foreign =
        tls_client::create(
            {.trusted = trusted_authorities{{foreign_ca.certificate()}}, .protocols = {"http/1.1"}})
            .value();
    const server_fixture good;

    const auto late = fetch(client_tls(), expired.url("/"));
    CHECK(late.error().code() == errc::denied);
    CHECK(late.error().detail().contains("certificate has expired"));
    CHECK(fetch(client_tls(), misnamed.url("/")).error().detail().contains("mismatch"));
    CHECK(fetch(foreign, good.url("/")).error().code() == errc::denied);
    CHECK(fetch(client_tls(), good.url("/")).has_value());
}

TEST_CASE("a joiner that knows only the CA's fingerprint trusts that CA and no other") {
    const server_fixture fixture;
    const auto pinned = [](const pki::fingerprint& print) {
        return tls_client::create({.trusted = pinned_authority{print}, .protocols = {"http/1.1"}})
            .value();
    };
    const auto foreign_ca = pki::authority::create("foreign", the_clock().wall()).value();

    CHECK(
        fetch(pinned(cluster_ca().certificate().fingerprint()), fixture.url("/"))->body == "hello");
    CHECK(
        fetch(pinned(foreign_ca.certificate().fingerprint()), fixture.url("/")).error().code()
        == errc::denied);
}

TEST_CASE("a path for servers refuses clients without a certificate of the cluster") {
    const server_fixture fixture;
    const auto member =
        cluster_ca().issue({.name = "node2.acme.org", .now = the_clock().wall()}).value();

    CHECK(fetch(client_tls(), fixture.url("/servers"))->status == 403);
    CHECK(
        fetch(client_tls({"http/1.1"}, member), fixture.url("/servers"))->body == "node2.acme.org");
}

TEST_CASE("a listener for servers refuses the connection itself, and foreign certificates too") {
    const server_fixture fixture({.clients = client_certificates::required});
    const auto member = cluster_ca().issue({.name = "node2", .now = the_clock().wall()}).value();
    const auto foreign = pki::authority::create("foreign", the_clock().wall())
                             .value()
                             .issue({.name = "node2", .now = the_clock().wall()})
                             .value();

    CHECK(fetch(client_tls(), fixture.url("/")).error().code() == errc::denied);
    CHECK(
        fetch(client_tls({"http/1.1"}, foreign), fixture.url("/")).error().code() == errc::denied);
    CHECK(fetch(client_tls({"http/1.1"}, member), fixture.url("/"))->status == 200);
    CHECK(fixture.running->metrics().handshake_failures == 2);
}

async<void> replay(const server_fixture* fixture, pki::private_key agent) {
    const destination to{.address = fixture->address(), .tls = client_tls()};
    CO_TRY(const auto own, co_await connect(to));
    CO_TRY(const auto other, co_await connect(to));
    CO_TRY(const auto binding, own->channel_binding());
    CO_TRY(const auto proof, pki::create_agent_authorization(agent, binding));
    const auto request =
        "GET /who HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: " + proof + "\r\n\r\n";
    CO_CHECK_OK(co_await own->write(request));
    CO_TRY(const auto accepted, co_await read_all(own.get()));
    CO_CHECK_OK(co_await other->write(request));
    CO_TRY(const auto replayed, co_await read_all(other.get()));
    CHECK(accepted.starts_with("HTTP/1.1 200 "));
    CHECK(replayed.starts_with("HTTP/1.1 403 "));
    co_return result<void>();
}

TEST_CASE("an agent's proof is accepted on its connection and refused on every other") {
    const server_fixture fixture;
    const auto agent = pki::private_key::create(pki::key_kind::ed25519).value();

    CHECK(run(replay(&fixture, agent)).has_value());
    const auto named = run(fetch_with(
        {.clock = &the_clock(), .tls = client_tls(), .agent = agent}, fixture.url("/who")));
    CHECK(named->body == pki::pem_fingerprint(agent.public_half().to_pem())->str());
    CHECK(fetch(client_tls(), fixture.url("/who"))->status == 403);
}

asio::awaitable<void> shout_back(channel with) {
    std::array<char, 100> buffer{};
    const auto size = co_await with.bytes->read_some(buffer);
    if (!size) co_return;
    const std::string back = "channel " + std::string(buffer.data(), *size);
    ignore_error(co_await with.bytes->write(back), "the test looks at what arrives");
}

TEST_CASE("a connection that chose the channel's protocol goes to the channel handler") {
    const server_fixture fixture({.channels = shout_back});
    const server_fixture without;

    const destination channel_there{.address = fixture.address(), .tls = client_tls({"muster/1"})};
    CHECK(run(converse(channel_there, "frame")).value() == "channel frame");
    CHECK(fetch(client_tls(), fixture.url("/"))->body == "hello");
    CHECK(fetch(client_tls({"h2"}), fixture.url("/")).error().code() == errc::denied);
}

// Writes until the socket takes no more, has more to say by then, and goes on from elsewhere in
// memory: nothing may be lost, doubled or torn by that.
struct pushing_channel {
    std::string told;
    std::promise<progress> stopped_by;
    std::size_t written_by_then = 0;

    asio::awaitable<void> push(channel with) {
        std::string out(64 * 1024 * 1024, 'x');
        step step{.state = progress::done};
        while (step.state == progress::done && written_by_then < out.size()) {
            step = with.bytes->try_write(std::string_view(out).substr(written_by_then));
            written_by_then += step.size;
        }
        told = out + std::string(100'000, 'y');
        stopped_by.set_value(step.state);
        const auto rest = told.substr(written_by_then);
        ignore_error(co_await with.bytes->write(rest), "the test looks at what arrives");
    }
};

async<std::string> read_late(destination to, std::future<progress> stopped, progress* by) {
    CO_TRY(const auto over, co_await connect(std::move(to)));
    *by = stopped.get();
    co_return co_await read_all(over.get());
}

TEST_CASE("what a socket does not take at once arrives whole, with what was added meanwhile") {
    pushing_channel pushing;
    const server_fixture fixture({.channels = [&](channel with) {
        return pushing.push(with);
    }});
    auto stopped_by = progress::broken;

    const auto message = run(read_late(
        {.address = fixture.address(), .tls = client_tls({"muster/1"})},
        pushing.stopped_by.get_future(),
        &stopped_by));

    CHECK(stopped_by == progress::wants_write);
    CHECK(pushing.written_by_then > 0);
    CHECK(pushing.written_by_then % 16384 == 0);  // in whole records
    CHECK(message.value() == pushing.told);
}

// Runs a command of the system and gives what it printed.
std::string printed(std::vector<std::string> argv) {
    const harness::temporary_directory directory("printed");
    const auto output = directory.path() / "output";
    harness::process child({.argv = std::move(argv), .output = output});
    REQUIRE(child.wait(20s).has_value());
    std::ifstream in(output);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST_CASE("curl and openssl agree: TLS 1.3 only, ALPN is chosen, the CA verifies") {
    const server_fixture fixture;
    const harness::temporary_directory directory("curl");
    const auto ca = (directory.path() / "ca.pem").string();
    REQUIRE(pki::save_pem(ca, cluster_ca().certificate().to_pem()).has_value());
    const auto where = to_string(fixture.address());

    CHECK(
        printed({"curl", "--silent", "--cacert", ca, fixture.url("/greet/curl")}) == "hello curl.");
    const auto uploaded = printed(
        {"curl",
         "--silent",
         "--cacert",
         ca,
         "--header",
         "Transfer-Encoding: chunked",
         "--data",
         "@" + ca,
         fixture.url("/echo")});
    CHECK(uploaded.starts_with("-----BEGIN CERTIFICATE-----"));
    CHECK(printed({"curl", "--silent", "--show-error", fixture.url("/")}).contains("(60)"));
    const auto old =
        printed({"sh", "-c", "openssl s_client -connect " + where + " -tls1_2 </dev/null 2>&1"});
    CHECK(old.contains("alert protocol version"));
    const auto current = printed(
        {"sh",
         "-c",
         "openssl s_client -connect " + where + " -alpn muster/1 -CAfile " + ca
             + " </dev/null 2>&1"});
    CHECK(current.contains("ALPN protocol: muster/1"));
    CHECK(current.contains("TLSv1.3"));
    CHECK(current.contains("Verify return code: 0 (ok)"));
}

TEST_CASE("a session is taken up again, but not over a change of certificate") {
    const server_fixture fixture;
    const harness::temporary_directory directory("session");
    const auto session = (directory.path() / "session.pem").string();
    const auto visit = [&](const std::string& mode) {
        return printed(
            {"sh",
             "-c",
             "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -ign_eof -connect "
                 + to_string(fixture.address()) + " " + mode + " " + session + " 2>&1"});
    };

    CHECK(visit("-sess_out").contains("New, TLSv1.3"));
    CHECK(visit("-sess_in").contains("Reused, TLSv1.3"));
    fixture.tls->replace(server_tls(server_identity()));
    const auto after = visit("-sess_in");

    CHECK(after.contains("New, TLSv1.3"));
    CHECK(after.contains("hello"));
}

}  // namespace
}  // namespace muster::net::http
