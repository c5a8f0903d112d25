#include "adapters/metastore/etcd/watch_feed.h"

#include "ports/deadline.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::etcd {
namespace {

using etcdserverpb::WatchRequest;
using etcdserverpb::WatchResponse;

constexpr backoff::options pauses{
    .first = std::chrono::milliseconds(20), .longest = std::chrono::milliseconds(500)};
constexpr int denials_max = 2;  // the first may only mean that the token is old

}  // namespace

watch_feed::watch_feed(client& client, const keyspace& keys, std::string prefix, kv::revision from)
    : client_(client),
      keys_(keys),
      prefix_(std::move(prefix)),
      from_(std::max(from, kv::revision(1))),
      buffer_(client.options().watch_buffer_changes_max),
      pause_(pauses, client.new_prng()) {}

boost::asio::awaitable<void> watch_feed::run(std::shared_ptr<watch_feed> self) {
    struct at_the_end {
        watch_feed& feed;
        explicit at_the_end(watch_feed& ended) : feed(ended) {}
        at_the_end(const at_the_end&) = delete;
        at_the_end& operator=(const at_the_end&) = delete;
        ~at_the_end() { feed.close(); }
    };
    const at_the_end closes(*self);
    co_await self->run_loop();
}

void watch_feed::close() {
    closed_ = true;
    if (const auto stream = std::exchange(stream_, nullptr)) stream->cancel();
    buffer_.close();
}

boost::asio::awaitable<void> watch_feed::run_loop() {
    while (!closed_) {
        const auto reason = co_await follow_stream();
        if (const auto stream = std::exchange(stream_, nullptr)) stream->cancel();
        changes_.clear();
        if (!reason || *reason == stream_end::over) co_return;
        const auto rested = co_await pause_after(*reason);
        if (!rested) co_return;
    }
}

async<void> watch_feed::pause_after(stream_end reason) {
    if (reason == stream_end::paused) {
        co_return co_await await_callback<void>(
            [this](completion<void> done) { buffer_.on_drained(std::move(done)); });
    }
    if (reason == stream_end::denied) {
        client_.discard_token(token_);
    } else {
        client_.members().mark_failed(member_);
    }
    client_.count_retry();
    co_return co_await client_.clock().sleep_for(pause_.next());
}

async<watch_feed::stream_end> watch_feed::follow_stream() {
    auto token = co_await client_.token();
    if (!token) {
        if (token.error().code() == errc::cancelled) co_return fail(token.error());
        if (token.error().code() != errc::unavailable) buffer_.fail_once(token.error());
        co_return stream_end::broken;
    }
    if (closed_) co_return stream_end::over;
    token_ = *std::move(token);
    const auto member = client_.members().current();
    member_ = member.index;
    client_.count_request();
    const auto stream = std::make_shared<watch_stream>(client_.calls(), member.channel, token_);
    stream_ = stream;
    const auto created =
        co_await within(client_.clock(), client_.options().request_deadline, create(stream));
    if (!created) co_return stream_end::broken;
    if (!*created) co_return co_await find_ending(stream);
    co_return co_await read_responses(stream);
}

// Silence of a stream is normal later on, but not before it has said that the watch stands.
async<bool> watch_feed::create(std::shared_ptr<watch_stream> stream) {
    CO_TRY(const bool started, co_await stream->start());
    if (!started) co_return false;
    CO_TRY(const bool requested, co_await stream->write(request()));
    if (!requested) co_return false;
    CO_TRY(const auto message, co_await stream->read());
    if (!message) co_return false;
    if (message->canceled()) refusal_ = *message;
    co_return true;
}

async<watch_feed::stream_end> watch_feed::read_responses(std::shared_ptr<watch_stream> stream) {
    if (const auto refused = std::exchange(refusal_, std::nullopt))
        co_return on_cancelled(*refused);
    pause_.reset();
    denials_ = 0;
    while (true) {
        CO_TRY(const auto message, co_await stream->read());
        if (!message) co_return co_await find_ending(stream);
        if (const auto end = apply(*message)) co_return *end;
    }
}

async<watch_feed::stream_end> watch_feed::find_ending(std::shared_ptr<watch_stream> stream) {
    if (closed_) co_return stream_end::over;
    CO_TRY(const auto status, co_await stream->finish());
    if (status.ok()) co_return stream_end::broken;
    const auto failed = explain(status);
    if (failed.kind == failure_kind::token_stale) co_return stream_end::denied;
    if (failed.kind == failure_kind::refused) buffer_.fail_once(failed.error);
    co_return stream_end::broken;
}

// Nothing: read on.
std::optional<watch_feed::stream_end> watch_feed::apply(const WatchResponse& response) {
    if (closed_) return stream_end::over;
    if (response.canceled()) return on_cancelled(response);
    store_changes(response);
    if (!buffer_.is_full()) return std::nullopt;
    client_.count_limits().add_lagging();
    return stream_end::paused;
}

watch_feed::stream_end watch_feed::on_cancelled(const WatchResponse& response) {
    if (response.compact_revision() != 0) {
        buffer_.push(kv::compacted{.oldest = kv::revision(response.compact_revision()).next()});
        return stream_end::over;
    }
    if (!response.cancel_reason().contains("permission denied")) return stream_end::broken;
    if (++denials_ >= denials_max)
        buffer_.fail_once({errc::denied, "watching in etcd: " + response.cancel_reason()});
    return stream_end::denied;
}

void watch_feed::store_changes(const WatchResponse& response) {
    for (const auto& event : response.events()) {
        if (event.kv().mod_revision() < from_.value()) continue;
        changes_.push_back(keys_.change_from(event));
    }
    if (response.fragment()) return;
    if (response.events_size() == 0) {
        // Nothing happened up to here; after a break there is no need to look at it again.
        if (!response.created())
            from_ = std::max(from_, kv::revision(response.header().revision()).next());
        return;
    }
    if (changes_.empty()) return;
    std::ranges::sort(changes_, {}, [](const kv::change& change) {
        return std::tuple(kv::revision_of(change), std::string_view(kv::key_of(change)));
    });
    const auto up_to = kv::revision_of(changes_.back());
    buffer_.push(kv::change_batch{.changes = std::exchange(changes_, {}), .up_to = up_to});
    from_ = up_to.next();
}

WatchRequest watch_feed::request() const {
    WatchRequest request;
    auto& create = *request.mutable_create_request();
    auto span = keys_.span_of(prefix_);
    create.set_key(std::move(span.first));
    create.set_range_end(std::move(span.end));
    // One revision early: etcd lets a watch start at the very revision it was compacted at, where
    // erasures are gone. Asked from the one before, it says so; what is early is dropped.
    create.set_start_revision(std::max<std::int64_t>(1, from_.value() - 1));
    create.set_progress_notify(true);
    create.set_fragment(true);
    return request;
}

}  // namespace muster::etcd
