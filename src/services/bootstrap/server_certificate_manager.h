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

// The certificate the server shows, replaced without a restart: in time before its end, and when
// the operator put another one into the data directory and asks for a reload. One of another CA
// than the cluster's is for browsers: agents, other servers and the command line, who say that they
// believe the cluster's CA, are shown one of that. Lives on one strand.
class server_certificate_manager {
public:
    struct options {
        std::vector<std::string> protocols;  // ALPN, in order of preference
    };

    static result<std::unique_ptr<server_certificate_manager>> make(
        const certificate_files& keys,
        pki::authority authority,
        muster::clock& clock,
        runtime::logger& log,
        options options);

    const std::shared_ptr<net::rotating_tls_server>& current() const { return rotating_; }
    // For connections to other servers of the cluster, with this server's certificate. From any
    // thread.
    std::shared_ptr<const net::tls_client> towards_peers() const;
    const pki::authority& authority() const { return authority_; }

    void reload();
    // Until it is cancelled.
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

    result<void> take(pki::identity own);
    result<void> show(pki::identity own);
    void renew();
    void remind();

    const certificate_files& keys_;
    pki::authority authority_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
    wall_time renewal_due_;                 // of the certificate of the cluster's CA
    std::optional<pki::identity> brought_;  // by the operator, if it is
    wall_time reminder_due_;                // when to tell that it ends soon
    std::shared_ptr<net::rotating_tls_server> rotating_;
    mutable std::mutex guard_;
    std::shared_ptr<const net::tls_client> towards_peers_;
};

}  // namespace muster::bootstrap
