#pragma once

#include "adapters/metastore/etcd/method.h"
#include "ports/async.h"

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>
#include <grpcpp/completion_queue.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/impl/codegen/proto_utils.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

namespace muster::etcd {

using channel_ptr = std::shared_ptr<grpc::Channel>;

// The outcome of one call; `reply` is valid if `status` is ok.
template <class Request>
struct call_outcome {
    grpc::Status status;
    reply_to<Request> reply;
};

struct call_settings {
    std::chrono::milliseconds deadline;
    std::string token;  // empty: without authentication
};

// gRPC's completion queue with its thread. Calls are started from one strand and resume there. Do
// not start a call after stop().
class call_queue {
public:
    call_queue();
    call_queue(const call_queue&) = delete;
    call_queue& operator=(const call_queue&) = delete;
    ~call_queue();

    // Cancels all calls and waits until gRPC has released them.
    void stop();

    template <class Request>
    async<call_outcome<Request>> call(
        channel_ptr channel, std::shared_ptr<const Request> request, call_settings settings);

    // Waits until the channel is connected. False when connecting failed, or one step of it took
    // longer than `timeout`.
    async<bool> wait_connected(channel_ptr channel, std::chrono::milliseconds timeout);

    // For operations that the caller starts: `handler` is called once, on the queue's thread.
    using step = std::function<void(bool ok)>;
    static void* tag(step handler) { return new step(std::move(handler)); }
    grpc::CompletionQueue* raw() { return &queue_; }

    // Contexts that stop() has to cancel.
    void track(grpc::ClientContext* context);
    void untrack(grpc::ClientContext* context);

private:
    template <class Request>
    struct unary {
        grpc::ClientContext context;
        call_outcome<Request> outcome;
        std::unique_ptr<grpc::ClientAsyncResponseReader<reply_to<Request>>> reader;
    };

    void serve();

    grpc::CompletionQueue queue_;
    std::mutex mutex_;
    std::set<grpc::ClientContext*> active_;
    bool stopped_ = false;
    std::thread server_;
};

// Adds the token, and the requirement that the member has a leader.
void prepare(grpc::ClientContext& context, const std::string& token);
void set_deadline(grpc::ClientContext& context, std::chrono::milliseconds deadline);

template <class Request>
async<call_outcome<Request>> call_queue::call(
    channel_ptr channel, std::shared_ptr<const Request> request, call_settings settings) {
    const auto state = std::make_shared<unary<Request>>();
    prepare(state->context, settings.token);
    set_deadline(state->context, settings.deadline);
    grpc::TemplatedGenericStub<Request, reply_to<Request>> stub(channel);
    state->reader =
        stub.PrepareUnaryCall(&state->context, method<Request>::path, *request, &queue_);
    co_return co_await await_callback<call_outcome<Request>>(
        [this, state](completion<call_outcome<Request>> done) {
            track(&state->context);
            state->reader->StartCall();
            state->reader->Finish(
                &state->outcome.reply,
                &state->outcome.status,
                tag([this, state, done = std::move(done)](bool /*ok*/) {
                    untrack(&state->context);
                    done(std::move(state->outcome));
                }));
        });
}

}  // namespace muster::etcd
