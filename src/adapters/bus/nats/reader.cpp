#include "adapters/bus/nats/reader.h"

#include <algorithm>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

constexpr auto look_pause = 100ms;
// After twice `ack_wait` and this every lost delivery was delivered again, even when the pull of a
// dead reader swallowed the first repetition.
constexpr auto redelivery_slack = 3s;
// How much later than asked the end of a pull may be told.
constexpr auto pull_slack = 300ms;

}  // namespace

reader::reader(jetstream& of, consumer_options what, std::string token)
    : of_(of), options_(std::move(what)), token_(std::move(token)) {}

void reader::begin(const consumer_state& at, instant now) {
    const std::scoped_lock lock(mutex_);
    delivery_next_ = at.delivered_last + 1;
    if (at.unacknowledged > 0) hold(now);
}

void reader::hold(instant now) {
    gate_.hold();
    held_until_ = now + 2 * options_.ack_wait + redelivery_slack;
    look_at_ = now;
}

void reader::note_number(std::uint64_t consumer_sequence, instant now) {
    // A smaller number is no loss: the server restarted with an older state and delivers again.
    if (consumer_sequence > delivery_next_) hold(now);
    delivery_next_ = consumer_sequence + 1;
}

void reader::arrived(incoming what, instant now) {
    {
        const std::scoped_lock lock(mutex_);
        if (standing_ != standing::reading) return;
        if (what.status != 0) {
            ended(what, now);
        } else if (const auto mark = read_delivery_mark(what.reply)) {
            if (asked_for_ > 0) --asked_for_;
            note_number(mark->consumer_sequence, now);
            stream::delivery delivery{
                .what =
                    {.subject = of_.subject_of(what.subject),
                     .payload = std::move(what.payload),
                     .id = std::move(what.message_id)},
                .sequence = mark->stream_sequence,
                .attempt = mark->attempt};
            const auto arrival = gate_.arrived(std::move(delivery));
            if (arrival == stream::subject_gate::arrival::taken) {
                replies_.insert_or_assign(mark->stream_sequence, std::move(what.reply));
            } else {
                ignore_error(
                    of_.acknowledge_unconfirmed(std::move(what.reply)),
                    "it comes again when it is overdue");
            }
        }
    }
    bell.ring();
}

void reader::ended(const incoming& status, instant now) {
    constexpr int heartbeat = 100;
    if (status.status == heartbeat) return;
    asked_for_ = 0;
    if (status.status == no_responders || status.status_text.starts_with("Consumer")) {
        suspicious_ = true;
        look_at_ = now;
    }
}

void reader::announced(const std::string& token) {
    {
        const std::scoped_lock lock(mutex_);
        if (standing_ != standing::reading || token == token_) return;
        standing_ = standing::taken_over;
        // What we asked for and did not get yet is for the other reader.
        of_.stop_listening(deliveries_);
    }
    bell.ring();
}

void reader::reconnected() {
    {
        const std::scoped_lock lock(mutex_);
        asked_for_ = 0;
    }
    bell.ring();
}

result<void> reader::standing_now() const {
    const std::scoped_lock lock(mutex_);
    switch (standing_) {
        case standing::reading:
            return {};
        case standing::taken_over:
            return fail(
                errc::conflict, "consumer " + options_.name + " was taken over by a later reader");
        case standing::forgotten:
            return fail(errc::not_found, "no consumer " + options_.name);
        case standing::closed:
            break;
    }
    return fail(errc::cancelled, "consumer " + options_.name + " is closed");
}

std::vector<stream::delivery> reader::take(std::size_t messages_max) {
    const std::scoped_lock lock(mutex_);
    if (standing_ != standing::reading) return {};
    return gate_.take(messages_max);
}

void reader::forgotten() {
    const std::scoped_lock lock(mutex_);
    if (standing_ == standing::reading) standing_ = standing::forgotten;
}

reader::advice reader::advise(std::size_t messages_max, instant now) {
    const std::scoped_lock lock(mutex_);
    advice next;
    const bool uneasy = gate_.held() || suspicious_;
    next.look = uneasy && now >= look_at_;
    next.look_again_at = uneasy ? now + look_pause : instant::max();
    if (next.look) look_at_ = now + look_pause;
    if (suspicious_) return next;
    if (asked_for_ > 0 && now < asked_until_) {
        next.look_again_at = std::min(next.look_again_at, asked_until_);
    } else {
        next.ask_for = messages_max;
    }
    return next;
}

void reader::asked(std::size_t messages, instant expires_at) {
    const std::scoped_lock lock(mutex_);
    asked_for_ = messages;
    asked_until_ = expires_at + pull_slack;
}

void reader::compare(const consumer_state& seen, instant now) {
    const std::scoped_lock lock(mutex_);
    suspicious_ = false;
    const bool nothing_on_its_way = seen.delivered_last < delivery_next_;
    const bool all_arrived = seen.unacknowledged <= gate_.unconfirmed_count();
    if ((nothing_on_its_way && all_arrived) || now >= held_until_) gate_.release();
}

std::string reader::reply_of(std::uint64_t sequence) const {
    const auto found = replies_.find(sequence);
    return found == replies_.end() ? std::string() : found->second;
}

reader::acknowledgement reader::acknowledge(const std::vector<std::uint64_t>& sequences) {
    const std::scoped_lock lock(mutex_);
    acknowledgement what;
    for (const auto sequence : sequences) {
        if (!gate_.acknowledge(sequence)) continue;
        what.sequences.push_back(sequence);
        what.replies.push_back(reply_of(sequence));
    }
    return what;
}

reader::acknowledgement reader::take_doubts() {
    const std::scoped_lock lock(mutex_);
    acknowledgement what;
    for (const auto sequence : std::exchange(doubts_, {})) {
        auto reply = reply_of(sequence);
        if (reply.empty()) continue;  // confirmed meanwhile
        what.sequences.push_back(sequence);
        what.replies.push_back(std::move(reply));
    }
    return what;
}

void reader::confirmed(const acknowledgement& what) {
    {
        const std::scoped_lock lock(mutex_);
        for (const auto sequence : what.sequences) {
            gate_.confirmed(sequence);
            replies_.erase(sequence);
        }
    }
    bell.ring();
}

void reader::doubted(const acknowledgement& what) {
    const std::scoped_lock lock(mutex_);
    doubts_.insert(doubts_.end(), what.sequences.begin(), what.sequences.end());
    std::ranges::sort(doubts_);
    const auto repeated = std::ranges::unique(doubts_);
    doubts_.erase(repeated.begin(), repeated.end());
}

void reader::close(instant now) {
    const std::scoped_lock lock(mutex_);
    // nats-server 2.9 loses a repetition that meets a pull nobody listens to any more, and repeats
    // another message instead: ours must be over before anything is delivered again.
    const bool asking = asked_for_ > 0 && now < asked_until_;
    const auto delay = asking ? asked_until_ - now : monotonic::duration::zero();
    if (standing_ == standing::reading) {
        for (auto& [sequence, reply] : replies_) of_.give_back(std::move(reply), delay);
    }
    replies_.clear();
    standing_ = standing::closed;
}

}  // namespace muster::nats
