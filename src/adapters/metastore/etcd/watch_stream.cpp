#include "adapters/metastore/etcd/watch_stream.h"

#include <utility>

namespace muster::etcd {

using etcdserverpb::WatchRequest;
using etcdserverpb::WatchResponse;

watch_stream::watch_stream(call_queue& calls, const channel_ptr& to, const std::string& token)
    : calls_(calls) {
    prepare(context_, token);
    grpc::TemplatedGenericStub<WatchRequest, WatchResponse> stub(to);
    stream_ = stub.PrepareCall(&context_, method<WatchRequest>::path, calls_.raw());
    calls_.track(&context_);
}

watch_stream::~watch_stream() {
    calls_.forget(&context_);
}

async<bool> watch_stream::start() {
    co_return co_await completed<bool>([self = shared_from_this()](completion<bool> done) {
        self->stream_->StartCall(
            call_queue::tag([self, done = std::move(done)](bool ok) { done(ok); }));
    });
}

async<bool> watch_stream::write(WatchRequest request) {
    sent_ = std::move(request);
    co_return co_await completed<bool>([self = shared_from_this()](completion<bool> done) {
        self->stream_->Write(
            self->sent_, call_queue::tag([self, done = std::move(done)](bool ok) { done(ok); }));
    });
}

async<std::optional<WatchResponse>> watch_stream::read() {
    using heard = std::optional<WatchResponse>;
    co_return co_await completed<heard>([self = shared_from_this()](completion<heard> done) {
        self->stream_->Read(&self->heard_, call_queue::tag([self, done = std::move(done)](bool ok) {
            done(ok ? heard(std::move(self->heard_)) : heard());
        }));
    });
}

async<grpc::Status> watch_stream::finish() {
    co_return co_await completed<grpc::Status>([self = shared_from_this()](
                                                   completion<grpc::Status> done) {
        self->stream_->Finish(
            &self->status_,
            call_queue::tag([self, done = std::move(done)](bool /*ok*/) { done(self->status_); }));
    });
}

}  // namespace muster::etcd
