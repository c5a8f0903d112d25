#include "services/bootstrap/server_certificate_manager.h"

#include "adapters/net/http/service.h"

#include <chrono>
#include <string>
#include <utility>

namespace muster::bootstrap {
namespace {

// Often enough for the shortest lifetime, an hour, and cheap.
constexpr auto look_interval = std::chrono::minutes(1);
constexpr auto reminder_interval = std::chrono::hours(24);

}  // namespace

result<std::unique_ptr<server_certificate_manager>> server_certificate_manager::make(
    const certificate_files& keys,
    pki::authority authority,
    muster::clock& clock,
    runtime::logger& log,
    options options) {
    TRY(auto own, keys.server_identity(authority, clock.wall()));
    std::unique_ptr<server_certificate_manager> front(
        new server_certificate_manager(keys, std::move(authority), clock, log, std::move(options)));
    CHECK_OK(front->take(std::move(own)));
    return front;
}

// From the data directory: now it is known whose it is.
result<void> server_certificate_manager::take(pki::identity own) {
    const auto leaf = own.chain.front();
    const bool ours = leaf.is_signed_by(authority_.certificate());
    CHECK_OK(show(own));
    brought_ = ours ? std::nullopt : std::optional(std::move(own));
    reminder_due_ = certificate_files::renewal_due(leaf);
    return {};
}

result<void> server_certificate_manager::show(pki::identity own) {
    const auto leaf = own.chain.front();
    const bool brought = !leaf.is_signed_by(authority_.certificate());
    auto of_cluster = own;
    if (brought) {
        TRY(of_cluster, keys_.unkept_identity(authority_, clock_.wall()));
    }
    const auto due = certificate_files::renewal_due(of_cluster.chain.front());
    TRY(auto client,
        net::tls_client::make(
            {.trusted = net::trusted_authorities{{authority_.certificate()}},
             .protocols = {std::string(net::http::http_protocol)},
             .own = of_cluster,
             .tells_trusted = true}));
    std::optional<net::tls_server::other_identity> for_believers;
    if (brought) for_believers = {std::move(of_cluster), authority_.certificate()};
    TRY(auto result,
        net::tls_server::make(
            {.own = std::move(own),
             .for_believers = std::move(for_believers),
             .protocols = options_.protocols,
             .clients = net::client_certificates::welcome,
             .client_authorities = {authority_.certificate()}}));
    if (rotating_) {
        rotating_->replace(std::move(result));
    } else {
        rotating_ = std::make_shared<net::rotating_tls_server>(std::move(result));
    }
    {
        const std::lock_guard lock(guard_);
        towards_peers_ = std::move(client);
    }
    renewal_due_ = due;
    log_.info(
        "showing certificate",
        {{"serial", leaf.serial()}, {"valid_until", pki::to_text(leaf.not_after())}});
    return {};
}

std::shared_ptr<const net::tls_client> server_certificate_manager::towards_peers() const {
    const std::lock_guard lock(guard_);
    return towards_peers_;
}

void server_certificate_manager::reload() {
    auto own = keys_.load_server_identity(clock_.wall());
    auto output = own ? take(std::move(*own)) : result<void>(fail(own.error()));
    if (!output)
        log_.error(
            "certificate not reloaded, the old one stays", {{"reason", to_string(output.error())}});
}

// The operator's certificate is the operator's to renew; beside it the cluster's own is.
void server_certificate_manager::renew() {
    auto own = brought_ ? *brought_ : keys_.server_identity(authority_, clock_.wall());
    const auto output = own ? show(std::move(*own)) : result<void>(fail(own.error()));
    if (!output) log_.error("certificate not renewed", {{"reason", to_string(output.error())}});
}

void server_certificate_manager::remind() {
    log_.warning(
        "the certificate ends soon and is not of the cluster's CA: replace it and reload",
        {{"serial", brought_->chain.front().serial()}});
    reminder_due_ = clock_.wall() + reminder_interval;
}

boost::asio::awaitable<void> server_certificate_manager::renew_in_time() {
    while (true) {
        const auto slept = co_await clock_.sleep_for(look_interval);
        if (!slept) co_return;
        const auto now = clock_.wall();
        if (brought_ && reminder_due_ <= now) remind();
        if (renewal_due_ <= now) renew();
    }
}

}  // namespace muster::bootstrap
