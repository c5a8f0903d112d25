#include "adapters/bus/nats/link.h"

#include "base/hex.h"
#include "runtime/clock.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

// Even when nothing wakes it, a thread of the link looks again.
constexpr monotonic::duration look_pause_max = 500ms;

std::uint64_t random_seed() {
    std::random_device source;
    return (std::uint64_t{source()} << 32) | source();
}

std::string random_name() {
    const auto number = random_seed();
    return to_hex({reinterpret_cast<const char*>(&number), sizeof(number)});
}

outbox::limits limits_of(const options& options) {
    return {
        .requests_max = options.in_flight_max,
        .request_bytes_max = options.in_flight_bytes_max,
        .messages_max = options.unsent_max,
        .message_bytes_max = options.unsent_bytes_max};
}

void end_all(const std::vector<outbox::call>& calls, const error& when_sent, const error& unsent) {
    for (const auto& call : calls) call.done(fail(call.sent ? when_sent : unsent));
}

}  // namespace

class link::lifeline final : public connection_listener, public link_listener {
public:
    explicit lifeline(link& owner) : owner_(&owner) {}

    void connected() override {
        const std::scoped_lock lock(mutex_);
        if (owner_ != nullptr) owner_->connection_changed(true);
    }
    void disconnected() override {
        const std::scoped_lock lock(mutex_);
        if (owner_ != nullptr) owner_->connection_changed(false);
    }
    void closed(std::string reason) override {
        const std::scoped_lock lock(mutex_);
        if (owner_ != nullptr) owner_->connection_closed(std::move(reason));
    }
    void received(incoming message) override {
        const std::scoped_lock lock(mutex_);
        if (owner_ != nullptr) owner_->answered(std::move(message));
    }

    void owner_is_gone() {
        const std::scoped_lock lock(mutex_);
        owner_ = nullptr;
    }

private:
    std::mutex mutex_;
    link* owner_;
};

link::link(options options)
    : options_(std::move(options)),
      alive_(std::make_shared<lifeline>(*this)),
      inbox_("_INBOX." + random_name() + "."),
      outbox_(inbox_, limits_of(options_)),
      connect_pause_({.first = 100ms, .longest = 5s}, prng(random_seed())) {
    listen(inbox_ + "*", alive_);
    engine_ = std::thread([this] { run(); });
    watch_ = std::thread([this] { watch_deadlines(); });
}

link::~link() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
        work_ = true;
    }
    wake_.notify_all();
    engine_.join();
    {
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
    }
    earlier_deadline_.notify_all();
    watch_.join();
    alive_->owner_is_gone();
}

async<incoming> link::request(outgoing outgoing, monotonic::duration timeout) {
    return completed<incoming>(
        [this, outgoing = std::move(outgoing), timeout](completion<incoming> done) mutable {
            start_request(std::move(outgoing), timeout, std::move(done));
        });
}

void link::start_request(
    outgoing outgoing, monotonic::duration timeout, completion<incoming> done) {
    const auto reserved = enqueue(outgoing, timeout, done);
    if (!reserved) {
        done(fail(reserved.error()));
        return;
    }
    wake_.notify_one();
}

result<void> link::enqueue(
    outgoing& outgoing, monotonic::duration timeout, completion<incoming>& done) {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return fail(errc::unavailable, "nats: closing");
    const auto deadline = runtime::monotonic_now() + timeout;
    if (!outbox_.ask(outgoing, done, deadline)) {
        limits_->refused();
        return fail(errc::unavailable, "nats: too many requests are waiting for their answers");
    }
    work_ = true;
    if (deadline < watching_until_) earlier_deadline_.notify_one();
    return {};
}

result<void> link::send(outgoing outgoing, std::string reply) {
    {
        const std::scoped_lock lock(mutex_);
        if (!outbox_.tell(outgoing, reply)) {
            limits_->refused();
            return fail(errc::unavailable, "nats: too many messages are waiting to be sent");
        }
        work_ = true;
    }
    wake_.notify_one();
    return {};
}

link::listener_id link::listen(std::string subject, std::shared_ptr<link_listener> who) {
    listener_id number = 0;
    {
        const std::scoped_lock lock(mutex_);
        number = ++last_listener_;
        listeners_.emplace(
            number,
            registration{.subject = std::move(subject), .who = std::move(who), .held = nullptr});
        to_subscribe_.push_back(number);
        work_ = true;
    }
    wake_.notify_one();
    return number;
}

void link::ignore(listener_id listener_id) {
    {
        const std::scoped_lock lock(mutex_);
        const auto it = listeners_.find(listener_id);
        if (it == listeners_.end()) return;
        if (it->second.held) to_drop_.push_back(std::move(it->second.held));
        listeners_.erase(it);
        work_ = true;
    }
    wake_.notify_one();
}

async<void> link::round_trip(monotonic::duration timeout) {
    // A message to our own inbox that we answer by hearing it.
    auto message = co_await completed<incoming>([this, timeout](completion<incoming> done) {
        start_request({.subject = {}, .payload = {}, .message_id = {}}, timeout, std::move(done));
    });
    CO_CHECK_OK(std::move(message));
    co_return result<void>();
}

std::string link::fresh_inbox() {
    return "_INBOX." + random_name();
}

outbox::load link::unsent() const {
    const std::scoped_lock lock(mutex_);
    return outbox_.unsent();
}

void link::answered(incoming incoming) {
    std::optional<outbox::call> call;
    {
        const std::scoped_lock lock(mutex_);
        call = outbox_.answered(incoming.subject);
    }
    if (!call) return;  // too late: its caller was told timed_out
    if (incoming.status == no_responders) {
        call->done(
            fail(errc::unavailable, "nats: nobody answers now; JetStream may have no leader"));
    } else {
        call->done(std::move(incoming));
    }
}

void link::run() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            wait_for_work(lock);
            if (stopping_) break;
        }
        keep_connected(runtime::monotonic_now());
        follow_registrations();
        send_queued();
    }
    {
        const std::scoped_lock lock(mutex_);
        for (auto& [number, one] : listeners_) {
            if (one.held) to_drop_.push_back(std::move(one.held));
        }
    }
    follow_registrations();
    send_queued();  // what readers gave back when they were closed
    connection_.reset();
    std::vector<outbox::call> rest;
    {
        const std::scoped_lock lock(mutex_);
        rest = outbox_.take_all();
    }
    end_all(rest, {errc::timed_out, "nats: closed"}, {errc::unavailable, "nats: closed"});
}

void link::wait_for_work(std::unique_lock<std::mutex>& lock) {
    auto span = look_pause_max;
    if (closed_) span = std::min(span, connect_at_ - runtime::monotonic_now());
    if (span > 0ns) wake_.wait_for(lock, span, [this] { return work_; });
    work_ = false;
}

void link::watch_deadlines() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
        const auto now = runtime::monotonic_now();
        const auto overdue = outbox_.take_overdue(now);
        if (overdue.empty()) {
            const auto latest = now + look_pause_max;
            watching_until_ = std::min(latest, outbox_.next_deadline().value_or(latest));
            earlier_deadline_.wait_for(lock, watching_until_ - now);
            continue;
        }
        const error unsent(errc::unavailable, "nats: not sent: " + why_down_);
        lock.unlock();
        end_all(overdue, {errc::timed_out, "nats: no answer in time"}, unsent);
        lock.lock();
    }
}

void link::keep_connected(instant now) {
    std::vector<std::unique_ptr<connection::subscription>> ended;  // destroyed outside the lock
    {
        const std::scoped_lock lock(mutex_);
        if (!closed_ || now < connect_at_) return;
        // libnats gave up; its subscriptions ended with it.
        ended.swap(to_drop_);
        to_subscribe_.clear();
        for (auto& [number, one] : listeners_) {
            if (one.held) ended.push_back(std::move(one.held));
            to_subscribe_.push_back(number);
        }
        closed_ = false;
    }
    ended.clear();
    connection_.reset();
    connect_at_ = now + connect_pause_.next();
    open_connection();
}

void link::open_connection() {
    auto opened = connection::open(options_, alive_);
    if (opened) {
        connection_ = std::move(*opened);
        return;
    }
    const std::scoped_lock lock(mutex_);
    why_down_ = opened.error().detail();
    closed_ = true;
}

void link::follow_registrations() {
    std::vector<std::pair<listener_id, registration>> desired;
    std::vector<std::unique_ptr<connection::subscription>> dropped;
    {
        const std::scoped_lock lock(mutex_);
        dropped.swap(to_drop_);
        if (connection_) {
            for (const auto number : std::exchange(to_subscribe_, {})) {
                const auto it = listeners_.find(number);
                if (it == listeners_.end()) continue;
                desired.emplace_back(
                    number, registration{.subject = it->second.subject, .who = it->second.who});
            }
        }
    }
    dropped.clear();
    for (auto& [number, one] : desired) {
        auto held = connection_->subscribe(one.subject, one.who);
        const std::scoped_lock lock(mutex_);
        const auto it = listeners_.find(number);
        if (!held) {
            to_subscribe_.push_back(number);
        } else if (it != listeners_.end()) {
            it->second.held = std::move(*held);
        } else {
            to_drop_.push_back(std::move(*held));
        }
    }
}

void link::send_queued() {
    if (!connection_ || !connection_->up()) return;
    // What comes meanwhile waits for the next round: listeners must not wait for a pause in it.
    for (auto left = unsent().letters; left > 0; --left) {
        std::optional<outbox::letter> next;
        {
            const std::scoped_lock lock(mutex_);
            if (!to_subscribe_.empty()) return;  // whoever asks must be able to hear the answer
            next = outbox_.next();
        }
        if (!next || !send_one(std::move(*next))) return;
    }
}

bool link::send_one(outbox::letter next) {
    const bool to_ourselves = next.what.subject.empty();
    const auto sent = to_ourselves ? connection_->publish({.subject = next.reply}, {})
                                   : connection_->publish(next.what, next.reply);
    if (sent || sent.error().code() == errc::timed_out) return true;
    std::optional<outbox::call> refused;
    {
        const std::scoped_lock lock(mutex_);
        if (sent.error().code() == errc::unavailable) {
            outbox_.put_back(std::move(next));
            return false;
        }
        if (next.request) refused = outbox_.take(next.number);
    }
    if (refused) refused->done(fail(sent.error()));
    return true;
}

void link::connection_changed(bool up) {
    std::vector<std::shared_ptr<link_listener>> listeners;
    std::vector<outbox::call> lost;
    {
        const std::scoped_lock lock(mutex_);
        up_ = up;
        if (!up) why_down_ = "connection lost";
        work_ = true;
        if (up) {
            for (const auto& [number, one] : listeners_) listeners.push_back(one.who);
        } else {
            lost = outbox_.take_sent();
        }
    }
    wake_.notify_all();
    for (const auto& who : listeners) who->reconnected();
    const error unclear(errc::timed_out, "nats: connection lost before the answer");
    end_all(lost, unclear, unclear);
}

void link::connection_closed(std::string why) {
    {
        const std::scoped_lock lock(mutex_);
        up_ = false;
        closed_ = true;
        work_ = true;
        why_down_ = "the connection was closed: " + std::move(why);
    }
    wake_.notify_all();
}

}  // namespace muster::nats
