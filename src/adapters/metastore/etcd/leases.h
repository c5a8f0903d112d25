#pragma once

#include "adapters/metastore/etcd/client.h"
#include "base/prng.h"
#include "core/kv/entry.h"

#include <chrono>

namespace muster::etcd {

// Leases. We choose their numbers, so that a grant whose answer was lost can be asked for again.
// Lives on the client's strand.
class leases {
public:
    leases(client& ground, prng random) : ground_(ground), random_(random) {}

    async<kv::lease_id> grant(std::chrono::seconds ttl);
    async<void> keep_alive(kv::lease_id lease);
    async<void> revoke(kv::lease_id lease);

private:
    client& ground_;
    prng random_;
};

}  // namespace muster::etcd
