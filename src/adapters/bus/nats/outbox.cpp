#include "adapters/bus/nats/outbox.h"

#include "base/assert.h"

#include <charconv>

namespace muster::nats {

namespace {

std::size_t size_of(const outgoing_message& message, const std::string& reply) {
    return message.subject.size() + message.payload.size() + message.message_id.size()
           + reply.size();
}

std::size_t size_of(const outbox::queued_message& entry) {
    return size_of(entry.message, entry.reply);
}

}  // namespace

bool outbox::add_request(
    outgoing_message& message, completion<incoming_message>& done, instant deadline) {
    auto reply = inbox_ + std::to_string(last_number_ + 1);
    const auto bytes = size_of(message, reply);
    if (pending_.size() >= limits_.requests_max) return false;
    if (pending_bytes_ + bytes > limits_.request_bytes_max) return false;
    const auto number = ++last_number_;
    pending_bytes_ += bytes;
    deadlines_.emplace(deadline, number);
    pending_.emplace(
        number, pending{.done = std::move(done), .deadline = deadline, .bytes = bytes});
    enqueue(
        {.number = number,
         .message = std::move(message),
         .reply = std::move(reply),
         .request = true});
    return true;
}

bool outbox::add_message(outgoing_message& message, std::string& reply) {
    if (messages_ >= limits_.messages_max) return false;
    if (message_bytes_ + size_of(message, reply) > limits_.message_bytes_max) return false;
    enqueue(
        {.number = ++last_number_,
         .message = std::move(message),
         .reply = std::move(reply),
         .request = false});
    return true;
}

void outbox::enqueue(queued_message entry) {
    const auto bytes = size_of(entry);
    queued_bytes_ += bytes;
    if (!entry.request) {
        ++messages_;
        message_bytes_ += bytes;
    }
    const auto number = entry.number;
    const bool inserted = queue_.emplace(number, std::move(entry)).second;
    MUSTER_ASSERT(inserted);
}

outbox::queued_message outbox::dequeue(std::map<std::uint64_t, queued_message>::iterator it) {
    auto entry = std::move(it->second);
    queue_.erase(it);
    const auto bytes = size_of(entry);
    queued_bytes_ -= bytes;
    if (!entry.request) {
        --messages_;
        message_bytes_ -= bytes;
    }
    return entry;
}

std::optional<outbox::queued_message> outbox::next() {
    if (queue_.empty()) return std::nullopt;
    auto entry = dequeue(queue_.begin());
    if (entry.request) pending_.at(entry.number).sent = true;
    return entry;
}

void outbox::put_back(queued_message unsent) {
    if (unsent.request) {
        const auto it = pending_.find(unsent.number);
        if (it == pending_.end()) return;  // ended meanwhile
        it->second.sent = false;
    }
    enqueue(std::move(unsent));
}

std::optional<outbox::ended_request> outbox::end_answered(const std::string& subject) {
    if (!subject.starts_with(inbox_)) return std::nullopt;
    std::uint64_t number = 0;
    std::from_chars(subject.data() + inbox_.size(), subject.data() + subject.size(), number);
    return end_request(number);
}

std::optional<outbox::ended_request> outbox::end_request(std::uint64_t request) {
    const auto it = pending_.find(request);
    if (it == pending_.end()) return std::nullopt;
    ended_request ended{.done = std::move(it->second.done), .sent = it->second.sent};
    deadlines_.erase({it->second.deadline, request});
    pending_bytes_ -= it->second.bytes;
    pending_.erase(it);
    const auto queued = queue_.find(request);
    if (queued != queue_.end()) dequeue(queued);
    return ended;
}

std::vector<outbox::ended_request> outbox::end_overdue(instant now) {
    std::vector<ended_request> ended;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now)
        ended.push_back(*end_request(deadlines_.begin()->second));
    return ended;
}

std::vector<outbox::ended_request> outbox::end_sent() {
    std::vector<ended_request> ended;
    for (auto it = pending_.begin(); it != pending_.end();) {
        const auto number = it->first;
        const bool sent = it->second.sent;
        ++it;  // before end_request() erases the element
        if (sent) ended.push_back(*end_request(number));
    }
    return ended;
}

std::vector<outbox::ended_request> outbox::end_all() {
    std::vector<ended_request> ended;
    while (!pending_.empty()) ended.push_back(*end_request(pending_.begin()->first));
    return ended;
}

std::optional<instant> outbox::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

}  // namespace muster::nats
