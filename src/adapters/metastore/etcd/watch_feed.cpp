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
constexpr int denials_before_told = 2;  // the first may only mean that the token is old

}  // namespace

watch_feed::watch_feed(client& ground, const keyspace& keys, std::string prefix, kv::revision from)
    : ground_(ground),
      keys_(keys),
      prefix_(std::move(prefix)),
      from_(std::max(from, kv::revision(1))),
      buffer_(ground.options().watch_buffer_changes_max),
      pause_(pauses, ground.new_prng()) {}

boost::asio::awaitable<void> watch_feed::run(std::shared_ptr<watch_feed> self) {
    struct at_the_end {
        watch_feed& feed;
        explicit at_the_end(watch_feed& ended) : feed(ended) {}
        at_the_end(const at_the_end&) = delete;
        at_the_end& operator=(const at_the_end&) = delete;
        ~at_the_end() { feed.close(); }
    };
    const at_the_end closes(*self);
    co_await self->follow_until_over();
}

void watch_feed::close() {
    closed_ = true;
    if (const auto stream = std::exchange(stream_, nullptr)) stream->cancel();
    buffer_.close();
}

boost::asio::awaitable<void> watch_feed::follow_until_over() {
    while (!closed_) {
        const auto how = co_await follow();
        if (const auto stream = std::exchange(stream_, nullptr)) stream->cancel();
        gathered_.clear();
        if (!how || *how == ending::over) co_return;
        const auto rested = co_await pause_after(*how);
        if (!rested) co_return;
    }
}

async<void> watch_feed::pause_after(ending how) {
    if (how == ending::paused) {
        co_return co_await completed<void>(
            [this](completion<void> done) { buffer_.when_drained(std::move(done)); });
    }
    if (how == ending::denied) {
        ground_.forget_token(token_);
    } else {
        ground_.members().failed(member_);
    }
    ground_.count_retry();
    co_return co_await ground_.clock().sleep_for(pause_.next());
}

async<watch_feed::ending> watch_feed::follow() {
    auto token = co_await ground_.token();
    if (!token) {
        if (token.error().code() == errc::cancelled) co_return fail(token.error());
        if (token.error().code() != errc::unavailable) buffer_.fail_once(token.error());
        co_return ending::broken;
    }
    if (closed_) co_return ending::over;
    token_ = *std::move(token);
    const auto member = ground_.members().current();
    member_ = member.index;
    ground_.count_request();
    const auto stream = std::make_shared<watch_stream>(ground_.calls(), member.channel, token_);
    stream_ = stream;
    const auto created =
        co_await within(ground_.clock(), ground_.options().request_deadline, create(stream));
    if (!created) co_return ending::broken;
    if (!*created) co_return co_await why_ended(stream);
    co_return co_await read_on(stream);
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

async<watch_feed::ending> watch_feed::read_on(std::shared_ptr<watch_stream> stream) {
    if (const auto refused = std::exchange(refusal_, std::nullopt)) co_return cancelled(*refused);
    pause_.reset();
    denials_ = 0;
    while (true) {
        CO_TRY(const auto message, co_await stream->read());
        if (!message) co_return co_await why_ended(stream);
        if (const auto end = take(*message)) co_return *end;
    }
}

async<watch_feed::ending> watch_feed::why_ended(std::shared_ptr<watch_stream> stream) {
    if (closed_) co_return ending::over;
    CO_TRY(const auto status, co_await stream->finish());
    if (status.ok()) co_return ending::broken;
    const auto failed = explain(status);
    if (failed.what == fate::token_stale) co_return ending::denied;
    if (failed.what == fate::refused) buffer_.fail_once(failed.told);
    co_return ending::broken;
}

// Nothing: read on.
std::optional<watch_feed::ending> watch_feed::take(const WatchResponse& watch_response) {
    if (closed_) return ending::over;
    if (watch_response.canceled()) return cancelled(watch_response);
    keep(watch_response);
    if (!buffer_.full()) return std::nullopt;
    ground_.count_limits().lagging();
    return ending::paused;
}

watch_feed::ending watch_feed::cancelled(const WatchResponse& watch_response) {
    if (watch_response.compact_revision() != 0) {
        buffer_.push(
            kv::compacted{.oldest = kv::revision(watch_response.compact_revision()).next()});
        return ending::over;
    }
    if (!watch_response.cancel_reason().contains("permission denied")) return ending::broken;
    if (++denials_ >= denials_before_told)
        buffer_.fail_once({errc::denied, "watching in etcd: " + watch_response.cancel_reason()});
    return ending::denied;
}

void watch_feed::keep(const WatchResponse& watch_response) {
    for (const auto& event : watch_response.events()) {
        if (event.kv().mod_revision() < from_.value()) continue;
        gathered_.push_back(keys_.change_from(event));
    }
    if (watch_response.fragment()) return;
    if (watch_response.events_size() == 0) {
        // Nothing happened up to here; after a break there is no need to look at it again.
        if (!watch_response.created())
            from_ = std::max(from_, kv::revision(watch_response.header().revision()).next());
        return;
    }
    if (gathered_.empty()) return;
    std::ranges::sort(gathered_, {}, [](const kv::change& change) {
        return std::tuple(kv::revision_of(change), std::string_view(kv::key_of(change)));
    });
    const auto up_to = kv::revision_of(gathered_.back());
    buffer_.push(kv::change_batch{.changes = std::exchange(gathered_, {}), .up_to = up_to});
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
