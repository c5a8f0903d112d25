#pragma once

#include "adapters/metastore/etcd/client.h"
#include "adapters/metastore/etcd/keyspace.h"
#include "adapters/metastore/etcd/pager.h"
#include "core/kv/entry.h"

#include <cstddef>
#include <deque>
#include <map>
#include <string>

namespace muster::etcd {

// Linearizable reads. errc::unavailable after the timeout, and at once when the limit of concurrent
// reads is reached. Not thread-safe; use it on the client's strand.
class reader {
public:
    reader(client& client, const keyspace& keys) : client_(client), keys_(keys) {}

    async<kv::lookup> get(std::string key);
    async<kv::page> range(kv::range_request request);
    async<etcdserverpb::StatusResponse> status();

private:
    enum class page_state { complete, compacted };

    class active_read;

    result<void> check_limit();
    async<page_state> fill(std::shared_ptr<pager> pages);
    std::optional<key_step> find_step(const std::string& key) const;
    void store_step(const kv::page& page, std::optional<key_step> step);

    client& client_;
    const keyspace& keys_;
    std::size_t active_ = 0;

    // The key steps of unfinished listings, by the last key of their last page.
    static constexpr std::size_t listings_max = 64;
    std::map<std::string, key_step> listings_;
    std::deque<std::string> listings_by_age_;
};

// The error of an idempotent request: timed_out becomes unavailable.
error to_unavailable(const etcd::failure& failure);

}  // namespace muster::etcd
