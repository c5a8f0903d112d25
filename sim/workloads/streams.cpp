#include "sim/workloads/streams.h"

#include "base/assert.h"
#include "sim/engines/codec.h"

#include <utility>

namespace muster::sim {

namespace {

enum class segment_kind : std::uint8_t { knock, met, bytes, confirmation, refusal };

struct segment {
    segment_kind kind = segment_kind::knock;
    streams::id connection = 0;
    std::uint64_t meeting = 0;
    std::uint64_t number = 0;
    bool last = false;
    std::string content;
};

void fields(auto& archive, is<segment> auto& what) {
    archive(what.kind, what.connection, what.meeting, what.number, what.last, what.content);
}

constexpr unsigned connections_of_life_bits = 24;

}  // namespace

streams::streams(cluster& stage, process& host, callbacks callbacks, options options)
    : stage_(stage),
      host_(host),
      life_(host.present()),
      own_(stage.address_of(host.name())),
      told_(std::move(callbacks)),
      options_(options) {
    stage.network.listen(
        own_, life_, [this](address from, const std::string& bytes) { receive(from, bytes); });
}

std::uint64_t streams::next_number() {
    return (life_.number << connections_of_life_bits) + ++made_;
}

streams::id streams::open(address to) {
    const id id = next_number();
    connection& connection = all_[id];
    connection.peer = to;
    connection.moved = host_.clock().now();
    transmit_all(id, connection);
    resend_later(id, connection);
    return id;
}

void streams::send(id id, std::string bytes) {
    const auto it = all_.find(id);
    if (it == all_.end() || it->second.closing) return;
    if (it->second.unconfirmed.size() >= options_.unconfirmed_max) return end(it);
    put(id, it->second, std::move(bytes), false);
}

void streams::close(id id) {
    const auto it = all_.find(id);
    if (it == all_.end() || it->second.closing) return;
    it->second.closing = true;
    put(id, it->second, {}, true);
}

void streams::drop(id id) {
    all_.erase(id);
}

void streams::put(id id, connection& of, std::string bytes, bool last) {
    if (of.unconfirmed.empty()) of.moved = host_.clock().now();
    of.unconfirmed.push_back({.number = of.next_out++, .bytes = std::move(bytes), .last = last});
    if (of.meeting != 0) transmit(id, of, of.unconfirmed.back());
    resend_later(id, of);
}

void streams::transmit(id id, const connection& of, const piece& piece) {
    const segment segment{
        .kind = segment_kind::bytes,
        .connection = id,
        .meeting = of.meeting,
        .number = piece.number,
        .last = piece.last,
        .content = piece.bytes};
    stage_.network.send(own_, of.peer, encode(segment));
}

void streams::transmit_all(id id, const connection& of) {
    if (of.meeting == 0) {
        const segment segment{.kind = segment_kind::knock, .connection = id, .content = {}};
        stage_.network.send(own_, of.peer, encode(segment));
        return;
    }
    for (const auto& each : of.unconfirmed) transmit(id, of, each);
}

void streams::resend_later(id id, connection& of) {
    if (std::exchange(of.timer_runs, true)) return;
    host_.clock().call_after(options_.resend, [this, id] { resend(id); });
}

void streams::resend(id id) {
    const auto it = all_.find(id);
    if (it == all_.end()) return;
    connection& of = it->second;
    of.timer_runs = false;
    if (of.meeting != 0 && of.unconfirmed.empty()) return;
    if (host_.clock().now() - of.moved >= options_.timeout) return end(it);
    transmit_all(id, of);
    resend_later(id, of);
}

void streams::end(connection_map::iterator iterator) {
    const auto gone = all_.extract(iterator);
    if (!gone.mapped().closing) told_.ended(gone.key());
}

void streams::receive(address from, std::string_view bytes) {
    const auto message = decode<segment>(bytes);
    MUSTER_ASSERT(message.has_value());
    const auto it = all_.find(message->connection);
    const auto answer = [&](segment_kind kind, std::uint64_t meeting, std::uint64_t number) {
        const segment result{
            .kind = kind,
            .connection = message->connection,
            .meeting = meeting,
            .number = number,
            .content = {}};
        stage_.network.send(own_, from, encode(result));
    };
    if (message->kind == segment_kind::knock) {
        if (it != all_.end()) return answer(segment_kind::met, it->second.meeting, 0);
        connection& result = all_[message->connection];
        result.peer = from;
        result.meeting = next_number();
        answer(segment_kind::met, result.meeting, 0);
        return told_.opened(message->connection);
    }
    const bool existing =
        it != all_.end()
        && (message->kind == segment_kind::met || it->second.meeting == message->meeting);
    if (!existing) {
        if (message->kind == segment_kind::bytes)
            answer(segment_kind::refusal, message->meeting, 0);
        return;
    }
    connection& of = it->second;
    switch (message->kind) {
        case segment_kind::knock:
            return;
        case segment_kind::met:
            return met(message->connection, message->meeting);
        case segment_kind::bytes:
            answer(
                segment_kind::confirmation,
                of.meeting,
                of.next_in + (message->number == of.next_in ? 1 : 0));
            return arrived(
                message->connection, of, message->number, message->last, message->content);
        case segment_kind::confirmation:
            return confirmed(message->connection, of, message->number);
        case segment_kind::refusal:
            return end(it);
    }
}

void streams::met(id id, std::uint64_t meeting) {
    connection& of = all_.at(id);
    if (of.meeting != 0) return;
    of.meeting = meeting;
    of.moved = host_.clock().now();
    transmit_all(id, of);
}

// What comes out of order is sent again.
void streams::arrived(
    id id, connection& of, std::uint64_t number, bool last, std::string_view bytes) {
    if (number != of.next_in) return;
    ++of.next_in;
    if (last) return end(all_.find(id));
    if (!of.closing) told_.received(id, bytes);
}

void streams::confirmed(id id, connection& of, std::uint64_t below) {
    while (!of.unconfirmed.empty() && of.unconfirmed.front().number < below) {
        of.unconfirmed.pop_front();
        of.moved = host_.clock().now();
    }
    if (of.closing && of.unconfirmed.empty()) all_.erase(id);
}

}  // namespace muster::sim
