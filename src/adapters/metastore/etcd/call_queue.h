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

// What came of one call: a reply when `status` is well.
template <class Request>
struct call_outcome {
    grpc::Status status;
    reply_to<Request> reply;
};

struct call_settings {
    std::chrono::milliseconds deadline;
    std::string token;  // who we are; empty when etcd does not ask
};

// gRPC's completion queue, with the one thread that serves it. Calls are started from one strand
// and resume there. After stop() no call may be started.
class call_queue {
public:
    call_queue();
    call_queue(const call_queue&) = delete;
    call_queue& operator=(const call_queue&) = delete;
    ~call_queue();

    // Cancels what is under way and waits until gRPC has let go of all of it.
    void stop();

    template <class Request>
    async<call_outcome<Request>> call(
        channel_ptr to, std::shared_ptr<const Request> request, call_settings settings);

    // Waits until the channel is connected; false when that failed or one step of it took longer
    // than `timeout`.
    async<bool> connected(channel_ptr to, std::chrono::milliseconds timeout);

    // For whoever starts operations himself: `then` is called once, on the queue's thread.
    using step = std::function<void(bool ok)>;
    static void* tag(step then) { return new step(std::move(then)); }
    grpc::CompletionQueue* raw() { return &queue_; }

    // Contexts that stop() has to cancel.
    void track(grpc::ClientContext* context);
    void forget(grpc::ClientContext* context);

private:
    template <class Request>
    struct unary {
        grpc::ClientContext context;
        call_outcome<Request> outcome;
        std::unique_ptr<grpc::ClientAsyncResponseReader<reply_to<Request>>> reader;
    };

    void serve();

    grpc::CompletionQueue queue_;
    std::mutex guard_;
    std::set<grpc::ClientContext*> under_way_;
    bool stopped_ = false;
    std::thread server_;
};

// Deadline, token and the wish to be answered only by a member that has a leader.
void prepare(grpc::ClientContext& context, const std::string& token);
void set_deadline(grpc::ClientContext& context, std::chrono::milliseconds deadline);

template <class Request>
async<call_outcome<Request>> call_queue::call(
    channel_ptr to, std::shared_ptr<const Request> request, call_settings settings) {
    const auto result = std::make_shared<unary<Request>>();
    prepare(result->context, settings.token);
    set_deadline(result->context, settings.deadline);
    grpc::TemplatedGenericStub<Request, reply_to<Request>> stub(to);
    result->reader =
        stub.PrepareUnaryCall(&result->context, method<Request>::path, *request, &queue_);
    co_return co_await completed<call_outcome<Request>>(
        [this, result](completion<call_outcome<Request>> done) {
            track(&result->context);
            result->reader->StartCall();
            result->reader->Finish(
                &result->outcome.reply,
                &result->outcome.status,
                tag([this, result, done = std::move(done)](bool /*ok*/) {
                    forget(&result->context);
                    done(std::move(result->outcome));
                }));
        });
}

}  // namespace muster::etcd
