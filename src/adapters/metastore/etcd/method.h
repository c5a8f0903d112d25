#pragma once

#include "etcd.pb.h"

namespace muster::etcd {

// Which reply a request gets, and the path of the gRPC method that gives it.
template <class Request>
struct method;

#define MUSTER_ETCD_METHOD(service, name, request, response)                     \
    template <>                                                                  \
    struct method<etcdserverpb::request> {                                       \
        using reply = etcdserverpb::response;                                    \
        static constexpr const char* path = "/etcdserverpb." #service "/" #name; \
    }

MUSTER_ETCD_METHOD(KV, Range, RangeRequest, RangeResponse);
MUSTER_ETCD_METHOD(KV, Txn, TxnRequest, TxnResponse);
MUSTER_ETCD_METHOD(KV, Compact, CompactionRequest, CompactionResponse);
MUSTER_ETCD_METHOD(Watch, Watch, WatchRequest, WatchResponse);
MUSTER_ETCD_METHOD(Lease, LeaseGrant, LeaseGrantRequest, LeaseGrantResponse);
MUSTER_ETCD_METHOD(Lease, LeaseRevoke, LeaseRevokeRequest, LeaseRevokeResponse);
// A stream both ways that we use for one message each way: on the wire that is a unary call.
MUSTER_ETCD_METHOD(Lease, LeaseKeepAlive, LeaseKeepAliveRequest, LeaseKeepAliveResponse);
MUSTER_ETCD_METHOD(Auth, Authenticate, AuthenticateRequest, AuthenticateResponse);
MUSTER_ETCD_METHOD(Maintenance, Status, StatusRequest, StatusResponse);

#undef MUSTER_ETCD_METHOD

template <class Request>
using reply_to = typename method<Request>::reply;

}  // namespace muster::etcd
