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
constexpr std::size_t worth_another_request = 64;
// Where one batch had a condition that failed, the next have, too: callers who compete for a key
// try again.
constexpr std::size_t nested_after_refusal = 16;
constexpr auto gather_for = std::chrono::microseconds(500);

void tell_all(std::list<waiting_commit>& batch, const error& failure) {
    for (auto& one : batch) one.tell(fail(failure));
}

error waited_too_long() {
    return {errc::unavailable, "etcd did not get to a transaction in time"};
}

// Nothing of a batch was done because something in it cannot be; which, etcd does not say.
bool one_spoils_all(fate what) {
    return what == fate::refused || what == fate::lease_missing || what == fate::too_large;
}

}  // namespace

committer::committer(client& ground, const keyspace& keys) : ground_(ground), keys_(keys) {
    if (ground.options().how_to_commit == etcd_options::commits::one_by_one)
        limits_.looked_at_max = 1;
}

void committer::submit(waiting_commit change) {
    if (closed_) return;
    const auto& options = ground_.options();
    if (queue_.size() >= options.waiting_commits_max
        || waiting_bytes_ + change.bytes() > options.waiting_bytes_max) {
        ground_.count_limits().refused();
        change.tell(fail(errc::unavailable, "too many transactions wait for etcd already"));
        return;
    }
    waiting_bytes_ += change.bytes();
    change.give_up_at(runtime::monotonic_now() + options.timeout);
    queue_.push_back(std::move(change));
    if (std::exchange(pump_due_, true)) return;
    // Not at once: others may stand in line behind this one.
    ground_.post([this] { pump(); });
}

void committer::close() {
    closed_ = true;
    queue_.clear();
}

bool committer::worth_waiting() const {
    return limits_.looked_at_max > 1 && !gathered_ && queue_.size() < expected_
           && !queue_.front().passed_over();
}

// One request at a time gathers most. Another one beside it is worth its price when it is well
// filled, or when it holds what could not go with the first.
bool committer::may_send_another() const {
    if (queue_.empty() || closed_) return false;
    if (in_flight_ == 0) return !worth_waiting();
    if (limits_.looked_at_max == 1) return in_flight_ < in_flight_max_one_by_one;
    return in_flight_ < in_flight_max
           && (queue_.front().passed_over() || queue_.size() >= worth_another_request);
}

// The queue is in order of arrival, and all have the same timeout.
void committer::give_up_expired() {
    const auto now = runtime::monotonic_now();
    while (!queue_.empty() && queue_.front().expired(now)) {
        waiting_bytes_ -= queue_.front().bytes();
        queue_.front().tell(fail(waited_too_long()));
        queue_.pop_front();
    }
}

void committer::pump() {
    pump_due_ = false;
    give_up_expired();
    while (may_send_another()) {
        auto batch = take_batch(queue_, limits_);
        for (const auto& one : batch) waiting_bytes_ -= one.bytes();
        ++in_flight_;
        gathered_ = false;
        ++round_;
        ground_.spawn("a commit to etcd", send(std::move(batch)));
    }
    const bool waits = in_flight_ == 0 && !queue_.empty() && !closed_;
    if (waits && !std::exchange(gathering_, true)) ground_.spawn("gathering commits", gather());
}

boost::asio::awaitable<void> committer::gather() {
    const auto round = round_;
    ignore_error(co_await ground_.clock().sleep_for(gather_for), "cancelled: pump() sees to that");
    gathering_ = false;
    gathered_ = round == round_;  // or a request went meanwhile, and others are waited for
    pump();
}

boost::asio::awaitable<void> committer::send(std::list<waiting_commit> batch) {
    ++batches_;
    commits_ += batch.size();
    for (auto& one : batch) one.sent();
    form how = form_for(batch);
    const auto tries = std::make_shared<retry_state>(ground_.new_persistence());
    auto outcome = co_await transmit(request_for(batch, how), tries);
    if (how == form::joined && outcome && !outcome->failed && !outcome->reply.succeeded()) {
        nested_next_ = nested_after_refusal;
        how = form::nested;
        outcome = co_await transmit(request_for(batch, how), tries);
    }
    --in_flight_;
    expected_ = std::min(batch.size() + queue_.size(), limits_.operations_max - 1);
    if (!outcome && outcome.error().code() == errc::cancelled) co_return;  // by the client's end
    if (!outcome) {
        tell_all(batch, outcome.error());
    } else if (!outcome->failed) {
        tell(batch, how, outcome->reply);
    } else if (batch.size() > 1 && one_spoils_all(outcome->failed->what)) {
        ground_.spawn("commits to etcd, one by one", send_each(std::move(batch)));
    } else {
        tell_all(batch, outcome->failed->told);
    }
    pump();
}

boost::asio::awaitable<void> committer::send_each(std::list<waiting_commit> batch) {
    while (!batch.empty()) {
        std::list<waiting_commit> alone;
        alone.splice(alone.end(), batch, batch.begin());
        if (alone.front().expired(runtime::monotonic_now())) {
            alone.front().tell(fail(waited_too_long()));
            continue;
        }
        ++in_flight_;
        co_await send(std::move(alone));
    }
}

committer::form committer::form_for(const std::list<waiting_commit>& batch) {
    if (batch.size() == 1) return form::alone;
    if (nested_next_ > 0) {
        --nested_next_;
        return form::nested;
    }
    return joint_width_of(batch) <= limits_.operations_max ? form::joined : form::nested;
}

etcdserverpb::TxnRequest committer::request_for(
    const std::list<waiting_commit>& batch, form how) const {
    if (how == form::alone) return encode(keys_, batch.front().change());
    if (how == form::joined) {
        joint_request all(keys_);
        for (const auto& one : batch) all.add(one.change());
        return std::move(all).take();
    }
    std::vector<etcdserverpb::TxnRequest> nested;
    nested.reserve(batch.size());
    for (const auto& one : batch) nested.push_back(encode(keys_, one.change()));
    return nest(std::move(nested));
}

void committer::tell(
    std::list<waiting_commit>& batch, form how, const etcdserverpb::TxnResponse& reply) const {
    if (how == form::alone) {
        batch.front().tell(decode(keys_, reply));
        return;
    }
    if (how == form::joined) {
        const kv::revision at(reply.header().revision());
        for (auto& one : batch) one.tell(kv::verdict{.committed = true, .at = at, .current = {}});
        return;
    }
    auto verdicts = decode_nested(keys_, reply);
    if (verdicts && verdicts->size() != batch.size())
        verdicts = fail(errc::corrupt, "etcd answered more or fewer transactions than it was sent");
    if (!verdicts) {
        tell_all(batch, verdicts.error());
        return;
    }
    auto next = verdicts->begin();
    for (auto& one : batch) one.tell(std::move(*next++));
}

async<answer<etcdserverpb::TxnRequest>> committer::transmit(
    etcdserverpb::TxnRequest request, std::shared_ptr<retry_state> tries) {
    using answer = answer<etcdserverpb::TxnRequest>;
    const auto sent = std::make_shared<const etcdserverpb::TxnRequest>(std::move(request));
    while (true) {
        CO_TRY(const std::string token, co_await ground_.token());
        // Sent on a connection that stands, so that no answer means more than "not connected".
        CO_CHECK_OK(co_await ground_.reach_a_member(tries));
        CO_TRY(auto outcome, co_await ground_.attempt(sent, token));
        if (outcome.status.ok()) co_return answer{.reply = std::move(outcome.reply)};
        auto failed = explain(outcome.status);
        const auto pause = ground_.pause_after(failed, token, *tries);
        if (!pause || failed.what == fate::unknown) co_return answer{.failed = std::move(failed)};
        CO_CHECK_OK(co_await ground_.clock().sleep_for(*pause));
    }
}

}  // namespace muster::etcd
