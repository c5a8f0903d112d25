#include "adapters/metastore/etcd/call_queue.h"

#include <grpc/support/time.h>

#include <memory>

namespace muster::etcd {
namespace {

// gRPC adds a time span to its own clock.
gpr_timespec from_now(std::chrono::milliseconds span) {
    return gpr_time_from_millis(span.count(), GPR_TIMESPAN);
}

}  // namespace

void prepare(grpc::ClientContext& context, const std::string& token) {
    // Without a leader a member would let requests wait and watches fall silent.
    context.AddMetadata("hasleader", "true");
    if (!token.empty()) context.AddMetadata("token", token);
}

void set_deadline(grpc::ClientContext& context, std::chrono::milliseconds deadline) {
    context.set_deadline(from_now(deadline));
}

call_queue::call_queue() : server_([this] { serve(); }) {}

call_queue::~call_queue() {
    stop();
}

void call_queue::serve() {
    void* next = nullptr;
    bool ok = false;
    while (queue_.Next(&next, &ok)) {
        const std::unique_ptr<step> handler(static_cast<step*>(next));
        (*handler)(ok);
    }
}

void call_queue::stop() {
    {
        const std::lock_guard lock(mutex_);
        if (stopped_) return;
        stopped_ = true;
        for (auto* context : active_) context->TryCancel();
    }
    queue_.Shutdown();
    server_.join();
}

void call_queue::track(grpc::ClientContext* context) {
    const std::lock_guard lock(mutex_);
    active_.insert(context);
}

void call_queue::untrack(grpc::ClientContext* context) {
    const std::lock_guard lock(mutex_);
    active_.erase(context);
}

async<bool> call_queue::wait_connected(channel_ptr channel, std::chrono::milliseconds timeout) {
    while (true) {
        const auto state = channel->GetState(true);
        if (state == GRPC_CHANNEL_READY) co_return true;
        if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || state == GRPC_CHANNEL_SHUTDOWN)
            co_return false;
        CO_TRY(
            const bool changed,
            co_await await_callback<bool>([this, channel, state, timeout](completion<bool> done) {
                channel->NotifyOnStateChange(
                    state,
                    from_now(timeout),
                    &queue_,
                    tag([channel, done = std::move(done)](bool ok) { done(ok); }));
            }));
        if (!changed) co_return false;
    }
}

}  // namespace muster::etcd
