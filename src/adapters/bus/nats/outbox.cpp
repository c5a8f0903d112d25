#include "adapters/bus/nats/outbox.h"

#include "base/assert.h"

#include <charconv>

namespace muster::nats {

namespace {

std::size_t size_of(const outgoing& what, const std::string& reply) {
    return what.subject.size() + what.payload.size() + what.message_id.size() + reply.size();
}

std::size_t size_of(const outbox::letter& what) {
    return size_of(what.what, what.reply);
}

}  // namespace

bool outbox::ask(outgoing& what, completion<incoming>& done, instant deadline) {
    auto reply = inbox_ + std::to_string(last_number_ + 1);
    const auto bytes = size_of(what, reply);
    if (pending_.size() >= limits_.requests_max) return false;
    if (pending_bytes_ + bytes > limits_.request_bytes_max) return false;
    const auto number = ++last_number_;
    pending_bytes_ += bytes;
    deadlines_.emplace(deadline, number);
    pending_.emplace(
        number, pending{.done = std::move(done), .deadline = deadline, .bytes = bytes});
    enqueue(
        {.number = number, .what = std::move(what), .reply = std::move(reply), .request = true});
    return true;
}

bool outbox::tell(outgoing& what, std::string& reply) {
    if (messages_ >= limits_.messages_max) return false;
    if (message_bytes_ + size_of(what, reply) > limits_.message_bytes_max) return false;
    enqueue(
        {.number = ++last_number_,
         .what = std::move(what),
         .reply = std::move(reply),
         .request = false});
    return true;
}

void outbox::enqueue(letter what) {
    const auto bytes = size_of(what);
    queued_bytes_ += bytes;
    if (!what.request) {
        ++messages_;
        message_bytes_ += bytes;
    }
    const auto number = what.number;
    const bool fresh = queue_.emplace(number, std::move(what)).second;
    MUSTER_ASSERT(fresh);
}

outbox::letter outbox::unqueue(std::map<std::uint64_t, letter>::iterator at) {
    auto what = std::move(at->second);
    queue_.erase(at);
    const auto bytes = size_of(what);
    queued_bytes_ -= bytes;
    if (!what.request) {
        --messages_;
        message_bytes_ -= bytes;
    }
    return what;
}

std::optional<outbox::letter> outbox::next() {
    if (queue_.empty()) return std::nullopt;
    auto what = unqueue(queue_.begin());
    if (what.request) pending_.at(what.number).sent = true;
    return what;
}

void outbox::put_back(letter unsent) {
    if (unsent.request) {
        const auto found = pending_.find(unsent.number);
        if (found == pending_.end()) return;  // over meanwhile
        found->second.sent = false;
    }
    enqueue(std::move(unsent));
}

std::optional<outbox::call> outbox::answered(const std::string& subject) {
    if (!subject.starts_with(inbox_)) return std::nullopt;
    std::uint64_t number = 0;
    std::from_chars(subject.data() + inbox_.size(), subject.data() + subject.size(), number);
    return take(number);
}

std::optional<outbox::call> outbox::take(std::uint64_t request) {
    const auto found = pending_.find(request);
    if (found == pending_.end()) return std::nullopt;
    call over{.done = std::move(found->second.done), .sent = found->second.sent};
    deadlines_.erase({found->second.deadline, request});
    pending_bytes_ -= found->second.bytes;
    pending_.erase(found);
    const auto queued = queue_.find(request);
    if (queued != queue_.end()) unqueue(queued);
    return over;
}

std::vector<outbox::call> outbox::take_overdue(instant now) {
    std::vector<call> over;
    while (!deadlines_.empty() && deadlines_.begin()->first <= now)
        over.push_back(*take(deadlines_.begin()->second));
    return over;
}

std::vector<outbox::call> outbox::take_sent() {
    std::vector<call> over;
    for (auto one = pending_.begin(); one != pending_.end();) {
        const auto number = one->first;
        const bool sent = one->second.sent;
        ++one;  // before its element goes
        if (sent) over.push_back(*take(number));
    }
    return over;
}

std::vector<outbox::call> outbox::take_all() {
    std::vector<call> over;
    while (!pending_.empty()) over.push_back(*take(pending_.begin()->first));
    return over;
}

std::optional<instant> outbox::next_deadline() const {
    if (deadlines_.empty()) return std::nullopt;
    return deadlines_.begin()->first;
}

}  // namespace muster::nats
