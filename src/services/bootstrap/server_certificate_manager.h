#pragma once

#include "adapters/net/tls_context.h"
#include "ports/clock.h"
#include "runtime/log.h"
#include "services/bootstrap/certificate_files.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace muster::bootstrap {

// Serves the certificate of this server and replaces it without a restart: before it expires, and
// on a reload after the operator installed another one.
//
// A certificate of a foreign CA is for browsers. Agents, other servers and the command line, which
// announce the cluster CA, get one of that CA. Not thread-safe, except for peer_client(); call from
// one strand.
class server_certificate_manager {
public:
    struct options {
        std::vector<std::string> protocols;  // ALPN, in order of preference
    };

    static result<std::unique_ptr<server_certificate_manager>> create(
        const certificate_files& keys,
        pki::authority authority,
        muster::clock& clock,
        runtime::logger& log,
        options options);

    const std::shared_ptr<net::rotating_tls_server>& current() const { return rotating_; }
    // For connections to other servers, with the certificate of this server. Thread-safe.
    std::shared_ptr<const net::tls_client> peer_client() const;
    const pki::authority& authority() const { return authority_; }

    void reload();
    // Runs until cancelled.
    boost::asio::awaitable<void> renew_in_time();

private:
    server_certificate_manager(
        const certificate_files& keys,
        pki::authority authority,
        muster::clock& clock,
        runtime::logger& log,
        options options)
        : keys_(keys),
          authority_(std::move(authority)),
          clock_(clock),
          log_(log),
          options_(std::move(options)) {}

    result<void> install(pki::identity identity);
    result<void> serve(pki::identity identity);
    void renew();
    void warn_expiry();

    const certificate_files& keys_;
    pki::authority authority_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
    wall_time renewal_due_;                 // of the certificate of the cluster CA
    std::optional<pki::identity> foreign_;  // set if the operator installed a foreign one
    wall_time reminder_due_;                // of the warning that it expires soon
    std::shared_ptr<net::rotating_tls_server> rotating_;
    mutable std::mutex mutex_;
    std::shared_ptr<const net::tls_client> peer_client_;
};

}  // namespace muster::bootstrap
