#include "services/bootstrap/server_certificate_manager.h"

#include "adapters/net/connect.h"
#include "adapters/net/http/server.h"
#include "adapters/os/file.h"
#include "ports/deadline.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/temporary_directory.h"
#include "tests/harness/until.h"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <array>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace muster::bootstrap {
namespace {

using namespace std::chrono_literals;

// The real one, moved by the test: who sleeps wakes when it is time by this one.
class turned_clock final : public clock {
public:
    explicit turned_clock(std::chrono::hours ahead) : ahead_(ahead) {}

    instant now() const override { return real_.now() + ahead_; }
    wall_time wall() const override { return real_.wall() + ahead_; }
    async<void> sleep_until(instant when) override {
        ++sleeps_;
        while (now() < when) {
            CO_CHECK_OK(co_await real_.sleep_for(2ms));
        }
        co_return result<void>();
    }
    void pass(std::chrono::hours span) { ahead_ += span; }
    int sleeps() const { return sleeps_; }  // that were begun

private:
    mutable runtime::system_clock real_;
    std::chrono::hours ahead_;
    int sleeps_ = 0;
};

async<net::http::response> hello(net::http::request /*from*/) {
    co_return net::http::text(200, "hello");
}

std::shared_ptr<net::http::router> one_route() {
    auto routes = std::make_shared<net::http::router>();
    REQUIRE(routes->add("GET", "/", {.handle = hello}).has_value());
    return routes;
}

// A server that was started 80 days ago, by its own clock and by its certificate, which is made for
// 90 days. Clients go by today's date.
struct old_server {
    static constexpr auto age = std::chrono::hours(80 * 24);

    harness::temporary_directory where{"front"};
    turned_clock clock{-age};
    runtime::system_clock real;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<os::data_directory> data =
        os::data_directory::open(where.path() / "data").value();
    certificate_files keys{*data, {.name = "localhost", .hosts = {"127.0.0.1"}}};
    pki::authority authority = keys.create_authority("test", clock.wall()).value();
    std::unique_ptr<server_certificate_manager> front;
    std::unique_ptr<net::http::server> site;
    boost::asio::io_context loop;
    std::exception_ptr failure;
    runtime::task_group tasks{
        loop.get_executor(), [this](const std::string& /*task*/, const std::exception_ptr& thrown) {
            failure = thrown;
        }};

    old_server() = default;
    old_server(const old_server&) = delete;
    old_server& operator=(const old_server&) = delete;
    ~old_server() {
        tasks.cancel();
        loop.restart();
        while (tasks.size() > 0) loop.run_one_for(100ms);
    }

    void start() {
        front = server_certificate_manager::create(
                    keys, authority, clock, log, {.protocols = {"http/1.1"}})
                    .value();
        site = net::http::server::start({.listeners = {{
                                             .address = {.host = "127.0.0.1", .port = 0},
                                             .tls = front->current(),
                                             .service = {.routes = one_route()},
                                         }},
                                         .clock = &real})
                   .value();
        tasks.spawn("renew", front->renew_in_time());
    }
    void play(boost::asio::awaitable<void> scene) {
        bool done = false;
        tasks.spawn("scene", until_done(std::move(scene), &done));
        while (!done && !failure) loop.run_one_for(100ms);
        if (failure) std::rethrow_exception(failure);
    }
    std::string serial_on_disk() const {
        const auto pem = os::load_file(data->file("server.pem")).value();
        return pki::certificate::from_pem(pem).value().serial();
    }
    net::destination address(net::tls_client::options as) const {
        as.protocols = {"http/1.1"};
        const auto client = net::tls_client::create(std::move(as)).value();
        return {.address = {.host = "127.0.0.1", .port = site->port(0)}, .tls = client};
    }

private:
    static boost::asio::awaitable<void> until_done(boost::asio::awaitable<void> scene, bool* done) {
        co_await std::move(scene);
        *done = true;
    }
};

async<std::unique_ptr<net::stream>> connect(old_server* to, net::tls_client::options as) {
    return within(to->real, 10s, net::connect(to->address(std::move(as))));
}

net::trusted_authorities only(const pki::authority& believed) {
    return {{believed.certificate()}};
}

// A connection that is kept, and whose certificate it is.
async<std::unique_ptr<net::stream>> connect(old_server* to) {
    return connect(to, {.trusted = only(to->authority)});
}

async<std::string> asked(net::stream* over) {
    CO_CHECK_OK(co_await over->write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    std::array<char, 4096> buffer{};
    CO_TRY(const std::size_t size, co_await over->read_some(buffer));
    CHECK(std::string_view(buffer.data(), size).ends_with("hello"));
    co_return over->peer_certificate()->serial();
}

boost::asio::awaitable<void> renewed_under_way(old_server* here) {
    const auto first = here->serial_on_disk();
    auto before = (co_await connect(here)).value();
    CHECK((co_await asked(before.get())).value() == first);
    const auto peers_before = here->front->peer_client();

    here->clock.pass(std::chrono::hours(61 * 24));
    co_await harness::until(
        here->real, "it is renewed", [here, first] { return here->serial_on_disk() != first; });
    co_await harness::until(here->real, "it is shown", [here, peers_before] {
        return here->front->peer_client() != peers_before;
    });

    auto after = (co_await connect(here)).value();
    CHECK((co_await asked(after.get())).value() == here->serial_on_disk());
    // Whoever was connected stays so, with what it was shown.
    CHECK((co_await asked(before.get())).value() == first);
}

TEST_CASE("a certificate is renewed without a restart, and connections from before live on") {
    old_server here;
    here.start();

    here.play(renewed_under_way(&here));
}

// Until the front has woken, looked, and sleeps again.
boost::asio::awaitable<void> pass_and_look(old_server* here, std::chrono::hours span) {
    const int before = here->clock.sleeps();
    here->clock.pass(span);
    co_await harness::until(
        here->real, "it looked", [here, before] { return here->clock.sleeps() > before; });
}

boost::asio::awaitable<void> left_alone(old_server* here) {
    const auto first = here->serial_on_disk();
    for (int day = 0; day < 59; ++day) {
        co_await pass_and_look(here, std::chrono::hours(24));
        CHECK(here->serial_on_disk() == first);
    }
    here->clock.pass(std::chrono::hours(2 * 24));
    co_await harness::until(
        here->real, "it is renewed", [here, first] { return here->serial_on_disk() != first; });
}

TEST_CASE("a certificate is left alone until a third of its life is left") {
    old_server here;
    here.start();

    here.play(left_alone(&here));
}

// A server with a certificate of a CA that is not the cluster's.
struct branded_server : old_server {
    pki::authority outside = pki::authority::create("public", clock.wall()).value();
    pki::identity brought =
        outside.issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = clock.wall()}).value();

    branded_server() {
        const auto chain = brought.chain.front().to_pem();
        const auto key = brought.key.to_pem();
        REQUIRE(os::save_file({.file = data->file("server.pem"), .text = chain}).has_value());
        REQUIRE(os::save_file({.file = data->file("server-key.pem"), .text = key}).has_value());
        start();
    }
    std::string serial() const { return brought.chain.front().serial(); }
};

async<std::string> serial_shown(old_server* by, net::tls_client::options to) {
    CO_TRY(const auto line, co_await connect(by, std::move(to)));
    co_return line->peer_certificate()->serial();
}

boost::asio::awaitable<void> kept_for_browsers(branded_server* here) {
    co_await pass_and_look(here, std::chrono::hours(75 * 24));

    CHECK(here->serial_on_disk() == here->serial());
    const auto output = co_await serial_shown(here, {.trusted = only(here->outside)});
    CHECK(output.value() == here->serial());
}

TEST_CASE("a certificate that the operator brought is not replaced, however near its end") {
    branded_server here;

    here.play(kept_for_browsers(&here));
}

boost::asio::awaitable<void> shown_to_members(branded_server* here) {
    const auto& cluster = here->authority;
    const auto print = cluster.certificate().fingerprint();
    const auto named =
        co_await serial_shown(here, {.trusted = only(cluster), .announces_authorities = true});
    const auto pinned = co_await serial_shown(
        here, {.trusted = net::pinned_authority{print}, .announces_authorities = true});
    CHECK(named.value() != here->serial());
    CHECK(pinned.value() == named.value());

    const auto silent = co_await serial_shown(here, {.trusted = only(cluster)});
    CHECK_FALSE(silent.has_value());

    // Today, by everybody's clock: the first one of the cluster has ten days left.
    co_await pass_and_look(here, here->age);
    const auto later =
        co_await serial_shown(here, {.trusted = only(cluster), .announces_authorities = true});
    CHECK(later.value() != named.value());
    CHECK(later.value() != here->serial());
}

TEST_CASE("who believes the cluster's CA is shown its certificate beside the operator's, renewed") {
    branded_server here;

    here.play(shown_to_members(&here));
}

boost::asio::awaitable<void> called_by_a_peer(branded_server* here) {
    net::destination other{
        .address = {.host = "127.0.0.1", .port = here->site->port(0)},
        .tls = here->front->peer_client()};
    const auto line = co_await within(here->real, 10s, net::connect(std::move(other)));

    CHECK(line.value()->peer_certificate()->is_signed_by(here->authority.certificate()));
}

TEST_CASE("servers with certificates that their operator brought reach each other") {
    branded_server here;

    here.play(called_by_a_peer(&here));
}

}  // namespace
}  // namespace muster::bootstrap
