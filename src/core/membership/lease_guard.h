#pragma once

#include "base/time.h"

namespace muster::membership {

// Tells a holder of a lease, by its own clock, whether it can still be sure of it.
//
// The engine counts a lease's time from when it took the keep-alive, which is after it was sent. So
// within `ttl` of the sending nobody else can have been given what the lease protects. A part of
// the time is left unused, because clocks run at different speeds.
class lease_guard {
public:
    static constexpr int margin_divisor = 10;  // a tenth of the lease's time is not relied on

    // A keep-alive that was sent then has been answered well. Answers may come out of order.
    void confirmed(instant sent_at, monotonic::duration ttl) {
        const instant until = sent_at + (ttl - ttl / margin_divisor);
        if (until > sure_until_) sure_until_ = until;
    }

    // It ended, or was given back.
    void lost() { sure_until_ = instant::min(); }

    bool holds(instant now) const { return now < sure_until_; }
    instant sure_until() const { return sure_until_; }

private:
    instant sure_until_ = instant::min();
};

}  // namespace muster::membership
