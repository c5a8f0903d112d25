#pragma once

#include "adapters/net/tls_context.h"
#include "apps/muster/server/keyring.h"
#include "ports/clock.h"
#include "runtime/log.h"

#include <memory>

namespace muster::server {

// The certificate the server shows, replaced without a restart: in time before its end, and when
// the operator put another one into the data directory and asks for a reload. Lives on one strand.
class tls_front {
public:
    static result<std::unique_ptr<tls_front>> make(
        const keyring& keys, pki::authority authority, clock& time, runtime::logger& log);

    const std::shared_ptr<net::rotating_tls_server>& current() const { return rotating_; }

    void reload();
    // Until it is cancelled.
    boost::asio::awaitable<void> renew_in_time();

private:
    tls_front(const keyring& keys, pki::authority authority, clock& time, runtime::logger& log)
        : keys_(keys), authority_(std::move(authority)), time_(time), log_(log) {}

    result<void> show(pki::identity own);

    const keyring& keys_;
    pki::authority authority_;
    clock& time_;
    runtime::logger& log_;
    wall_time renewal_due_;
    std::string serial_;  // of the certificate that is shown
    std::shared_ptr<net::rotating_tls_server> rotating_;
};

}  // namespace muster::server
