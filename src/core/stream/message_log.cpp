#include "core/stream/message_log.h"

#include "base/assert.h"
#include "core/stream/subject.h"

#include <algorithm>
#include <utility>

namespace muster::stream {

message_log::message_log(message_log_limits limits) : limits_(limits), ids_(limits.deduplication) {
    MUSTER_ASSERT(limits_.messages_max > 0);
}

std::size_t message_log::size_bytes_of(const message& message) {
    return message.subject.size() + message.payload.size() + message.id.size();
}

result<receipt> message_log::publish(message message, instant now) {
    CHECK_OK(validate(message));
    if (size_bytes_of(message) > limits_.bytes_max) {
        return fail(
            errc::invalid,
            "message on " + message.subject + " exceeds the size limit of the stream ("
                + std::to_string(limits_.bytes_max) + " bytes)");
    }
    expire(now);
    if (!message.id.empty()) {
        if (const auto first = ids_.find(message.id))
            return receipt{.sequence = *first, .duplicate = true};
        ids_.remember({.id = message.id, .sequence = sequence_last_ + 1, .at = now});
    }
    append({.message = std::move(message), .sequence = sequence_last_ + 1, .at = now});
    while (messages_.size() > limits_.messages_max || bytes_ > limits_.bytes_max) drop_oldest();
    return receipt{.sequence = sequence_last_, .duplicate = false};
}

void message_log::append(stored_message stored) {
    sequence_last_ = stored.sequence;
    bytes_ += size_bytes_of(stored.message);
    for (auto& [name, entry] : consumers_) {
        if (matches(entry.state.options().pattern, stored.message.subject))
            entry.state.add_pending(
                stored.message.subject, {.sequence = stored.sequence, .attempts = 0});
    }
    messages_.push_back(std::move(stored));
}

void message_log::drop_oldest() {
    const auto& oldest = messages_.front();
    for (auto& [name, entry] : consumers_) entry.state.remove(oldest.sequence);
    bytes_ -= size_bytes_of(oldest.message);
    messages_.pop_front();
}

const stored_message& message_log::stored_at(std::uint64_t sequence) const {
    MUSTER_ASSERT(!messages_.empty());
    const auto index = sequence - messages_.front().sequence;
    MUSTER_ASSERT(index < messages_.size());
    return messages_[index];
}

result<reader_number> message_log::open_consumer(const consumer_options& options, instant now) {
    CHECK_OK(validate(options));
    expire(now);
    const auto it = consumers_.find(options.name);
    if (it != consumers_.end()) {
        auto& [state, reader] = it->second;
        if (state.options().pattern != options.pattern) {
            return fail(
                errc::conflict,
                "consumer \"" + options.name + "\" reads '" + state.options().pattern + "', not '"
                    + options.pattern + "'; delete the consumer first");
        }
        state.set_ack_wait(options.ack_wait);
        reader = reader.next();
        return reader;
    }
    if (consumers_.size() == limits_.consumers_max) {
        return fail(
            errc::invalid,
            "limit of " + std::to_string(limits_.consumers_max)
                + " consumers reached; delete a consumer before creating \"" + options.name + "\"");
    }
    consumer state(options);
    for (const auto& message : messages_) {
        if (matches(options.pattern, message.message.subject))
            state.add_pending(
                message.message.subject, {.sequence = message.sequence, .attempts = 0});
    }
    const reader_number first(1);
    consumers_.emplace(options.name, consumer_entry{.state = std::move(state), .reader = first});
    return first;
}

result<void> message_log::delete_consumer(const std::string& name) {
    CHECK_OK(validate_consumer_name(name));
    if (consumers_.erase(name) == 0)
        return fail(errc::not_found, "consumer \"" + name + "\" not found");
    return {};
}

result<message_log::consumer_entry*> message_log::find(
    const std::string& consumer_name, reader_number reader) {
    const auto it = consumers_.find(consumer_name);
    if (it == consumers_.end())
        return fail(errc::not_found, "consumer \"" + consumer_name + "\" not found");
    if (it->second.reader != reader)
        return fail(
            errc::conflict, "consumer \"" + consumer_name + "\" was taken over by a later reader");
    return &it->second;
}

result<std::vector<delivery>> message_log::fetch(const read_request& request, instant now) {
    CHECK_OK(validate_fetch(request.messages_max));
    expire(now);
    TRY(auto* const entry, find(request.consumer, request.reader));
    std::vector<delivery> deliveries;
    for (const auto& [sequence, attempt] : entry->state.deliver_next(request.messages_max, now)) {
        deliveries.push_back(
            {.message = stored_at(sequence).message, .sequence = sequence, .attempt = attempt});
    }
    return deliveries;
}

result<void> message_log::acknowledge(
    const std::string& consumer_name,
    reader_number reader,
    const std::vector<std::uint64_t>& sequences) {
    TRY(auto* const entry, find(consumer_name, reader));
    for (const auto sequence : sequences) {
        if (entry->state.was_delivered(sequence)) entry->state.remove(sequence);
    }
    return {};
}

void message_log::close_reader(const std::string& consumer_name, reader_number reader) {
    const auto entry = find(consumer_name, reader);
    if (entry) (*entry)->state.release();
}

void message_log::expire(instant now) {
    ids_.expire(now);
    while (!messages_.empty() && messages_.front().at + limits_.age_max <= now) drop_oldest();
    for (auto& [name, entry] : consumers_) entry.state.expire(now);
}

std::optional<instant> message_log::next_deadline() const {
    std::optional<instant> next;
    const auto consider = [&next](instant deadline) {
        next = next ? std::min(*next, deadline) : deadline;
    };
    if (!messages_.empty()) consider(messages_.front().at + limits_.age_max);
    for (const auto& [name, entry] : consumers_) {
        if (const auto overdue = entry.state.next_deadline()) consider(*overdue);
    }
    return next;
}

std::vector<std::string> message_log::consumer_names() const {
    std::vector<std::string> names;
    for (const auto& [name, entry] : consumers_) names.push_back(name);
    return names;
}

message_log_snapshot message_log::snapshot(instant now) const {
    message_log_snapshot result{
        .taken_at = now,
        .sequence_last = sequence_last_,
        .messages = {messages_.begin(), messages_.end()},
        .ids = ids_.entries(),
        .consumers = {},
    };
    for (const auto& [name, entry] : consumers_) {
        result.consumers.push_back(
            {.options = entry.state.options(),
             .pending = entry.state.pending(),
             .reader = entry.reader});
    }
    return result;
}

namespace {

result<void> check_snapshot(const message_log_snapshot& saved) {
    std::uint64_t expected = saved.sequence_last - saved.messages.size() + 1;
    for (const auto& message : saved.messages) {
        if (message.sequence != expected++)
            return fail(errc::corrupt, "stream snapshot: message sequences have a gap");
    }
    const auto oldest =
        saved.messages.empty() ? saved.sequence_last + 1 : saved.messages[0].sequence;
    for (const auto& consumer : saved.consumers) {
        std::uint64_t previous = 0;
        for (const auto& message : consumer.pending) {
            const bool known =
                message.sequence >= oldest && message.sequence <= saved.sequence_last;
            if (!known || message.sequence <= previous) {
                return fail(
                    errc::corrupt,
                    "stream snapshot: consumer " + consumer.options.name
                        + " has pending messages that are not in the stream");
            }
            previous = message.sequence;
        }
    }
    return {};
}

}  // namespace

result<message_log> message_log::restore(
    message_log_limits limits, message_log_snapshot saved, instant now) {
    CHECK_OK(check_snapshot(saved));
    const auto shift = now - saved.taken_at;
    message_log restored(limits);
    restored.sequence_last_ = saved.sequence_last;
    for (auto& message : saved.messages) {
        message.at += shift;
        restored.append(std::move(message));
    }
    for (auto& entry : saved.ids) {
        entry.at += shift;
        restored.ids_.remember(std::move(entry));
    }
    for (auto& consumer_state : saved.consumers) {
        const auto name = consumer_state.options.name;
        consumer state(std::move(consumer_state.options));
        for (const auto& message : consumer_state.pending)
            state.add_pending(restored.stored_at(message.sequence).message.subject, message);
        restored.consumers_.emplace(
            name, consumer_entry{.state = std::move(state), .reader = consumer_state.reader});
    }
    while (restored.messages_.size() > limits.messages_max || restored.bytes_ > limits.bytes_max)
        restored.drop_oldest();
    restored.expire(now);
    return restored;
}

}  // namespace muster::stream
