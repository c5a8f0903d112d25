#pragma once

#include "adapters/metastore/etcd/keyspace.h"
#include "base/result.h"
#include "core/kv/transaction.h"
#include "etcd.pb.h"

#include <vector>

namespace muster::etcd {

// The same transaction in etcd's words. When it is refused etcd reads the keys of its conditions.
etcdserverpb::TxnRequest encode(const keyspace& keys, const kv::transaction& change);

// Many independent transactions as the nested transactions of one that has no condition itself:
// each is decided for itself.
etcdserverpb::TxnRequest nest(std::vector<etcdserverpb::TxnRequest> changes);

// Many independent transactions as one: all are done when every condition of each holds, and
// otherwise none. Cheaper for etcd than nested ones, and shorter, because nothing is read when a
// condition fails.
class joint_request {
public:
    explicit joint_request(const keyspace& keys) : keys_(keys) {}

    void add(const kv::transaction& change);
    etcdserverpb::TxnRequest take() &&;

private:
    const keyspace& keys_;
    etcdserverpb::TxnRequest request_;
};

// errc::corrupt when the answer has not the shape the request calls for.
result<kv::verdict> decode(const keyspace& keys, const etcdserverpb::TxnResponse& answer);
result<std::vector<kv::verdict>> decode_nested(
    const keyspace& keys, const etcdserverpb::TxnResponse& answer);

}  // namespace muster::etcd
