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

// Linearizable reads. A read that failed did not happen: errc::unavailable after the timeout, and
// at once when as many are under way as the options allow.
// Lives on the client's strand.
class reader {
public:
    reader(client& ground, const keyspace& keys) : ground_(ground), keys_(keys) {}

    async<kv::lookup> get(std::string key);
    async<kv::page> range(kv::range_request request);
    async<etcdserverpb::StatusResponse> status();

private:
    enum class page_state { complete, compacted };

    class place;

    result<void> admit();
    async<page_state> fill(std::shared_ptr<pager> pages);
    std::optional<stride> ahead_after(const std::string& key) const;
    void remember(const kv::page& page, std::optional<stride> ahead);

    client& ground_;
    const keyspace& keys_;
    std::size_t under_way_ = 0;

    // What listings under way have learned, by the last key of their last page.
    static constexpr std::size_t listings_max = 64;
    std::map<std::string, stride> listings_;
    std::deque<std::string> listings_by_age_;
};

// The same failure as seen by who only wanted to read, or do what may be done twice.
error nothing_done(const failure& failed);

}  // namespace muster::etcd
