#include "services/bootstrap/server_certificate_manager.h"

#include "adapters/net/http/service.h"

#include <chrono>
#include <string>
#include <utility>

namespace muster::bootstrap {
namespace {

// Short enough for the shortest lifetime, an hour.
constexpr auto check_interval = std::chrono::minutes(1);
constexpr auto reminder_interval = std::chrono::hours(24);

}  // namespace

result<std::unique_ptr<server_certificate_manager>> server_certificate_manager::create(
    const certificate_files& keys,
    pki::authority authority,
    muster::clock& clock,
    runtime::logger& log,
    options options) {
    TRY(auto identity, keys.server_identity(authority, clock.wall()));
    std::unique_ptr<server_certificate_manager> manager(
        new server_certificate_manager(keys, std::move(authority), clock, log, std::move(options)));
    CHECK_OK(manager->install(std::move(identity)));
    return manager;
}

// Installs the certificate of the data directory, which may be of a foreign CA.
result<void> server_certificate_manager::install(pki::identity identity) {
    const auto leaf = identity.chain.front();
    const bool is_cluster_signed = leaf.is_signed_by(authority_.certificate());
    CHECK_OK(serve(identity));
    foreign_ = is_cluster_signed ? std::nullopt : std::optional(std::move(identity));
    reminder_due_ = certificate_files::renewal_due(leaf);
    return {};
}

result<void> server_certificate_manager::serve(pki::identity identity) {
    const auto leaf = identity.chain.front();
    const bool is_foreign = !leaf.is_signed_by(authority_.certificate());
    auto cluster_identity = identity;
    if (is_foreign) {
        TRY(cluster_identity, keys_.issue_unsaved(authority_, clock_.wall()));
    }
    const auto renewal_due = certificate_files::renewal_due(cluster_identity.chain.front());
    TRY(auto peer_client,
        net::tls_client::create(
            {.trusted = net::trusted_authorities{{authority_.certificate()}},
             .protocols = {std::string(net::http::http_protocol)},
             .identity = cluster_identity,
             .announces_authorities = true}));
    std::optional<net::tls_server::alternative_identity> alternative;
    if (is_foreign) alternative = {std::move(cluster_identity), authority_.certificate()};
    TRY(auto tls_server,
        net::tls_server::create(
            {.identity = std::move(identity),
             .alternative = std::move(alternative),
             .protocols = options_.protocols,
             .clients = net::client_certificates::optional,
             .client_authorities = {authority_.certificate()}}));
    if (rotating_) {
        rotating_->replace(std::move(tls_server));
    } else {
        rotating_ = std::make_shared<net::rotating_tls_server>(std::move(tls_server));
    }
    {
        const std::lock_guard lock(mutex_);
        peer_client_ = std::move(peer_client);
    }
    renewal_due_ = renewal_due;
    log_.info(
        "certificate activated",
        {{"serial", leaf.serial()}, {"valid_until", pki::to_text(leaf.not_after())}});
    return {};
}

std::shared_ptr<const net::tls_client> server_certificate_manager::peer_client() const {
    const std::lock_guard lock(mutex_);
    return peer_client_;
}

void server_certificate_manager::reload() {
    auto identity = keys_.load_server_identity(clock_.wall());
    auto installed =
        identity ? install(std::move(*identity)) : result<void>(fail(identity.error()));
    if (!installed)
        log_.error(
            "certificate reload failed; previous certificate kept",
            {{"error", to_string(installed.error())}});
}

// The operator renews a foreign certificate. Only the certificate of the cluster CA is renewed
// here.
void server_certificate_manager::renew() {
    auto identity = foreign_ ? *foreign_ : keys_.server_identity(authority_, clock_.wall());
    const auto installed =
        identity ? serve(std::move(*identity)) : result<void>(fail(identity.error()));
    if (!installed)
        log_.error("certificate renewal failed", {{"error", to_string(installed.error())}});
}

void server_certificate_manager::warn_expiry() {
    log_.warning(
        "certificate expires soon",
        {{"serial", foreign_->chain.front().serial()},
         {"valid_until", pki::to_text(foreign_->chain.front().not_after())},
         {"hint", "not issued by the cluster CA: replace the certificate and reload"}});
    reminder_due_ = clock_.wall() + reminder_interval;
}

boost::asio::awaitable<void> server_certificate_manager::renew_in_time() {
    while (true) {
        const auto slept = co_await clock_.sleep_for(check_interval);
        if (!slept) co_return;
        const auto now = clock_.wall();
        if (foreign_ && reminder_due_ <= now) warn_expiry();
        if (renewal_due_ <= now) renew();
    }
}

}  // namespace muster::bootstrap
