#include "core/stream/log.h"

#include "base/assert.h"
#include "core/stream/subject.h"

#include <algorithm>
#include <utility>

namespace muster::stream {

log::log(log_limits limits) : limits_(limits), ids_(limits.deduplication) {
    MUSTER_ASSERT(limits_.messages_max > 0);
}

std::size_t log::cost(const message& message) {
    return message.subject.size() + message.payload.size() + message.id.size();
}

result<receipt> log::publish(message message, instant now) {
    CHECK_OK(validate(message));
    if (cost(message) > limits_.bytes_max) {
        return fail(
            errc::invalid,
            "message on " + message.subject + " is larger than the whole stream may be ("
                + std::to_string(limits_.bytes_max) + " bytes)");
    }
    expire(now);
    if (!message.id.empty()) {
        if (const auto first = ids_.find(message.id))
            return receipt{.sequence = *first, .duplicate = true};
        ids_.remember({.id = message.id, .sequence = sequence_last_ + 1, .at = now});
    }
    append({.what = std::move(message), .sequence = sequence_last_ + 1, .at = now});
    while (messages_.size() > limits_.messages_max || bytes_ > limits_.bytes_max) drop_oldest();
    return receipt{.sequence = sequence_last_, .duplicate = false};
}

void log::append(stored_message stored_message) {
    sequence_last_ = stored_message.sequence;
    bytes_ += cost(stored_message.what);
    for (auto& [name, reader] : consumers_) {
        if (matches(reader.state.options().pattern, stored_message.what.subject))
            reader.state.owe(
                stored_message.what.subject, {.sequence = stored_message.sequence, .attempts = 0});
    }
    messages_.push_back(std::move(stored_message));
}

void log::drop_oldest() {
    const auto& oldest = messages_.front();
    for (auto& [name, reader] : consumers_) reader.state.settle(oldest.sequence);
    bytes_ -= cost(oldest.what);
    messages_.pop_front();
}

const stored_message& log::at(std::uint64_t sequence) const {
    MUSTER_ASSERT(!messages_.empty());
    const auto index = sequence - messages_.front().sequence;
    MUSTER_ASSERT(index < messages_.size());
    return messages_[index];
}

result<reader_number> log::open_consumer(const consumer_options& options, instant now) {
    CHECK_OK(validate(options));
    expire(now);
    const auto it = consumers_.find(options.name);
    if (it != consumers_.end()) {
        auto& [state, reader] = it->second;
        if (state.options().pattern != options.pattern) {
            return fail(
                errc::conflict,
                "consumer " + options.name + " reads '" + state.options().pattern + "', not '"
                    + options.pattern + "'; forget it first");
        }
        state.set_ack_wait(options.ack_wait);
        reader = reader.next();
        return reader;
    }
    if (consumers_.size() == limits_.consumers_max) {
        return fail(
            errc::invalid,
            "cannot make consumer " + options.name + ": there are "
                + std::to_string(limits_.consumers_max) + " already; forget one first");
    }
    consumer state(options);
    for (const auto& message : messages_) {
        if (matches(options.pattern, message.what.subject))
            state.owe(message.what.subject, {.sequence = message.sequence, .attempts = 0});
    }
    const reader_number first(1);
    consumers_.emplace(options.name, reading{.state = std::move(state), .reader = first});
    return first;
}

result<void> log::forget_consumer(const std::string& name) {
    CHECK_OK(validate_consumer_name(name));
    if (consumers_.erase(name) == 0) return fail(errc::not_found, "no consumer " + name);
    return {};
}

result<log::reading*> log::find(const std::string& consumer_name, reader_number reader) {
    const auto it = consumers_.find(consumer_name);
    if (it == consumers_.end()) return fail(errc::not_found, "no consumer " + consumer_name);
    if (it->second.reader != reader)
        return fail(
            errc::conflict, "consumer " + consumer_name + " was taken over by a later reader");
    return &it->second;
}

result<std::vector<delivery>> log::fetch(const read_request& read_request, instant now) {
    CHECK_OK(validate_fetch(read_request.messages_max));
    expire(now);
    TRY(auto* const from, find(read_request.consumer, read_request.reader));
    std::vector<delivery> deliveries;
    for (const auto& [sequence, attempt] : from->state.take(read_request.messages_max, now)) {
        deliveries.push_back({.what = at(sequence).what, .sequence = sequence, .attempt = attempt});
    }
    return deliveries;
}

result<void> log::acknowledge(
    const std::string& consumer_name,
    reader_number reader,
    const std::vector<std::uint64_t>& sequences) {
    TRY(auto* const from, find(consumer_name, reader));
    for (const auto sequence : sequences) {
        if (from->state.was_handed_over(sequence)) from->state.settle(sequence);
    }
    return {};
}

void log::close_reader(const std::string& consumer_name, reader_number reader) {
    const auto from = find(consumer_name, reader);
    if (from) (*from)->state.release();
}

void log::expire(instant now) {
    ids_.expire(now);
    while (!messages_.empty() && messages_.front().at + limits_.age_max <= now) drop_oldest();
    for (auto& [name, reader] : consumers_) reader.state.expire(now);
}

std::optional<instant> log::next_deadline() const {
    std::optional<instant> next;
    const auto consider = [&next](instant when) {
        next = next ? std::min(*next, when) : when;
    };
    if (!messages_.empty()) consider(messages_.front().at + limits_.age_max);
    for (const auto& [name, reader] : consumers_) {
        if (const auto overdue = reader.state.next_deadline()) consider(*overdue);
    }
    return next;
}

std::vector<std::string> log::consumer_names() const {
    std::vector<std::string> names;
    for (const auto& [name, reader] : consumers_) names.push_back(name);
    return names;
}

log_snapshot log::snapshot(instant now) const {
    log_snapshot all{
        .taken_at = now,
        .sequence_last = sequence_last_,
        .messages = {messages_.begin(), messages_.end()},
        .ids = ids_.entries(),
        .consumers = {},
    };
    for (const auto& [name, reader] : consumers_) {
        all.consumers.push_back(
            {.options = reader.state.options(),
             .owed = reader.state.owed(),
             .reader = reader.reader});
    }
    return all;
}

namespace {

result<void> check(const log_snapshot& from) {
    std::uint64_t expected = from.sequence_last - from.messages.size() + 1;
    for (const auto& message : from.messages) {
        if (message.sequence != expected++)
            return fail(errc::corrupt, "stream snapshot: message sequences have a gap");
    }
    const auto oldest = from.messages.empty() ? from.sequence_last + 1 : from.messages[0].sequence;
    for (const auto& consumer : from.consumers) {
        std::uint64_t previous = 0;
        for (const auto& owed : consumer.owed) {
            const bool stored = owed.sequence >= oldest && owed.sequence <= from.sequence_last;
            if (!stored || owed.sequence <= previous) {
                return fail(
                    errc::corrupt,
                    "stream snapshot: consumer " + consumer.options.name
                        + " is owed messages that are not there");
            }
            previous = owed.sequence;
        }
    }
    return {};
}

}  // namespace

result<log> log::restore(log_limits limits, log_snapshot from, instant now) {
    CHECK_OK(check(from));
    const auto shift = now - from.taken_at;
    log restored(limits);
    restored.sequence_last_ = from.sequence_last;
    for (auto& message : from.messages) {
        message.at += shift;
        restored.append(std::move(message));
    }
    for (auto& entry : from.ids) {
        entry.at += shift;
        restored.ids_.remember(std::move(entry));
    }
    for (auto& stored : from.consumers) {
        const auto name = stored.options.name;
        consumer state(std::move(stored.options));
        for (const auto& owed : stored.owed)
            state.owe(restored.at(owed.sequence).what.subject, owed);
        restored.consumers_.emplace(
            name, reading{.state = std::move(state), .reader = stored.reader});
    }
    while (restored.messages_.size() > limits.messages_max || restored.bytes_ > limits.bytes_max)
        restored.drop_oldest();
    restored.expire(now);
    return restored;
}

}  // namespace muster::stream
