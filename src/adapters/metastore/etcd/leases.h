#pragma once

#include "adapters/metastore/etcd/client.h"
#include "base/prng.h"
#include "core/kv/entry.h"

#include <chrono>

namespace muster::etcd {

// Grants, renews and revokes leases. The client chooses their ids, so that a grant whose response
// was lost can be repeated. Not thread-safe; use it on the client's strand.
class leases {
public:
    leases(client& client, prng random) : client_(client), random_(random) {}

    async<kv::lease_id> grant(std::chrono::seconds ttl);
    async<void> keep_alive(kv::lease_id lease);
    async<void> revoke(kv::lease_id lease);

private:
    client& client_;
    prng random_;
};

}  // namespace muster::etcd
