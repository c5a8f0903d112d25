#include "apps/muster/server/tls_front.h"

#include "adapters/net/http/service.h"

#include <chrono>
#include <string>
#include <utility>

namespace muster::server {
namespace {

// Often enough for the shortest lifetime, an hour, and cheap.
constexpr auto look_interval = std::chrono::minutes(1);
constexpr auto reminder_interval = std::chrono::hours(24);

}  // namespace

result<std::unique_ptr<tls_front>> tls_front::make(
    const keyring& keys, pki::authority authority, clock& time, runtime::logger& log, options how) {
    TRY(auto own, keys.server_identity(authority, time.wall()));
    std::unique_ptr<tls_front> front(
        new tls_front(keys, std::move(authority), time, log, std::move(how)));
    CHECK_OK(front->show(std::move(own)));
    return front;
}

// Peers believe the cluster's CA only, so a certificate the operator brought is not for them.
result<pki::identity> tls_front::identity_for_peers(const pki::identity& shown) const {
    if (shown.chain.front().is_signed_by(authority_.certificate())) return shown;
    return authority_.issue({.name = how_.server, .hosts = {}, .now = time_.wall()});
}

result<void> tls_front::show(pki::identity own) {
    const auto due = keyring::renewal_due(own.chain.front());
    auto serial = own.chain.front().serial();
    const auto ends = pki::to_text(own.chain.front().not_after());
    TRY(auto for_peers, identity_for_peers(own));
    TRY(auto client,
        net::tls_client::make(
            {.trusted = net::trusted_authorities{{authority_.certificate()}},
             .protocols = {std::string(net::http::http_protocol)},
             .own = std::move(for_peers)}));
    TRY(auto made,
        net::tls_server::make(
            {.own = std::move(own),
             .protocols = how_.protocols,
             .clients = net::client_certificates::welcome,
             .client_authorities = {authority_.certificate()}}));
    if (rotating_) {
        rotating_->replace(std::move(made));
    } else {
        rotating_ = std::make_shared<net::rotating_tls_server>(std::move(made));
    }
    {
        const std::lock_guard lock(guard_);
        towards_peers_ = std::move(client);
    }
    renewal_due_ = due;
    serial_ = std::move(serial);
    log_.info("showing certificate", {{"serial", serial_}, {"valid_until", ends}});
    return {};
}

std::shared_ptr<const net::tls_client> tls_front::towards_peers() const {
    const std::lock_guard lock(guard_);
    return towards_peers_;
}

void tls_front::reload() {
    auto own = keys_.load_server_identity(time_.wall());
    auto shown = own ? show(std::move(*own)) : result<void>(fail(own.error()));
    if (!shown)
        log_.error(
            "certificate not reloaded, the old one stays", {{"reason", to_string(shown.error())}});
}

boost::asio::awaitable<void> tls_front::renew_in_time() {
    while (true) {
        const auto slept = co_await time_.sleep_for(look_interval);
        if (!slept) co_return;
        if (time_.wall() < renewal_due_) continue;
        auto own = keys_.server_identity(authority_, time_.wall());
        if (own && own->chain.front().serial() == serial_) {
            log_.warning(
                "the certificate ends soon and is not of the cluster's CA: replace it and reload",
                {{"serial", serial_}});
            renewal_due_ = time_.wall() + reminder_interval;
            continue;
        }
        const auto shown = own ? show(std::move(*own)) : result<void>(fail(own.error()));
        if (!shown) log_.error("certificate not renewed", {{"reason", to_string(shown.error())}});
    }
}

}  // namespace muster::server
