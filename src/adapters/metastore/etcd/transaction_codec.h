#pragma once

#include "adapters/metastore/etcd/keyspace.h"
#include "base/result.h"
#include "core/kv/transaction.h"
#include "etcd.pb.h"

#include <vector>

namespace muster::etcd {

// The same transaction in etcd's words. When it is refused etcd reads the keys of its conditions.
etcdserverpb::TxnRequest encode(const keyspace& keys, const kv::transaction& change);

// Many independent transactions as the nested transactions of one that has no condition itself.
etcdserverpb::TxnRequest nest(std::vector<etcdserverpb::TxnRequest> changes);

// errc::corrupt when the answer has not the shape the request calls for.
result<kv::verdict> decode(const keyspace& keys, const etcdserverpb::TxnResponse& answer);
result<std::vector<kv::verdict>> decode_nested(
    const keyspace& keys, const etcdserverpb::TxnResponse& answer);

}  // namespace muster::etcd
