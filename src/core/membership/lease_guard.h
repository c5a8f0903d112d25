#pragma once

#include "base/time.h"

namespace muster::membership {

// Says whether a lease certainly still holds, by the clock of its holder.
//
// The engine counts the lease from the receipt of the keep-alive, which is after it was sent. So
// for `ttl` after the send no other holder can exist. A part of that time is not used, because
// clocks run at different speeds. Not thread-safe.
class lease_guard {
public:
    static constexpr int margin_divisor = 10;  // a tenth of the lease is not used

    // The keep-alive of that time succeeded. Responses may come out of order.
    void on_confirmed(instant sent_at, monotonic::duration ttl) {
        const instant until = sent_at + (ttl - ttl / margin_divisor);
        if (until > sure_until_) sure_until_ = until;
    }

    // The lease expired or was released.
    void on_lost() { sure_until_ = instant::min(); }

    bool holds(instant now) const { return now < sure_until_; }
    instant sure_until() const { return sure_until_; }

private:
    instant sure_until_ = instant::min();
};

}  // namespace muster::membership
