#include "adapters/bus/nats/nats_client.h"

#include "base/hex.h"
#include "runtime/clock.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

// The threads check for work at least this often.
constexpr monotonic::duration idle_wait_max = 500ms;

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

void fail_requests(
    const std::vector<outbox::ended_request>& requests,
    const error& sent_error,
    const error& unsent_error) {
    for (const auto& request : requests)
        request.done(fail(request.sent ? sent_error : unsent_error));
}

}  // namespace

class nats_client::callback_guard final : public connection_listener, public subject_listener {
public:
    explicit callback_guard(nats_client& owner) : owner_(&owner) {}

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
    void received(incoming_message message) override {
        const std::scoped_lock lock(mutex_);
        if (owner_ != nullptr) owner_->on_answer(std::move(message));
    }

    void detach_owner() {
        const std::scoped_lock lock(mutex_);
        owner_ = nullptr;
    }

private:
    std::mutex mutex_;
    nats_client* owner_;
};

nats_client::nats_client(options options)
    : options_(std::move(options)),
      guard_(std::make_shared<callback_guard>(*this)),
      inbox_("_INBOX." + random_name() + "."),
      outbox_(inbox_, limits_of(options_)),
      connect_pause_({.first = 100ms, .longest = 5s}, prng(random_seed())) {
    listen(inbox_ + "*", guard_);
    engine_thread_ = std::thread([this] { run(); });
    deadline_thread_ = std::thread([this] { watch_deadlines(); });
}

nats_client::~nats_client() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
        has_work_ = true;
    }
    wake_.notify_all();
    engine_thread_.join();
    {
        const std::scoped_lock lock(mutex_);
        stopped_ = true;
    }
    deadline_changed_.notify_all();
    deadline_thread_.join();
    guard_->detach_owner();
}

async<incoming_message> nats_client::request(
    outgoing_message message, monotonic::duration timeout) {
    return await_callback<incoming_message>(
        [this, message = std::move(message), timeout](completion<incoming_message> done) mutable {
            start_request(std::move(message), timeout, std::move(done));
        });
}

void nats_client::start_request(
    outgoing_message message, monotonic::duration timeout, completion<incoming_message> done) {
    const auto queued = enqueue(message, timeout, done);
    if (!queued) {
        done(fail(queued.error()));
        return;
    }
    wake_.notify_one();
}

result<void> nats_client::enqueue(
    outgoing_message& message, monotonic::duration timeout, completion<incoming_message>& done) {
    const std::scoped_lock lock(mutex_);
    if (stopping_) return fail(errc::unavailable, "nats: client is closing");
    const auto deadline = runtime::monotonic_now() + timeout;
    if (!outbox_.add_request(message, done, deadline)) {
        limits_->add_refused();
        return fail(errc::unavailable, "nats: limit of pending requests reached");
    }
    has_work_ = true;
    if (deadline < wait_until_) deadline_changed_.notify_one();
    return {};
}

result<void> nats_client::send(outgoing_message message, std::string reply) {
    {
        const std::scoped_lock lock(mutex_);
        if (!outbox_.add_message(message, reply)) {
            limits_->add_refused();
            return fail(errc::unavailable, "nats: send queue is full");
        }
        has_work_ = true;
    }
    wake_.notify_one();
    return {};
}

nats_client::listener_id nats_client::listen(
    std::string subject, std::shared_ptr<subject_listener> listener) {
    listener_id id = 0;
    {
        const std::scoped_lock lock(mutex_);
        id = ++last_listener_;
        listeners_.emplace(
            id,
            registration{
                .subject = std::move(subject),
                .listener = std::move(listener),
                .subscription = nullptr});
        to_subscribe_.push_back(id);
        has_work_ = true;
    }
    wake_.notify_one();
    return id;
}

void nats_client::unlisten(listener_id id) {
    {
        const std::scoped_lock lock(mutex_);
        const auto it = listeners_.find(id);
        if (it == listeners_.end()) return;
        if (it->second.subscription) to_unsubscribe_.push_back(std::move(it->second.subscription));
        listeners_.erase(it);
        has_work_ = true;
    }
    wake_.notify_one();
}

async<void> nats_client::round_trip(monotonic::duration timeout) {
    // A message to the client's own inbox: receiving it completes the request.
    auto message = co_await await_callback<incoming_message>(
        [this, timeout](completion<incoming_message> done) {
            start_request(
                {.subject = {}, .payload = {}, .message_id = {}}, timeout, std::move(done));
        });
    CO_CHECK_OK(std::move(message));
    co_return result<void>();
}

std::string nats_client::create_inbox() {
    return "_INBOX." + random_name();
}

outbox::queue_load nats_client::unsent() const {
    const std::scoped_lock lock(mutex_);
    return outbox_.unsent();
}

void nats_client::on_answer(incoming_message message) {
    std::optional<outbox::ended_request> request;
    {
        const std::scoped_lock lock(mutex_);
        request = outbox_.end_answered(message.subject);
    }
    if (!request) return;  // too late: it has ended with timed_out
    if (message.status == no_responders) {
        request->done(fail(errc::unavailable, "nats: no responders; JetStream may have no leader"));
    } else {
        request->done(std::move(message));
    }
}

void nats_client::run() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            wait_for_work(lock);
            if (stopping_) break;
        }
        keep_connected(runtime::monotonic_now());
        update_subscriptions();
        send_queued();
    }
    {
        const std::scoped_lock lock(mutex_);
        for (auto& [number, registration] : listeners_) {
            if (registration.subscription)
                to_unsubscribe_.push_back(std::move(registration.subscription));
        }
    }
    update_subscriptions();
    send_queued();  // closed readers may have released messages
    connection_.reset();
    std::vector<outbox::ended_request> remaining;
    {
        const std::scoped_lock lock(mutex_);
        remaining = outbox_.end_all();
    }
    const auto* const closed = "nats: client is closed";
    fail_requests(remaining, {errc::timed_out, closed}, {errc::unavailable, closed});
}

void nats_client::wait_for_work(std::unique_lock<std::mutex>& lock) {
    auto timeout = idle_wait_max;
    if (closed_) timeout = std::min(timeout, connect_at_ - runtime::monotonic_now());
    if (timeout > 0ns) wake_.wait_for(lock, timeout, [this] { return has_work_; });
    has_work_ = false;
}

void nats_client::watch_deadlines() {
    std::unique_lock lock(mutex_);
    while (!stopped_) {
        const auto now = runtime::monotonic_now();
        const auto overdue = outbox_.end_overdue(now);
        if (overdue.empty()) {
            const auto latest = now + idle_wait_max;
            wait_until_ = std::min(latest, outbox_.next_deadline().value_or(latest));
            deadline_changed_.wait_for(lock, wait_until_ - now);
            continue;
        }
        const error unsent_error(errc::unavailable, "nats: not sent: " + down_reason_);
        lock.unlock();
        fail_requests(overdue, {errc::timed_out, "nats: no response in time"}, unsent_error);
        lock.lock();
    }
}

void nats_client::keep_connected(instant now) {
    std::vector<std::unique_ptr<connection::subscription>> ended;  // destroyed outside the lock
    {
        const std::scoped_lock lock(mutex_);
        if (!closed_ || now < connect_at_) return;
        // libnats gave up, and its subscriptions ended.
        ended.swap(to_unsubscribe_);
        to_subscribe_.clear();
        for (auto& [number, registration] : listeners_) {
            if (registration.subscription) ended.push_back(std::move(registration.subscription));
            to_subscribe_.push_back(number);
        }
        closed_ = false;
    }
    ended.clear();
    connection_.reset();
    connect_at_ = now + connect_pause_.next();
    open_connection();
}

void nats_client::open_connection() {
    auto opened = connection::open(options_, guard_);
    if (opened) {
        connection_ = std::move(*opened);
        return;
    }
    const std::scoped_lock lock(mutex_);
    down_reason_ = opened.error().detail();
    closed_ = true;
}

void nats_client::update_subscriptions() {
    std::vector<std::pair<listener_id, registration>> pending;
    std::vector<std::unique_ptr<connection::subscription>> dropped;
    {
        const std::scoped_lock lock(mutex_);
        dropped.swap(to_unsubscribe_);
        if (connection_) {
            for (const auto number : std::exchange(to_subscribe_, {})) {
                const auto it = listeners_.find(number);
                if (it == listeners_.end()) continue;
                pending.emplace_back(
                    number,
                    registration{.subject = it->second.subject, .listener = it->second.listener});
            }
        }
    }
    dropped.clear();
    for (auto& [number, registration] : pending) {
        auto subscription = connection_->subscribe(registration.subject, registration.listener);
        const std::scoped_lock lock(mutex_);
        const auto it = listeners_.find(number);
        if (!subscription) {
            to_subscribe_.push_back(number);
        } else if (it != listeners_.end()) {
            it->second.subscription = std::move(*subscription);
        } else {
            to_unsubscribe_.push_back(std::move(*subscription));
        }
    }
}

void nats_client::send_queued() {
    if (!connection_ || !connection_->is_connected()) return;
    // Messages queued meanwhile wait for the next round, so that new subscriptions are not delayed.
    for (auto remaining = unsent().messages; remaining > 0; --remaining) {
        std::optional<outbox::queued_message> entry;
        {
            const std::scoped_lock lock(mutex_);
            if (!to_subscribe_.empty()) return;  // subscribe first: responses need a subscription
            entry = outbox_.next();
        }
        if (!entry || !send_one(std::move(*entry))) return;
    }
}

bool nats_client::send_one(outbox::queued_message entry) {
    const bool to_own_inbox = entry.message.subject.empty();
    const auto sent = to_own_inbox ? connection_->publish({.subject = entry.reply}, {})
                                   : connection_->publish(entry.message, entry.reply);
    if (sent || sent.error().code() == errc::timed_out) return true;
    std::optional<outbox::ended_request> refused;
    {
        const std::scoped_lock lock(mutex_);
        if (sent.error().code() == errc::unavailable) {
            outbox_.put_back(std::move(entry));
            return false;
        }
        if (entry.request) refused = outbox_.end_request(entry.number);
    }
    if (refused) refused->done(fail(sent.error()));
    return true;
}

void nats_client::connection_changed(bool up) {
    std::vector<std::shared_ptr<subject_listener>> listeners;
    std::vector<outbox::ended_request> unanswered;
    {
        const std::scoped_lock lock(mutex_);
        connected_ = up;
        if (!up) down_reason_ = "connection lost";
        has_work_ = true;
        if (up) {
            for (const auto& [number, registration] : listeners_)
                listeners.push_back(registration.listener);
        } else {
            unanswered = outbox_.end_sent();
        }
    }
    wake_.notify_all();
    for (const auto& listener : listeners) listener->reconnected();
    const error lost_error(errc::timed_out, "nats: connection lost before the response");
    fail_requests(unanswered, lost_error, lost_error);
}

void nats_client::connection_closed(std::string reason) {
    {
        const std::scoped_lock lock(mutex_);
        connected_ = false;
        closed_ = true;
        has_work_ = true;
        down_reason_ = "connection closed: " + std::move(reason);
    }
    wake_.notify_all();
}

}  // namespace muster::nats
