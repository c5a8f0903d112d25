#include "roles/node/connections/attach_gate.h"

#include "adapters/net/address_limit_key.h"

#include <algorithm>

namespace muster::node {
namespace {

constexpr access::rate unlimited{.interval = monotonic::duration::zero()};  // all_ limits the total
constexpr monotonic::duration stranger_wait_min = std::chrono::seconds(1);

}  // namespace

attach_gate::attach_gate(dependencies deps)
    : deps_(deps),
      all_(deps.options.gate),
      strangers_({.each = deps.options.strangers, .all = unlimited}) {}

bool attach_gate::is_shared(const boost::asio::ip::address& address) const {
    return net::is_shared_address(deps_.options.proxies, address);
}

std::optional<monotonic::duration> attach_gate::acquire(const boost::asio::ip::address& address) {
    if (deps_.attached.size() >= deps_.options.attached_max) return deps_.options.gate.wait_max;
    const auto now = deps_.clock.now();
    const bool is_counted = !is_shared(address);
    const std::lock_guard lock(mutex_);
    if (is_counted) {
        const auto refusal = strangers_.take(net::limit_key(address), now);
        if (refusal) return std::max(refusal->wait, stranger_wait_min);
    }
    const auto wait = all_.try_acquire(now);
    if (wait && is_counted) strangers_.return_unused(net::limit_key(address));
    return wait;
}

void attach_gate::on_recognised(const boost::asio::ip::address& address) {
    if (is_shared(address)) return;
    const std::lock_guard lock(mutex_);
    strangers_.return_unused(net::limit_key(address));
}

}  // namespace muster::node
