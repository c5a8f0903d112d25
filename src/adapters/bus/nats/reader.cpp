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

reader::reader(jetstream& of, consumer_options options, std::string token)
    : of_(of), options_(std::move(options)), token_(std::move(token)) {}

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

void reader::arrived(incoming incoming, instant now) {
    {
        const std::scoped_lock lock(mutex_);
        if (standing_ != reader_state::reading) return;
        if (incoming.status != 0) {
            ended(incoming, now);
        } else if (const auto mark = read_delivery_mark(incoming.reply)) {
            if (asked_for_ > 0) --asked_for_;
            note_number(mark->consumer_sequence, now);
            stream::delivery delivery{
                .what =
                    {.subject = of_.subject_of(incoming.subject),
                     .payload = std::move(incoming.payload),
                     .id = std::move(incoming.message_id)},
                .sequence = mark->stream_sequence,
                .attempt = mark->attempt};
            const auto arrival = gate_.arrived(std::move(delivery));
            if (arrival == stream::subject_serializer::arrival::taken) {
                replies_.insert_or_assign(mark->stream_sequence, std::move(incoming.reply));
            } else {
                ignore_error(
                    of_.acknowledge_unconfirmed(std::move(incoming.reply)),
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
        if (standing_ != reader_state::reading || token == token_) return;
        standing_ = reader_state::taken_over;
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
        case reader_state::reading:
            return {};
        case reader_state::taken_over:
            return fail(
                errc::conflict, "consumer " + options_.name + " was taken over by a later reader");
        case reader_state::forgotten:
            return fail(errc::not_found, "no consumer " + options_.name);
        case reader_state::closed:
            break;
    }
    return fail(errc::cancelled, "consumer " + options_.name + " is closed");
}

std::vector<stream::delivery> reader::take(std::size_t messages_max) {
    const std::scoped_lock lock(mutex_);
    if (standing_ != reader_state::reading) return {};
    return gate_.take(messages_max);
}

void reader::forgotten() {
    const std::scoped_lock lock(mutex_);
    if (standing_ == reader_state::reading) standing_ = reader_state::forgotten;
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

void reader::compare(const consumer_state& consumer_state, instant now) {
    const std::scoped_lock lock(mutex_);
    suspicious_ = false;
    const bool nothing_on_its_way = consumer_state.delivered_last < delivery_next_;
    const bool all_arrived = consumer_state.unacknowledged <= gate_.unconfirmed_count();
    if ((nothing_on_its_way && all_arrived) || now >= held_until_) gate_.release();
}

std::string reader::reply_of(std::uint64_t sequence) const {
    const auto it = replies_.find(sequence);
    return it == replies_.end() ? std::string() : it->second;
}

reader::acknowledgement reader::acknowledge(const std::vector<std::uint64_t>& sequences) {
    const std::scoped_lock lock(mutex_);
    acknowledgement acknowledgement;
    for (const auto sequence : sequences) {
        if (!gate_.acknowledge(sequence)) continue;
        acknowledgement.sequences.push_back(sequence);
        acknowledgement.replies.push_back(reply_of(sequence));
    }
    return acknowledgement;
}

reader::acknowledgement reader::take_doubts() {
    const std::scoped_lock lock(mutex_);
    acknowledgement acknowledgement;
    for (const auto sequence : std::exchange(doubts_, {})) {
        auto reply = reply_of(sequence);
        if (reply.empty()) continue;  // confirmed meanwhile
        acknowledgement.sequences.push_back(sequence);
        acknowledgement.replies.push_back(std::move(reply));
    }
    return acknowledgement;
}

void reader::confirmed(const acknowledgement& acknowledgement) {
    {
        const std::scoped_lock lock(mutex_);
        for (const auto sequence : acknowledgement.sequences) {
            gate_.confirmed(sequence);
            replies_.erase(sequence);
        }
    }
    bell.ring();
}

void reader::doubted(const acknowledgement& acknowledgement) {
    const std::scoped_lock lock(mutex_);
    doubts_.insert(
        doubts_.end(), acknowledgement.sequences.begin(), acknowledgement.sequences.end());
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
    if (standing_ == reader_state::reading) {
        for (auto& [sequence, reply] : replies_) of_.release_memory(std::move(reply), delay);
    }
    replies_.clear();
    standing_ = reader_state::closed;
}

}  // namespace muster::nats
