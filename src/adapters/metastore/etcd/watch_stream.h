#pragma once

#include "adapters/metastore/etcd/call_queue.h"
#include "etcd.pb.h"
#include "ports/async.h"

#include <grpcpp/client_context.h>
#include <grpcpp/support/async_stream.h>

#include <memory>
#include <optional>
#include <string>

namespace muster::etcd {

// A gRPC stream with one watch. One operation at a time, from one strand. A cancelled operation
// continues in the background and keeps the stream alive until it ends.
class watch_stream : public std::enable_shared_from_this<watch_stream> {
public:
    watch_stream(call_queue& calls, const channel_ptr& channel, const std::string& token);
    watch_stream(const watch_stream&) = delete;
    watch_stream& operator=(const watch_stream&) = delete;
    ~watch_stream();

    // False: the stream has ended; finish() says why.
    async<bool> start();
    async<bool> write(etcdserverpb::WatchRequest request);

    // Nothing: the stream has ended.
    async<std::optional<etcdserverpb::WatchResponse>> read();
    async<grpc::Status> finish();

    void cancel() { context_.TryCancel(); }

private:
    call_queue& calls_;
    grpc::ClientContext context_;
    etcdserverpb::WatchRequest request_;
    etcdserverpb::WatchResponse response_;
    grpc::Status status_;
    std::unique_ptr<
        grpc::ClientAsyncReaderWriter<etcdserverpb::WatchRequest, etcdserverpb::WatchResponse>>
        stream_;
};

}  // namespace muster::etcd
