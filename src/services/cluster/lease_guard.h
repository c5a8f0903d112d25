#pragma once

#include "base/time.h"
#include "core/membership/lease_guard.h"

#include <atomic>

namespace muster::cluster {

// Tells whether this server may act: core/membership/lease_guard.h for many readers. One strand
// confirms; any thread may call holds().
class lease_guard {
public:
    void confirmed(instant sent_at, monotonic::duration ttl) {
        rule_.on_confirmed(sent_at, ttl);
        publish();
    }
    void lost() {
        rule_.on_lost();
        publish();
    }

    bool holds(instant now) const { return now.time_since_epoch().count() < sure_until_.load(); }

private:
    void publish() { sure_until_.store(rule_.sure_until().time_since_epoch().count()); }

    membership::lease_guard rule_;  // used by the confirming strand only
    std::atomic<monotonic::rep> sure_until_ = instant::min().time_since_epoch().count();
};

}  // namespace muster::cluster
