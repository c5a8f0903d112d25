#include "adapters/agent_protocol/frame_codec.h"
#include "adapters/net/connect.h"
#include "adapters/net/http/client.h"
#include "adapters/pki/agent_proof.h"
#include "adapters/pki/authority.h"
#include "adapters/pki/pem_file.h"
#include "ports/deadline.h"
#include "tests/harness/real_event_loop.h"
#include "tests/integration/muster_server.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>

namespace muster::integration {
namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;

constexpr auto timeout = 15s;

// Somebody who knows the protocol and plays by no rule.
class intruder {
public:
    intruder(const muster_server& target, char seed)
        : where_{.host = "127.0.0.1", .port = target.port()},
          ca_(pki::certificate::chain_from_pem(pki::load_pem(target.data() / "ca.pem").value())
                  .value()),
          key_(pki::private_key::from_ed25519_bytes(std::string(32, seed)).value()) {}

    std::string print() const {
        return pki::pem_fingerprint(key_.public_half().to_pem()).value().str();
    }
    void trust_only(const pki::certificate& other) { ca_ = {other}; }

    // A request with the proof of this very connection; with another one when it is given.
    async<net::http::client_response> ask(
        net::http::client_request outgoing, std::string authorization = {}) {
        CO_TRY(auto trusted, tls("http/1.1"));
        net::http::client::options options{.clock = &clock_, .tls = std::move(trusted)};
        if (authorization.empty()) options.agent = key_;
        net::http::client client(std::move(options));
        outgoing.url = "https://" + to_string(where_) + outgoing.url;
        if (!authorization.empty())
            outgoing.fields.emplace_back("Authorization", std::move(authorization));
        co_return co_await client.send(std::move(outgoing));
    }

    async<net::http::client_response> enrol(std::string authorization = {}) {
        net::http::client_request outgoing{
            .method = "POST",
            .url = "/system/enroll",
            .fields = {{"Content-Type", "application/json"}},
            .body = R"({"name":"intruder","machine_id":")" + print().substr(0, 2)
                    + R"(","version":"1","facts":{}})"};
        co_return co_await ask(std::move(outgoing), std::move(authorization));
    }

    // An Authorization header that was good on another connection.
    async<std::string> authorization_of_another_connection() {
        CO_TRY(const auto over, co_await connect("http/1.1"));
        CO_TRY(const auto binding, over->channel_binding());
        co_return pki::create_agent_authorization(key_, binding);
    }

    // What the node answers to a hello with the proof of another connection, or of this one.
    enum class proof { of_this_connection, of_another };
    async<Frame> send_hello(proof which) {
        CO_TRY(const auto over, co_await connect("muster/1"));
        CO_TRY(const auto other, co_await connect("muster/1"));
        const auto& signed_for = which == proof::of_this_connection ? over : other;
        CO_TRY(const auto binding, signed_for->channel_binding());
        Frame hello;
        CO_TRY(*hello.mutable_hello()->mutable_proof(), pki::create_agent_proof(key_, binding));
        CO_CHECK_OK(co_await over->write(muster::agent_protocol::encode(hello)));
        muster::agent_protocol::frame_reader frames;
        std::array<char, 1024> buffer{};
        while (true) {
            CO_TRY(auto frame, frames.next());
            if (frame) co_return *std::move(frame);
            auto more = over->read_some(buffer);
            CO_TRY(const auto size, co_await within(clock_, timeout, std::move(more)));
            if (size == 0) co_return fail(errc::unavailable, "hung up");
            frames.feed(std::string_view(buffer.data(), size));
        }
    }

    async<std::unique_ptr<net::stream>> connect(std::string protocol) {
        CO_TRY(auto trusted, tls(std::move(protocol)));
        net::destination to{.address = where_, .tls = std::move(trusted)};
        co_return co_await within(clock_, timeout, net::connect(std::move(to)));
    }

private:
    result<std::shared_ptr<const net::tls_client>> tls(std::string protocol) const {
        return net::tls_client::create(
            {.trusted = net::trusted_authorities{ca_}, .protocols = {std::move(protocol)}});
    }

    runtime::system_clock clock_;
    net::endpoint where_;
    std::vector<pki::certificate> ca_;
    pki::private_key key_;
};

boost::asio::awaitable<void> keep(async<void> work, result<void>* outcome) {
    *outcome = co_await std::move(work);
}

void play(async<void> scenario) {
    harness::real_event_loop world;
    result<void> outcome;
    world.run(keep(std::move(scenario), &outcome));
    INFO((outcome ? "" : to_string(outcome.error())));
    CHECK(outcome.has_value());
}

async<void> enrol_both(intruder* web, intruder* db) {
    CO_TRY(const auto first, co_await web->enrol());
    CHECK(first.status == 200);
    CHECK(first.body == "0");
    CO_TRY(const auto second, co_await db->enrol());
    CHECK(second.body == "0");
    CO_TRY(const auto early, co_await web->send_hello(intruder::proof::of_this_connection));
    CHECK(early.refusal().reason() == muster::agent_protocol::REASON_NEW);
    co_return result<void>();
}

async<void> forge(intruder* web, intruder* db, intruder* stranger) {
    CO_TRY(const auto forged, co_await web->ask({.url = "/system/orphan?fp=" + db->print()}));
    CHECK(forged.status == 403);
    CO_TRY(
        const auto unknown,
        co_await stranger->ask({.url = "/system/orphan?fp=" + stranger->print()}));
    CHECK(unknown.status == 403);

    CO_TRY(const auto stolen, co_await web->authorization_of_another_connection());
    CO_TRY(const auto replayed, co_await web->enrol(stolen));
    CHECK((replayed.status == 401 || replayed.status == 403));
    net::http::client_request place{.url = "/system/orphan?fp=" + web->print()};
    CO_TRY(const auto place_replayed, co_await web->ask(place, stolen));
    CHECK((place_replayed.status == 401 || place_replayed.status == 403));

    CO_TRY(const auto denied, co_await web->send_hello(intruder::proof::of_another));
    CHECK(denied.refusal().reason() == muster::agent_protocol::REASON_DENIED);
    CO_TRY(const auto fresh, co_await stranger->send_hello(intruder::proof::of_this_connection));
    CHECK(fresh.refusal().reason() == muster::agent_protocol::REASON_NEW);
    CO_TRY(const auto welcome, co_await web->send_hello(intruder::proof::of_this_connection));
    CHECK(welcome.has_welcome());
    co_return result<void>();
}

async<void> come_back_deleted(intruder* db) {
    CO_TRY(const auto status, co_await db->ask({.url = "/system/status?fp=" + db->print()}));
    CHECK(status.body == "3");
    CO_TRY(const auto place, co_await db->ask({.url = "/system/orphan?fp=" + db->print()}));
    CHECK(place.status == 410);
    CO_TRY(const auto hello, co_await db->send_hello(intruder::proof::of_this_connection));
    CHECK(hello.refusal().reason() == muster::agent_protocol::REASON_DELETED);
    CO_TRY(const auto again, co_await db->enrol());
    CHECK(again.body != "0");
    CO_TRY(const auto still, co_await db->ask({.url = "/system/status?fp=" + db->print()}));
    CHECK(still.body == "3");
    co_return result<void>();
}

async<void> meet_another_cluster(intruder* lost) {
    const auto refused = co_await lost->connect("muster/1");
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code() == errc::denied);
    co_return result<void>();
}

TEST_CASE("a wrong, forged, replayed or deleted key is refused, and so is another cluster") {
    muster_server server;
    server.start_and_wait_until_ready();
    REQUIRE(server.login().exit_code == 0);
    intruder web(server, 'a');
    intruder db(server, 'b');
    intruder stranger(server, 'c');
    play(enrol_both(&web, &db));

    REQUIRE(
        server.cli({"keys", "accept", "fp:" + web.print(), "--zone", "default", "--yes"}).exit_code
        == 0);
    REQUIRE(server.cli({"keys", "delete", "fp:" + db.print(), "--yes"}).exit_code == 0);
    play(forge(&web, &db, &stranger));
    play(come_back_deleted(&db));

    intruder lost(server, 'd');
    lost.trust_only(
        pki::authority::create("another cluster", runtime::system_clock().wall())->certificate());
    play(meet_another_cluster(&lost));
}

}  // namespace
}  // namespace muster::integration
