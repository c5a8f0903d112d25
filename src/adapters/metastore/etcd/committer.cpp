#include "adapters/metastore/etcd/committer.h"

#include "adapters/metastore/etcd/transaction_codec.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

namespace muster::etcd {
namespace {

constexpr std::size_t in_flight_max = 4;
constexpr std::size_t in_flight_max_one_by_one = 1024;
constexpr std::size_t full_batch = 64;
// After a failed condition the next batches are likely to fail, too: callers that compete for a key
// retry.
constexpr std::size_t nested_after_refusal = 16;
constexpr auto wait_time = std::chrono::microseconds(500);

void fail_all(std::list<waiting_commit>& batch, const error& failure) {
    for (auto& commit : batch) commit.complete(fail(failure));
}

error timeout_error() {
    return {errc::unavailable, "etcd transaction timed out in the queue"};
}

// Whether one transaction made etcd reject the whole batch; etcd does not say which one.
bool is_batch_failure(failure_kind what) {
    return what == failure_kind::refused || what == failure_kind::lease_missing
           || what == failure_kind::too_large;
}

}  // namespace

committer::committer(client& client, const keyspace& keys) : client_(client), keys_(keys) {
    if (client.options().commit_mode == etcd_options::commits::one_by_one) limits_.examined_max = 1;
}

void committer::submit(waiting_commit change) {
    if (closed_) return;
    const auto& options = client_.options();
    if (queue_.size() >= options.waiting_commits_max
        || waiting_bytes_ + change.bytes() > options.waiting_bytes_max) {
        client_.count_limits().add_refused();
        change.complete(fail(errc::unavailable, "etcd transaction queue is full"));
        return;
    }
    waiting_bytes_ += change.bytes();
    change.set_expiry(runtime::monotonic_now() + options.timeout);
    queue_.push_back(std::move(change));
    if (std::exchange(send_posted_, true)) return;
    // Posted, not called: more transactions may be submitted first.
    client_.post([this] { send_batches(); });
}

void committer::close() {
    closed_ = true;
    queue_.clear();
}

bool committer::should_wait() const {
    return limits_.examined_max > 1 && !waited_ && queue_.size() < expected_
           && !queue_.front().was_skipped();
}

// One request at a time makes the largest batches. A second one pays off if its batch is large, or
// if its first transaction was skipped because of a conflict.
bool committer::can_send() const {
    if (queue_.empty() || closed_) return false;
    if (in_flight_ == 0) return !should_wait();
    if (limits_.examined_max == 1) return in_flight_ < in_flight_max_one_by_one;
    return in_flight_ < in_flight_max
           && (queue_.front().was_skipped() || queue_.size() >= full_batch);
}

// The queue is in order of arrival, and all have the same timeout.
void committer::fail_expired() {
    const auto now = runtime::monotonic_now();
    while (!queue_.empty() && queue_.front().has_expired(now)) {
        waiting_bytes_ -= queue_.front().bytes();
        queue_.front().complete(fail(timeout_error()));
        queue_.pop_front();
    }
}

void committer::send_batches() {
    send_posted_ = false;
    fail_expired();
    while (can_send()) {
        auto batch = pop_batch(queue_, limits_);
        for (const auto& commit : batch) waiting_bytes_ -= commit.bytes();
        ++in_flight_;
        waited_ = false;
        ++wait_round_;
        client_.spawn("etcd commit", send(std::move(batch)));
    }
    const bool waits = in_flight_ == 0 && !queue_.empty() && !closed_;
    if (waits && !std::exchange(waiting_, true))
        client_.spawn("gather etcd commits", wait_for_more());
}

boost::asio::awaitable<void> committer::wait_for_more() {
    const auto round = wait_round_;
    ignore_error(co_await client_.clock().sleep_for(wait_time), "pump() handles the cancellation");
    waiting_ = false;
    waited_ = round == wait_round_;  // or a request went meanwhile, and others are waited for
    send_batches();
}

boost::asio::awaitable<void> committer::send(std::list<waiting_commit> batch) {
    ++batches_;
    commits_ += batch.size();
    for (auto& commit : batch) commit.mark_sent();
    batch_form form = choose_form(batch);
    const auto retry = std::make_shared<retry_state>(client_.new_retry_state());
    auto outcome = co_await transmit(encode_batch(batch, form), retry);
    if (form == batch_form::joined && outcome && !outcome->failure && !outcome->reply.succeeded()) {
        nested_batches_left_ = nested_after_refusal;
        form = batch_form::nested;
        outcome = co_await transmit(encode_batch(batch, form), retry);
    }
    --in_flight_;
    expected_ = std::min(batch.size() + queue_.size(), limits_.operations_max - 1);
    if (!outcome && outcome.error().code() == errc::cancelled) co_return;  // by the client's end
    if (!outcome) {
        fail_all(batch, outcome.error());
    } else if (!outcome->failure) {
        complete_batch(batch, form, outcome->reply);
    } else if (batch.size() > 1 && is_batch_failure(outcome->failure->kind)) {
        client_.spawn("single etcd commits", send_one_by_one(std::move(batch)));
    } else {
        fail_all(batch, outcome->failure->error);
    }
    send_batches();
}

boost::asio::awaitable<void> committer::send_one_by_one(std::list<waiting_commit> batch) {
    while (!batch.empty()) {
        std::list<waiting_commit> alone;
        alone.splice(alone.end(), batch, batch.begin());
        if (alone.front().has_expired(runtime::monotonic_now())) {
            alone.front().complete(fail(timeout_error()));
            continue;
        }
        ++in_flight_;
        co_await send(std::move(alone));
    }
}

committer::batch_form committer::choose_form(const std::list<waiting_commit>& batch) {
    if (batch.size() == 1) return batch_form::alone;
    if (nested_batches_left_ > 0) {
        --nested_batches_left_;
        return batch_form::nested;
    }
    return joined_width(batch) <= limits_.operations_max ? batch_form::joined : batch_form::nested;
}

etcdserverpb::TxnRequest committer::encode_batch(
    const std::list<waiting_commit>& batch, batch_form form) const {
    if (form == batch_form::alone) return encode(keys_, batch.front().change());
    if (form == batch_form::joined) {
        joined_request all(keys_);
        for (const auto& commit : batch) all.add(commit.change());
        return std::move(all).release();
    }
    std::vector<etcdserverpb::TxnRequest> nested;
    nested.reserve(batch.size());
    for (const auto& commit : batch) nested.push_back(encode(keys_, commit.change()));
    return nest(std::move(nested));
}

void committer::complete_batch(
    std::list<waiting_commit>& batch,
    batch_form form,
    const etcdserverpb::TxnResponse& reply) const {
    if (form == batch_form::alone) {
        batch.front().complete(decode(keys_, reply));
        return;
    }
    if (form == batch_form::joined) {
        const kv::revision at(reply.header().revision());
        for (auto& commit : batch)
            commit.complete(kv::commit_result{.committed = true, .at = at, .current = {}});
        return;
    }
    auto results = decode_nested(keys_, reply);
    if (results && results->size() != batch.size())
        results = fail(errc::corrupt, "etcd returned another number of transactions than sent");
    if (!results) {
        fail_all(batch, results.error());
        return;
    }
    auto next = results->begin();
    for (auto& commit : batch) commit.complete(std::move(*next++));
}

async<response<etcdserverpb::TxnRequest>> committer::transmit(
    etcdserverpb::TxnRequest request, std::shared_ptr<retry_state> retry) {
    using response = response<etcdserverpb::TxnRequest>;
    const auto sent = std::make_shared<const etcdserverpb::TxnRequest>(std::move(request));
    while (true) {
        CO_TRY(const std::string token, co_await client_.token());
        // Connect first, so that a missing response does not just mean "not connected".
        CO_CHECK_OK(co_await client_.connect_to_member(retry));
        CO_TRY(auto outcome, co_await client_.attempt(sent, token));
        if (outcome.status.ok()) co_return response{.reply = std::move(outcome.reply)};
        auto failure = explain(outcome.status);
        const auto pause = client_.pause_after(failure, token, *retry);
        if (!pause || failure.kind == failure_kind::unknown)
            co_return response{.failure = std::move(failure)};
        CO_CHECK_OK(co_await client_.clock().sleep_for(*pause));
    }
}

}  // namespace muster::etcd
