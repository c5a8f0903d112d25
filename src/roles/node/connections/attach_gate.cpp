#include "roles/node/connections/attach_gate.h"

#include "adapters/net/address_limit_key.h"

#include <algorithm>

namespace muster::node {
namespace {

constexpr access::rate unlimited{.interval = monotonic::duration::zero()};  // the gate limits all
constexpr monotonic::duration stranger_wait_min = std::chrono::seconds(1);

}  // namespace

attach_gate::attach_gate(dependencies deps)
    : deps_(deps),
      all_(deps.how.gate),
      strangers_({.each = deps.how.strangers, .all = unlimited}) {}

bool attach_gate::stands_for_many(const boost::asio::ip::address& from) const {
    return net::stands_for_many(deps_.how.proxies, from);
}

std::optional<monotonic::duration> attach_gate::enter(const boost::asio::ip::address& from) {
    if (deps_.attached.size() >= deps_.how.attached_max) return deps_.how.gate.wait_max;
    const auto now = deps_.clock.now();
    const bool counts = !stands_for_many(from);
    const std::lock_guard lock(guard_);
    if (counts) {
        const auto refused = strangers_.take(net::counted_as(from), now);
        if (refused) return std::max(refused->wait, stranger_wait_min);
    }
    const auto wait = all_.enter(now);
    if (wait && counts) strangers_.release_memory(net::counted_as(from));
    return wait;
}

void attach_gate::recognised(const boost::asio::ip::address& from) {
    if (stands_for_many(from)) return;
    const std::lock_guard lock(guard_);
    strangers_.release_memory(net::counted_as(from));
}

}  // namespace muster::node
