#pragma once

#include "adapters/metastore/etcd/keyspace.h"
#include "base/result.h"
#include "core/kv/transaction.h"
#include "etcd.pb.h"

#include <vector>

namespace muster::etcd {

// Encodes a transaction. If a condition fails, etcd reads the keys of the conditions.
etcdserverpb::TxnRequest encode(const keyspace& keys, const kv::transaction& change);

// Encodes independent transactions as nested ones of a transaction without conditions: each
// succeeds or fails on its own.
etcdserverpb::TxnRequest nest(std::vector<etcdserverpb::TxnRequest> changes);

// Encodes independent transactions as one: all are executed if every condition holds, otherwise
// none. Cheaper for etcd than nested ones, and shorter, because nothing is read when a condition
// fails.
class joined_request {
public:
    explicit joined_request(const keyspace& keys) : keys_(keys) {}

    void add(const kv::transaction& change);
    etcdserverpb::TxnRequest release() &&;

private:
    const keyspace& keys_;
    etcdserverpb::TxnRequest request_;
};

// errc::corrupt when the response does not match the request.
result<kv::commit_result> decode(const keyspace& keys, const etcdserverpb::TxnResponse& response);
result<std::vector<kv::commit_result>> decode_nested(
    const keyspace& keys, const etcdserverpb::TxnResponse& response);

}  // namespace muster::etcd
