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

async<answer> fetch_with(client::options options, std::string url) {
    client from(std::move(options));
    co_return co_await from.send({.url = std::move(url)});
}

result<answer> fetch(std::shared_ptr<const tls_client> tls, std::string url) {
    return run(fetch_with({.clock = &the_clock(), .tls = std::move(tls)}, std::move(url)));
}

async<std::string> serial_of(net::stream* over) {
    CO_CHECK_OK(co_await over->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    std::array<char, 4096> buffer{};
    CO_TRY(const std::size_t size, co_await over->read_some(buffer));
    CHECK(std::string_view(buffer.data(), size).ends_with("hello"));
    co_return over->peer_certificate()->serial();
}

async<void> rotate(const site* there) {
    const destination to{.where = there->where(), .tls = client_tls()};
    CO_TRY(const auto before, co_await connect(to));
    CO_TRY(const std::string first, co_await serial_of(before.get()));

    there->tls->replace(server_tls(server_identity()));

    CO_TRY(const auto after, co_await connect(to));
    CO_TRY(const std::string second, co_await serial_of(after.get()));
    CO_TRY(const std::string first_again, co_await serial_of(before.get()));
    CHECK(first != second);
    CHECK(first == first_again);
    co_return result<void>();
}

TEST_CASE("a new certificate serves new connections and leaves running ones alone") {
    const site there;

    CHECK(run(rotate(&there)).has_value());
}

async<void> rotate_before_greeting(const site* there) {
    asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
    const auto where = there->where();
    socket.connect({asio::ip::make_address(where.host), where.port});
    co_await harness::until(the_clock(), "the connection is counted", [there] {
        return there->running->counted().connections_now > 0;
    });

    there->tls->replace(server_tls(server_identity()));

    net::stream late(std::move(socket), {.tls = client_tls(), .host = where.host});
    CO_CHECK_OK(co_await late.handshake());
    CHECK(late.protocol() == "http/1.1");
    co_return result<void>();
}

TEST_CASE("a connection that has not greeted yet survives a change of the certificate") {
    const site there;

    CHECK(run(rotate_before_greeting(&there)).has_value());
}

TEST_CASE("a client refuses an expired certificate, a foreign CA and a wrong name") {
    const auto past = cluster_ca()
                          .issue(
                              {.name = "localhost",
                               .hosts = {"127.0.0.1"},
                               .now = the_clock().wall() - 48h,
                               .valid_for = 24h})
                          .value();
    const site expired({.tls = server_tls(past)});
    const auto elsewhere =
        cluster_ca().issue({.name = "node7.acme.org", .now = the_clock().wall()}).value();
    const site misnamed({.tls = server_tls(elsewhere)});
    const auto foreign_ca = pki::authority::make("foreign", the_clock().wall()).value();
    const auto foreign =
        tls_client::make(
            {.trusted = trusted_authorities{{foreign_ca.certificate()}}, .protocols = {"http/1.1"}})
            .value();
    const site good;

    const auto late = fetch(client_tls(), expired.url("/"));
    CHECK(late.error().code() == errc::denied);
    CHECK(late.error().detail().contains("certificate has expired"));
    CHECK(fetch(client_tls(), misnamed.url("/")).error().detail().contains("mismatch"));
    CHECK(fetch(foreign, good.url("/")).error().code() == errc::denied);
    CHECK(fetch(client_tls(), good.url("/")).has_value());
}

TEST_CASE("a joiner that knows only the CA's fingerprint trusts that CA and no other") {
    const site there;
    const auto pinned = [](const pki::fingerprint& print) {
        return tls_client::make({.trusted = pinned_authority{print}, .protocols = {"http/1.1"}})
            .value();
    };
    const auto foreign_ca = pki::authority::make("foreign", the_clock().wall()).value();

    CHECK(fetch(pinned(cluster_ca().certificate().fingerprint()), there.url("/"))->body == "hello");
    CHECK(
        fetch(pinned(foreign_ca.certificate().fingerprint()), there.url("/")).error().code()
        == errc::denied);
}

TEST_CASE("a path for servers refuses clients without a certificate of the cluster") {
    const site there;
    const auto member =
        cluster_ca().issue({.name = "node2.acme.org", .now = the_clock().wall()}).value();

    CHECK(fetch(client_tls(), there.url("/servers"))->status == 403);
    CHECK(fetch(client_tls({"http/1.1"}, member), there.url("/servers"))->body == "node2.acme.org");
}

TEST_CASE("a listener for servers refuses the connection itself, and foreign certificates too") {
    const site there({.clients = client_certificates::required});
    const auto member = cluster_ca().issue({.name = "node2", .now = the_clock().wall()}).value();
    const auto foreign = pki::authority::make("foreign", the_clock().wall())
                             .value()
                             .issue({.name = "node2", .now = the_clock().wall()})
                             .value();

    CHECK(fetch(client_tls(), there.url("/")).error().code() == errc::denied);
    CHECK(fetch(client_tls({"http/1.1"}, foreign), there.url("/")).error().code() == errc::denied);
    CHECK(fetch(client_tls({"http/1.1"}, member), there.url("/"))->status == 200);
    CHECK(there.running->counted().handshake_failures == 2);
}

async<void> replay(const site* there, pki::private_key agent) {
    const destination to{.where = there->where(), .tls = client_tls()};
    CO_TRY(const auto own, co_await connect(to));
    CO_TRY(const auto other, co_await connect(to));
    CO_TRY(const auto binding, own->channel_binding());
    CO_TRY(const auto proof, pki::make_agent_authorization(agent, binding));
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
    const site there;
    const auto agent = pki::private_key::make(pki::key_kind::ed25519).value();

    CHECK(run(replay(&there, agent)).has_value());
    const auto named = run(fetch_with(
        {.clock = &the_clock(), .tls = client_tls(), .agent = agent}, there.url("/who")));
    CHECK(named->body == pki::pem_fingerprint(agent.public_half().to_pem())->str());
    CHECK(fetch(client_tls(), there.url("/who"))->status == 403);
}

asio::awaitable<void> shout_back(channel with) {
    std::array<char, 100> buffer{};
    const auto size = co_await with.bytes->read_some(buffer);
    if (!size) co_return;
    const std::string back = "channel " + std::string(buffer.data(), *size);
    ignore_error(co_await with.bytes->write(back), "the test looks at what arrives");
}

TEST_CASE("a connection that chose the channel's protocol goes to the channel handler") {
    const site there({.channels = shout_back});
    const site without;

    const destination channel_there{.where = there.where(), .tls = client_tls({"muster/1"})};
    CHECK(run(converse(channel_there, "frame")).value() == "channel frame");
    CHECK(fetch(client_tls(), there.url("/"))->body == "hello");
    CHECK(fetch(client_tls({"h2"}), there.url("/")).error().code() == errc::denied);
}

// Writes until the socket takes no more, has more to say by then, and goes on from elsewhere in
// memory: nothing may be lost, doubled or torn by that.
struct pushing_channel {
    std::string told;
    std::promise<progress> stopped_by;
    std::size_t written_by_then = 0;

    asio::awaitable<void> push(channel with) {
        std::string out(64 * 1024 * 1024, 'x');
        step step{.what = progress::done};
        while (step.what == progress::done && written_by_then < out.size()) {
            step = with.bytes->try_write(std::string_view(out).substr(written_by_then));
            written_by_then += step.size;
        }
        told = out + std::string(100'000, 'y');
        stopped_by.set_value(step.what);
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
    const site there({.channels = [&](channel with) {
        return pushing.push(with);
    }});
    auto stopped_by = progress::broken;

    const auto message = run(read_late(
        {.where = there.where(), .tls = client_tls({"muster/1"})},
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
    const site there;
    const harness::temporary_directory directory("curl");
    const auto ca = (directory.path() / "ca.pem").string();
    REQUIRE(pki::save_pem(ca, cluster_ca().certificate().to_pem()).has_value());
    const auto where = to_string(there.where());

    CHECK(printed({"curl", "--silent", "--cacert", ca, there.url("/greet/curl")}) == "hello curl.");
    const auto uploaded = printed(
        {"curl",
         "--silent",
         "--cacert",
         ca,
         "--header",
         "Transfer-Encoding: chunked",
         "--data",
         "@" + ca,
         there.url("/echo")});
    CHECK(uploaded.starts_with("-----BEGIN CERTIFICATE-----"));
    CHECK(printed({"curl", "--silent", "--show-error", there.url("/")}).contains("(60)"));
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
    const site there;
    const harness::temporary_directory directory("session");
    const auto session = (directory.path() / "session.pem").string();
    const auto visit = [&](const std::string& mode) {
        return printed(
            {"sh",
             "-c",
             "printf 'GET / HTTP/1.0\\r\\n\\r\\n' | openssl s_client -ign_eof -connect "
                 + to_string(there.where()) + " " + mode + " " + session + " 2>&1"});
    };

    CHECK(visit("-sess_out").contains("New, TLSv1.3"));
    CHECK(visit("-sess_in").contains("Reused, TLSv1.3"));
    there.tls->replace(server_tls(server_identity()));
    const auto after = visit("-sess_in");

    CHECK(after.contains("New, TLSv1.3"));
    CHECK(after.contains("hello"));
}

}  // namespace
}  // namespace muster::net::http
