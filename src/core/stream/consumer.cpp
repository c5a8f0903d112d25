#include "core/stream/consumer.h"

#include "base/assert.h"
#include "core/stream/subject.h"

#include <algorithm>

namespace muster::stream {

namespace {

bool belongs_in_name(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z')
           || (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
}

}  // namespace

result<void> validate_consumer_name(const std::string& name) {
    if (!name.empty() && name.size() <= consumer_options::name_bytes_max
        && std::ranges::all_of(name, belongs_in_name)) {
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
        "consumer " + options.name + " cannot have an ack_wait of "
            + std::to_string(options.ack_wait.count()) + " ms; the least is "
            + std::to_string(consumer_options::ack_wait_min.count()) + " ms, the most one hour");
}

void consumer::owe(const std::string& subject, pending_message pending_message) {
    MUSTER_ASSERT(owed_.empty() || owed_.rbegin()->first < pending_message.sequence);
    const auto at = lanes_.try_emplace(subject).first;
    if (at->second.sequences.empty()) ready_.insert(pending_message.sequence);
    at->second.sequences.push_back(pending_message.sequence);
    owed_.emplace(pending_message.sequence, place{.in = at, .attempts = pending_message.attempts});
}

void consumer::settle(std::uint64_t sequence) {
    const auto it = owed_.find(sequence);
    if (it == owed_.end()) return;  // settled before: an acknowledgement may come twice
    if (out_.contains(sequence)) recall(sequence);
    const auto at = it->second.in;
    auto& sequences = at->second.sequences;
    MUSTER_ASSERT(sequences.front() == sequence);  // none but the first goes out or ages away
    sequences.pop_front();
    ready_.erase(sequence);
    owed_.erase(it);
    if (sequences.empty()) {
        lanes_.erase(at);
    } else {
        ready_.insert(sequences.front());
    }
}

bool consumer::was_handed_over(std::uint64_t sequence) const {
    const auto it = owed_.find(sequence);
    return it != owed_.end() && it->second.attempts > 0;
}

std::vector<pending_message> consumer::take(std::size_t messages_max, instant now) {
    std::vector<pending_message> pending_messages;
    while (pending_messages.size() < messages_max && !ready_.empty()) {
        const auto sequence = *ready_.begin();
        ready_.erase(ready_.begin());
        const auto deadline = now + options_.ack_wait;
        out_.emplace(sequence, deadline);
        overdue_.emplace(deadline, sequence);
        auto& attempts = owed_.at(sequence).attempts;
        pending_messages.push_back({.sequence = sequence, .attempts = ++attempts});
    }
    return pending_messages;
}

void consumer::recall(std::uint64_t sequence) {
    const auto it = out_.find(sequence);
    MUSTER_ASSERT(it != out_.end());
    overdue_.erase({it->second, sequence});
    out_.erase(it);
    ready_.insert(sequence);
}

void consumer::expire(instant now) {
    while (!overdue_.empty() && overdue_.begin()->first <= now) recall(overdue_.begin()->second);
}

std::optional<instant> consumer::next_deadline() const {
    if (overdue_.empty()) return std::nullopt;
    return overdue_.begin()->first;
}

void consumer::release() {
    while (!out_.empty()) recall(out_.begin()->first);
}

std::vector<pending_message> consumer::owed() const {
    std::vector<pending_message> all;
    all.reserve(owed_.size());
    for (const auto& [sequence, where] : owed_)
        all.push_back({.sequence = sequence, .attempts = where.attempts});
    return all;
}

}  // namespace muster::stream
