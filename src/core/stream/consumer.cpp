#include "core/stream/consumer.h"

#include "base/assert.h"
#include "core/stream/subject.h"

#include <algorithm>

namespace muster::stream {

namespace {

bool is_name_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
}

}  // namespace

result<void> validate_consumer_name(const std::string& name) {
    if (!name.empty() && name.size() <= consumer_options::name_bytes_max
        && std::ranges::all_of(name, is_name_letter)) {
        return {};
    }
    return fail(
        errc::invalid,
        "consumer name '" + name.substr(0, consumer_options::name_bytes_max) + "' must be 1 to "
            + std::to_string(consumer_options::name_bytes_max) + " letters, digits, '-' or '_'");
}

result<void> validate(const consumer_options& options) {
    CHECK_OK(validate_consumer_name(options.name));
    CHECK_OK(validate_pattern(options.pattern));
    if (options.ack_wait >= consumer_options::ack_wait_min
        && options.ack_wait <= consumer_options::ack_wait_max) {
        return {};
    }
    return fail(
        errc::invalid,
        "ack_wait of consumer \"" + options.name + "\" is "
            + std::to_string(options.ack_wait.count()) + " ms; must be between "
            + std::to_string(consumer_options::ack_wait_min.count()) + " ms and 1 hour");
}

void consumer::add_pending(const std::string& subject, pending_message message) {
    MUSTER_ASSERT(pending_.empty() || pending_.rbegin()->first < message.sequence);
    const auto queue = queues_.try_emplace(subject).first;
    if (queue->second.sequences.empty()) ready_.insert(message.sequence);
    queue->second.sequences.push_back(message.sequence);
    pending_.emplace(message.sequence, pending_entry{.queue = queue, .attempts = message.attempts});
}

void consumer::remove(std::uint64_t sequence) {
    const auto it = pending_.find(sequence);
    if (it == pending_.end()) return;  // an acknowledgement may come twice
    if (unacknowledged_.contains(sequence)) make_ready(sequence);
    const auto queue = it->second.queue;
    auto& sequences = queue->second.sequences;
    MUSTER_ASSERT(sequences.front() == sequence);  // only the first is delivered or expires
    sequences.pop_front();
    ready_.erase(sequence);
    pending_.erase(it);
    if (sequences.empty()) {
        queues_.erase(queue);
    } else {
        ready_.insert(sequences.front());
    }
}

bool consumer::was_delivered(std::uint64_t sequence) const {
    const auto it = pending_.find(sequence);
    return it != pending_.end() && it->second.attempts > 0;
}

std::vector<pending_message> consumer::deliver_next(std::size_t messages_max, instant now) {
    std::vector<pending_message> messages;
    while (messages.size() < messages_max && !ready_.empty()) {
        const auto sequence = *ready_.begin();
        ready_.erase(ready_.begin());
        const auto deadline = now + options_.ack_wait;
        unacknowledged_.emplace(sequence, deadline);
        deadlines_.emplace(deadline, sequence);
        auto& attempts = pending_.at(sequence).attempts;
        messages.push_back({.sequence = sequence, .attempts = ++attempts});
    }
    return messages;
}

void consumer::make_ready(std::uint64_t sequence) {
    const auto it = unacknowledged_.find(sequence);
    MUSTER_ASSERT(it != unacknowledged_.end());
    deadlines_.erase({it->second, sequence});
    unacknowledged_.erase(it);
    ready_.insert(sequence);
}

void consumer::expire(instant now) {
    while (!deadlines_.empty() && deadlines_.begin()->first <= now)
        make_ready(deadlines_.begin()->second);
}

std::optional<instant> consumer::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

void consumer::release() {
    while (!unacknowledged_.empty()) make_ready(unacknowledged_.begin()->first);
}

std::vector<pending_message> consumer::pending() const {
    std::vector<pending_message> messages;
    messages.reserve(pending_.size());
    for (const auto& [sequence, entry] : pending_)
        messages.push_back({.sequence = sequence, .attempts = entry.attempts});
    return messages;
}

}  // namespace muster::stream
