#include "adapters/metastore/etcd/watch_stream.h"

#include <utility>

namespace muster::etcd {

using etcdserverpb::WatchRequest;
using etcdserverpb::WatchResponse;

watch_stream::watch_stream(call_queue& calls, const channel_ptr& channel, const std::string& token)
    : calls_(calls) {
    prepare(context_, token);
    grpc::TemplatedGenericStub<WatchRequest, WatchResponse> stub(channel);
    stream_ = stub.PrepareCall(&context_, method<WatchRequest>::path, calls_.raw());
    calls_.track(&context_);
}

watch_stream::~watch_stream() {
    calls_.untrack(&context_);
}

async<bool> watch_stream::start() {
    co_return co_await await_callback<bool>([self = shared_from_this()](completion<bool> done) {
        self->stream_->StartCall(
            call_queue::tag([self, done = std::move(done)](bool ok) { done(ok); }));
    });
}

async<bool> watch_stream::write(WatchRequest request) {
    request_ = std::move(request);
    co_return co_await await_callback<bool>([self = shared_from_this()](completion<bool> done) {
        self->stream_->Write(
            self->request_, call_queue::tag([self, done = std::move(done)](bool ok) { done(ok); }));
    });
}

async<std::optional<WatchResponse>> watch_stream::read() {
    using read_result = std::optional<WatchResponse>;
    co_return co_await await_callback<read_result>(
        [self = shared_from_this()](completion<read_result> done) {
            self->stream_->Read(
                &self->response_, call_queue::tag([self, done = std::move(done)](bool ok) {
                    done(ok ? read_result(std::move(self->response_)) : read_result());
                }));
        });
}

async<grpc::Status> watch_stream::finish() {
    co_return co_await await_callback<grpc::Status>([self = shared_from_this()](
                                                        completion<grpc::Status> done) {
        self->stream_->Finish(
            &self->status_,
            call_queue::tag([self, done = std::move(done)](bool /*ok*/) { done(self->status_); }));
    });
}

}  // namespace muster::etcd
