#include "adapters/bus/nats/outbox.h"

#include "base/assert.h"

#include <charconv>

namespace muster::nats {

namespace {

std::size_t size_of(const outgoing& outgoing, const std::string& reply) {
    return outgoing.subject.size() + outgoing.payload.size() + outgoing.message_id.size()
           + reply.size();
}

std::size_t size_of(const outbox::letter& letter) {
    return size_of(letter.what, letter.reply);
}

}  // namespace

bool outbox::ask(outgoing& outgoing, completion<incoming>& done, instant deadline) {
    auto reply = inbox_ + std::to_string(last_number_ + 1);
    const auto bytes = size_of(outgoing, reply);
    if (pending_.size() >= limits_.requests_max) return false;
    if (pending_bytes_ + bytes > limits_.request_bytes_max) return false;
    const auto number = ++last_number_;
    pending_bytes_ += bytes;
    deadlines_.emplace(deadline, number);
    pending_.emplace(
        number, pending{.done = std::move(done), .deadline = deadline, .bytes = bytes});
    enqueue(
        {.number = number,
         .what = std::move(outgoing),
         .reply = std::move(reply),
         .request = true});
    return true;
}

bool outbox::tell(outgoing& outgoing, std::string& reply) {
    if (messages_ >= limits_.messages_max) return false;
    if (message_bytes_ + size_of(outgoing, reply) > limits_.message_bytes_max) return false;
    enqueue(
        {.number = ++last_number_,
         .what = std::move(outgoing),
         .reply = std::move(reply),
         .request = false});
    return true;
}

void outbox::enqueue(letter letter) {
    const auto bytes = size_of(letter);
    queued_bytes_ += bytes;
    if (!letter.request) {
        ++messages_;
        message_bytes_ += bytes;
    }
    const auto number = letter.number;
    const bool fresh = queue_.emplace(number, std::move(letter)).second;
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
        const auto it = pending_.find(unsent.number);
        if (it == pending_.end()) return;  // over meanwhile
        it->second.sent = false;
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
    const auto it = pending_.find(request);
    if (it == pending_.end()) return std::nullopt;
    call over{.done = std::move(it->second.done), .sent = it->second.sent};
    deadlines_.erase({it->second.deadline, request});
    pending_bytes_ -= it->second.bytes;
    pending_.erase(it);
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
    for (auto pending = pending_.begin(); pending != pending_.end();) {
        const auto number = pending->first;
        const bool sent = pending->second.sent;
        ++pending;  // before its element goes
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
