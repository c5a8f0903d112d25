#include "adapters/bus/nats/link.h"

#include "base/hex.h"
#include "runtime/clock.h"

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t queued_max = 65'536;
constexpr auto close_patience = 5s;

std::uint64_t random_seed() {
    std::random_device source;
    return (std::uint64_t{source()} << 32) | source();
}

std::string random_name() {
    const auto number = random_seed();
    return to_hex({reinterpret_cast<const char*>(&number), sizeof(number)});
}

std::uint64_t number_after(const std::string& subject, std::size_t prefix_size) {
    std::uint64_t number = 0;
    if (subject.size() > prefix_size)
        std::from_chars(subject.data() + prefix_size, subject.data() + subject.size(), number);
    return number;
}

}  // namespace

link::link(options how)
    : options_(std::move(how)),
      alive_(std::make_shared<lifeline>()),
      inbox_("_INBOX." + random_name() + "."),
      connect_pause_({.first = 100ms, .longest = 5s}, prng(random_seed())) {
    alive_->self = this;
    listener answers;
    answers.on_message = [shared = alive_](incoming what) {
        const std::scoped_lock lock(shared->mutex);
        if (shared->self != nullptr) shared->self->answered(std::move(what));
    };
    listen(inbox_ + "*", std::move(answers));
    engine_ = std::thread([this] { run(); });
}

link::~link() {
    {
        const std::scoped_lock lock(mutex_);
        stopping_ = true;
        work_ = true;
    }
    wake_.notify_all();
    engine_.join();
    const std::scoped_lock lock(alive_->mutex);
    alive_->self = nullptr;
}

async<incoming> link::request(outgoing what, monotonic::duration patience) {
    return completed<incoming>(
        [this, what = std::move(what), patience](completion<incoming> done) mutable {
            start_request(std::move(what), patience, std::move(done));
        });
}

void link::start_request(outgoing what, monotonic::duration patience, completion<incoming> done) {
    const auto refused = enqueue(what, patience, done);
    if (!refused.empty()) {
        done(fail(errc::unavailable, refused));
        return;
    }
    wake_.notify_one();
}

std::string link::enqueue(
    outgoing& what, monotonic::duration patience, completion<incoming>& done) {
    const std::scoped_lock lock(mutex_);
    const auto bytes = what.payload.size() + what.subject.size();
    if (stopping_) return "nats: closing";
    if (pending_.size() >= options_.in_flight_max
        || pending_bytes_ + bytes > options_.in_flight_bytes_max) {
        limits_->refused();
        return "nats: too many requests are waiting for their answers";
    }
    const auto number = ++last_number_;
    const auto deadline = runtime::monotonic_now() + patience;
    pending_bytes_ += bytes;
    deadlines_.emplace(deadline, number);
    pending_.emplace(
        number, pending{.done = std::move(done), .deadline = deadline, .bytes = bytes});
    queue_.push_back(
        {.what = std::move(what), .reply = inbox_ + std::to_string(number), .request = number});
    work_ = true;
    return {};
}

void link::send(outgoing what, std::string reply) {
    {
        const std::scoped_lock lock(mutex_);
        if (queue_.size() >= queued_max) return limits_->refused();
        queue_.push_back({.what = std::move(what), .reply = std::move(reply), .request = 0});
        work_ = true;
    }
    wake_.notify_one();
}

link::listener_id link::listen(std::string subject, listener who) {
    listener_id number = 0;
    {
        const std::scoped_lock lock(mutex_);
        number = ++last_number_;
        listeners_.emplace(
            number,
            registration{
                .subject = std::move(subject),
                .who = std::make_shared<const listener>(std::move(who)),
                .held = nullptr});
        to_subscribe_.push_back(number);
        work_ = true;
    }
    wake_.notify_one();
    return number;
}

void link::ignore(listener_id who) {
    {
        const std::scoped_lock lock(mutex_);
        const auto found = listeners_.find(who);
        if (found == listeners_.end()) return;
        if (found->second.held) to_drop_.push_back(std::move(found->second.held));
        listeners_.erase(found);
        work_ = true;
    }
    wake_.notify_one();
}

async<void> link::round_trip(monotonic::duration patience) {
    // A message to our own inbox that we answer by hearing it.
    auto heard = co_await completed<incoming>([this, patience](completion<incoming> done) {
        start_request({.subject = {}, .payload = {}, .message_id = {}}, patience, std::move(done));
    });
    CO_CHECK_OK(std::move(heard));
    co_return result<void>();
}

std::string link::fresh_inbox() {
    return "_INBOX." + random_name();
}

std::optional<completion<incoming>> link::take(std::uint64_t request) {
    const auto found = pending_.find(request);
    if (found == pending_.end()) return std::nullopt;
    auto done = std::move(found->second.done);
    deadlines_.erase({found->second.deadline, request});
    pending_bytes_ -= found->second.bytes;
    pending_.erase(found);
    return done;
}

void link::answered(incoming what) {
    std::optional<completion<incoming>> done;
    {
        const std::scoped_lock lock(mutex_);
        done = take(number_after(what.subject, inbox_.size()));
    }
    if (!done) return;  // too late: its caller was told timed_out
    if (what.status == no_responders) {
        (*done)(fail(errc::unavailable, "nats: nobody answers now; JetStream may have no leader"));
    } else {
        (*done)(std::move(what));
    }
}

void link::run() {
    for (;;) {
        finished overdue;
        {
            std::unique_lock lock(mutex_);
            wait_for_work(lock);
            if (stopping_) break;
            overdue = take_overdue(runtime::monotonic_now());
        }
        for (auto& [done, outcome] : overdue) done(std::move(outcome));
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
    finished rest;
    {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, close_patience, [this] { return closed_; });
        while (!pending_.empty()) {
            const auto number = pending_.begin()->first;
            const auto code = pending_.begin()->second.sent ? errc::timed_out : errc::unavailable;
            rest.emplace_back(*take(number), fail(code, "nats: closed"));
        }
    }
    for (auto& [done, outcome] : rest) done(std::move(outcome));
}

void link::wait_for_work(std::unique_lock<std::mutex>& lock) {
    constexpr monotonic::duration longest = 500ms;
    auto span = longest;
    const auto now = runtime::monotonic_now();
    if (!deadlines_.empty()) span = std::min(span, deadlines_.begin()->first - now);
    if (closed_) span = std::min(span, connect_at_ - now);
    if (span > 0ns) wake_.wait_for(lock, span, [this] { return work_; });
    work_ = false;
}

link::finished link::take_overdue(instant now) {
    finished overdue;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
        const auto number = deadlines_.begin()->second;
        const bool sent = pending_.at(number).sent;
        auto outcome = sent ? fail(errc::timed_out, "nats: no answer in time")
                            : fail(errc::unavailable, "nats: not sent: " + why_down_);
        overdue.emplace_back(*take(number), std::move(outcome));
    }
    return overdue;
}

void link::keep_connected(instant now) {
    {
        const std::scoped_lock lock(mutex_);
        if (!closed_ || now < connect_at_) return;
        // libnats gave up; its subscriptions ended with it.
        to_subscribe_.clear();
        for (auto& [number, one] : listeners_) {
            one.held.reset();
            to_subscribe_.push_back(number);
        }
        to_drop_.clear();
        closed_ = false;
    }
    connection_.reset();
    connect_at_ = now + connect_pause_.next();
    auto opened = connection::open(
        options_,
        {.up = [this] { connection_changed(true); },
         .down = [this] { connection_changed(false); },
         .closed =
             [this](std::string why) {
                 connection_closed(std::move(why));
             }});
    if (opened) {
        connection_ = std::move(*opened);
        return;
    }
    const std::scoped_lock lock(mutex_);
    why_down_ = opened.error().detail();
    closed_ = true;
}

void link::follow_registrations() {
    std::vector<std::pair<listener_id, registration>> wanted;
    std::vector<std::unique_ptr<connection::subscription>> dropped;
    {
        const std::scoped_lock lock(mutex_);
        dropped.swap(to_drop_);
        if (connection_) {
            for (const auto number : std::exchange(to_subscribe_, {})) {
                const auto found = listeners_.find(number);
                if (found == listeners_.end()) continue;
                wanted.emplace_back(
                    number,
                    registration{.subject = found->second.subject, .who = found->second.who});
            }
        }
    }
    dropped.clear();
    for (auto& [number, one] : wanted) {
        auto held = connection_->subscribe(one.subject, one.who->on_message);
        const std::scoped_lock lock(mutex_);
        const auto found = listeners_.find(number);
        if (!held) {
            to_subscribe_.push_back(number);
        } else if (found != listeners_.end()) {
            found->second.held = std::move(*held);
        } else {
            to_drop_.push_back(std::move(*held));
        }
    }
}

void link::send_queued() {
    if (!connection_ || !connection_->up()) return;
    std::deque<queued> ready;
    {
        const std::scoped_lock lock(mutex_);
        if (!to_subscribe_.empty()) return;  // whoever asks must be able to hear the answer
        ready.swap(queue_);
    }
    for (auto& next : ready) send_one(next);
}

void link::send_one(queued& next) {
    if (next.request != 0) {
        const std::scoped_lock lock(mutex_);
        const auto found = pending_.find(next.request);
        if (found == pending_.end()) return;  // overdue before it could be sent
        found->second.sent = true;
    }
    if (next.what.subject.empty()) next.what.subject = std::exchange(next.reply, {});
    auto sent = connection_->publish(next.what, next.reply);
    if (sent || next.request == 0 || sent.error().code() == errc::timed_out) return;
    std::optional<completion<incoming>> done;
    {
        const std::scoped_lock lock(mutex_);
        done = take(next.request);
    }
    if (done) (*done)(fail(sent.error()));
}

void link::connection_changed(bool up) {
    std::vector<std::shared_ptr<const listener>> told;
    finished lost;
    {
        const std::scoped_lock lock(mutex_);
        up_ = up;
        why_down_ = "connection lost";
        work_ = true;
        if (up) {
            for (const auto& [number, one] : listeners_) told.push_back(one.who);
        } else {
            std::vector<std::uint64_t> sent;
            for (const auto& [number, one] : pending_) {
                if (one.sent) sent.push_back(number);
            }
            for (const auto number : sent) {
                auto outcome = fail(errc::timed_out, "nats: connection lost before the answer");
                lost.emplace_back(*take(number), std::move(outcome));
            }
        }
    }
    wake_.notify_all();
    for (const auto& who : told) {
        if (who->on_up) who->on_up();
    }
    for (auto& [done, outcome] : lost) done(std::move(outcome));
}

void link::connection_closed(std::string why) {
    // Notified under the lock: the destructor may be waiting for exactly this.
    const std::scoped_lock lock(mutex_);
    up_ = false;
    closed_ = true;
    work_ = true;
    why_down_ = "the connection was closed: " + std::move(why);
    wake_.notify_all();
}

}  // namespace muster::nats
