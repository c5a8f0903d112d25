#include "adapters/bus/nats/reader.h"

#include <algorithm>
#include <utility>

namespace muster::nats {

namespace {

using namespace std::chrono_literals;

constexpr auto check_interval = 100ms;
// After twice `ack_wait` and this slack every lost delivery was repeated, even if the pull of a
// dead reader received the first repetition.
constexpr auto redelivery_slack = 3s;
// Maximum delay of the status that ends a pull.
constexpr auto pull_slack = 300ms;

}  // namespace

reader::reader(nats::jetstream& jetstream, consumer_options options, std::string token)
    : jetstream_(jetstream), options_(std::move(options)), token_(std::move(token)) {}

void reader::start(const consumer_state& state, instant now) {
    const std::scoped_lock lock(mutex_);
    next_number_ = state.delivered_last + 1;
    if (state.unacknowledged > 0) hold(now);
}

void reader::hold(instant now) {
    serializer_.hold();
    hold_ends_ = now + 2 * options_.ack_wait + redelivery_slack;
    consumer_check_at_ = now;
}

void reader::on_number(std::uint64_t consumer_sequence, instant now) {
    // A smaller number is no loss: the server restarted with an older state and repeats deliveries.
    if (consumer_sequence > next_number_) hold(now);
    next_number_ = consumer_sequence + 1;
}

void reader::on_delivery(incoming_message message, instant now) {
    {
        const std::scoped_lock lock(mutex_);
        if (state_ != reader_state::reading) return;
        if (message.status != 0) {
            on_pull_end(message, now);
        } else if (const auto mark = read_delivery_mark(message.reply)) {
            if (pending_pull_size_ > 0) --pending_pull_size_;
            on_number(mark->consumer_sequence, now);
            stream::delivery delivery{
                .message =
                    {.subject = jetstream_.from_wire_subject(message.subject),
                     .payload = std::move(message.payload),
                     .id = std::move(message.message_id)},
                .sequence = mark->stream_sequence,
                .attempt = mark->attempt};
            const auto arrival = serializer_.on_delivery(std::move(delivery));
            if (arrival == stream::subject_serializer::arrival::queued) {
                replies_.insert_or_assign(mark->stream_sequence, std::move(message.reply));
            } else {
                ignore_error(
                    jetstream_.acknowledge_unconfirmed(std::move(message.reply)),
                    "the message is redelivered when it is overdue");
            }
        }
    }
    wakeup.notify();
}

void reader::on_pull_end(const incoming_message& status, instant now) {
    constexpr int heartbeat = 100;
    if (status.status == heartbeat) return;
    pending_pull_size_ = 0;
    if (status.status == no_responders || status.status_text.starts_with("Consumer")) {
        pull_unanswered_ = true;
        consumer_check_at_ = now;
    }
}

void reader::on_takeover(const std::string& token) {
    {
        const std::scoped_lock lock(mutex_);
        if (state_ != reader_state::reading || token == token_) return;
        state_ = reader_state::taken_over;
        // Deliveries of the open pull are for the other reader.
        jetstream_.unlisten(delivery_listener_);
    }
    wakeup.notify();
}

void reader::reconnected() {
    {
        const std::scoped_lock lock(mutex_);
        pending_pull_size_ = 0;
    }
    wakeup.notify();
}

result<void> reader::check_state() const {
    const std::scoped_lock lock(mutex_);
    switch (state_) {
        case reader_state::reading:
            return {};
        case reader_state::taken_over:
            return fail(
                errc::conflict,
                "consumer \"" + options_.name + "\" was taken over by a later reader");
        case reader_state::deleted:
            return fail(errc::not_found, "consumer \"" + options_.name + "\" not found");
        case reader_state::closed:
            break;
    }
    return fail(errc::cancelled, "consumer \"" + options_.name + "\" is closed");
}

std::vector<stream::delivery> reader::take(std::size_t messages_max) {
    const std::scoped_lock lock(mutex_);
    if (state_ != reader_state::reading) return {};
    return serializer_.pop_ready(messages_max);
}

void reader::mark_deleted() {
    const std::scoped_lock lock(mutex_);
    if (state_ == reader_state::reading) state_ = reader_state::deleted;
}

reader::next_step reader::plan_next_step(std::size_t messages_max, instant now) {
    const std::scoped_lock lock(mutex_);
    next_step next;
    const bool is_check_needed = serializer_.is_held() || pull_unanswered_;
    next.check_consumer = is_check_needed && now >= consumer_check_at_;
    next.wake_at = is_check_needed ? now + check_interval : instant::max();
    if (next.check_consumer) consumer_check_at_ = now + check_interval;
    if (pull_unanswered_) return next;
    if (pending_pull_size_ > 0 && now < pull_expires_at_) {
        next.wake_at = std::min(next.wake_at, pull_expires_at_);
    } else {
        next.pull_size = messages_max;
    }
    return next;
}

void reader::on_pull_sent(std::size_t messages, instant expires_at) {
    const std::scoped_lock lock(mutex_);
    pending_pull_size_ = messages;
    pull_expires_at_ = expires_at + pull_slack;
}

void reader::apply_consumer_state(const consumer_state& consumer_state, instant now) {
    const std::scoped_lock lock(mutex_);
    pull_unanswered_ = false;
    const bool nothing_on_its_way = consumer_state.delivered_last < next_number_;
    const bool all_arrived = consumer_state.unacknowledged <= serializer_.unconfirmed_count();
    if ((nothing_on_its_way && all_arrived) || now >= hold_ends_) serializer_.release();
}

std::string reader::find_reply(std::uint64_t sequence) const {
    const auto it = replies_.find(sequence);
    return it == replies_.end() ? std::string() : it->second;
}

reader::acknowledgement reader::acknowledge(const std::vector<std::uint64_t>& sequences) {
    const std::scoped_lock lock(mutex_);
    acknowledgement acknowledgement;
    for (const auto sequence : sequences) {
        if (!serializer_.acknowledge(sequence)) continue;
        acknowledgement.sequences.push_back(sequence);
        acknowledgement.replies.push_back(find_reply(sequence));
    }
    return acknowledgement;
}

reader::acknowledgement reader::take_unconfirmed() {
    const std::scoped_lock lock(mutex_);
    acknowledgement acknowledgement;
    for (const auto sequence : std::exchange(unconfirmed_, {})) {
        auto reply = find_reply(sequence);
        if (reply.empty()) continue;  // confirmed meanwhile
        acknowledgement.sequences.push_back(sequence);
        acknowledgement.replies.push_back(std::move(reply));
    }
    return acknowledgement;
}

void reader::on_confirmed(const acknowledgement& acknowledgement) {
    {
        const std::scoped_lock lock(mutex_);
        for (const auto sequence : acknowledgement.sequences) {
            serializer_.on_confirmed(sequence);
            replies_.erase(sequence);
        }
    }
    wakeup.notify();
}

void reader::on_unconfirmed(const acknowledgement& acknowledgement) {
    const std::scoped_lock lock(mutex_);
    unconfirmed_.insert(
        unconfirmed_.end(), acknowledgement.sequences.begin(), acknowledgement.sequences.end());
    std::ranges::sort(unconfirmed_);
    const auto repeated = std::ranges::unique(unconfirmed_);
    unconfirmed_.erase(repeated.begin(), repeated.end());
}

void reader::close(instant now) {
    const std::scoped_lock lock(mutex_);
    // nats-server 2.9 loses a repetition that is delivered to a pull without a listener. So the
    // open pull must end before anything is delivered again.
    const bool asking = pending_pull_size_ > 0 && now < pull_expires_at_;
    const auto delay = asking ? pull_expires_at_ - now : monotonic::duration::zero();
    if (state_ == reader_state::reading) {
        for (auto& [sequence, reply] : replies_) jetstream_.release(std::move(reply), delay);
    }
    replies_.clear();
    state_ = reader_state::closed;
}

}  // namespace muster::nats
