#include "sim/workloads/streams.h"

#include "base/assert.h"
#include "sim/engines/codec.h"

#include <utility>

namespace muster::sim {

namespace {

enum class segment_kind : std::uint8_t { open_request, accepted, bytes, confirmation, refusal };

struct segment {
    segment_kind kind = segment_kind::open_request;
    streams::id connection = 0;
    std::uint64_t acceptance = 0;
    std::uint64_t number = 0;
    bool last = false;
    std::string content;
};

void fields(auto& archive, is<segment> auto& value) {
    archive(
        value.kind, value.connection, value.acceptance, value.number, value.last, value.content);
}

constexpr unsigned connections_of_life_bits = 24;

}  // namespace

streams::streams(sim::cluster& cluster, process& host, callbacks callbacks, options options)
    : cluster_(cluster),
      host_(host),
      life_(host.current_life()),
      own_address_(cluster.address_of(host.name())),
      callbacks_(std::move(callbacks)),
      options_(options) {
    cluster.network.listen(own_address_, life_, [this](address from, const std::string& bytes) {
        receive(from, bytes);
    });
}

std::uint64_t streams::next_number() {
    return (life_.number << connections_of_life_bits) + ++last_number_;
}

streams::id streams::open(address to) {
    const id id = next_number();
    connection& connection = connections_[id];
    connection.peer = to;
    connection.last_progress = host_.clock().now();
    transmit_all(id, connection);
    resend_later(id, connection);
    return id;
}

void streams::send(id id, std::string bytes) {
    const auto it = connections_.find(id);
    if (it == connections_.end() || it->second.closing) return;
    if (it->second.unconfirmed.size() >= options_.unconfirmed_max) return end(it);
    enqueue(id, it->second, std::move(bytes), false);
}

void streams::close(id id) {
    const auto it = connections_.find(id);
    if (it == connections_.end() || it->second.closing) return;
    it->second.closing = true;
    enqueue(id, it->second, {}, true);
}

void streams::drop(id id) {
    connections_.erase(id);
}

void streams::enqueue(id id, connection& connection, std::string bytes, bool last) {
    if (connection.unconfirmed.empty()) connection.last_progress = host_.clock().now();
    connection.unconfirmed.push_back(
        {.number = connection.next_out++, .bytes = std::move(bytes), .last = last});
    if (connection.acceptance != 0) transmit(id, connection, connection.unconfirmed.back());
    resend_later(id, connection);
}

void streams::transmit(id id, const connection& connection, const piece& piece) {
    const segment segment{
        .kind = segment_kind::bytes,
        .connection = id,
        .acceptance = connection.acceptance,
        .number = piece.number,
        .last = piece.last,
        .content = piece.bytes};
    cluster_.network.send(own_address_, connection.peer, encode(segment));
}

void streams::transmit_all(id id, const connection& connection) {
    if (connection.acceptance == 0) {
        const segment segment{.kind = segment_kind::open_request, .connection = id, .content = {}};
        cluster_.network.send(own_address_, connection.peer, encode(segment));
        return;
    }
    for (const auto& piece : connection.unconfirmed) transmit(id, connection, piece);
}

void streams::resend_later(id id, connection& connection) {
    if (std::exchange(connection.timer_runs, true)) return;
    host_.clock().call_after(options_.resend, [this, id] { resend(id); });
}

void streams::resend(id id) {
    const auto it = connections_.find(id);
    if (it == connections_.end()) return;
    connection& connection = it->second;
    connection.timer_runs = false;
    if (connection.acceptance != 0 && connection.unconfirmed.empty()) return;
    if (host_.clock().now() - connection.last_progress >= options_.timeout) return end(it);
    transmit_all(id, connection);
    resend_later(id, connection);
}

void streams::end(connection_map::iterator iterator) {
    const auto ended = connections_.extract(iterator);
    if (!ended.mapped().closing) callbacks_.ended(ended.key());
}

void streams::receive(address from, std::string_view bytes) {
    const auto message = decode<segment>(bytes);
    MUSTER_ASSERT(message.has_value());
    const auto it = connections_.find(message->connection);
    const auto reply = [&](segment_kind kind, std::uint64_t acceptance, std::uint64_t number) {
        const segment result{
            .kind = kind,
            .connection = message->connection,
            .acceptance = acceptance,
            .number = number,
            .content = {}};
        cluster_.network.send(own_address_, from, encode(result));
    };
    if (message->kind == segment_kind::open_request) {
        if (it != connections_.end())
            return reply(segment_kind::accepted, it->second.acceptance, 0);
        connection& result = connections_[message->connection];
        result.peer = from;
        result.acceptance = next_number();
        reply(segment_kind::accepted, result.acceptance, 0);
        return callbacks_.opened(message->connection);
    }
    const bool is_current = it != connections_.end()
                            && (message->kind == segment_kind::accepted
                                || it->second.acceptance == message->acceptance);
    if (!is_current) {
        if (message->kind == segment_kind::bytes)
            reply(segment_kind::refusal, message->acceptance, 0);
        return;
    }
    connection& connection = it->second;
    switch (message->kind) {
        case segment_kind::open_request:
            return;
        case segment_kind::accepted:
            return on_accepted(message->connection, message->acceptance);
        case segment_kind::bytes:
            reply(
                segment_kind::confirmation,
                connection.acceptance,
                connection.next_in + (message->number == connection.next_in ? 1 : 0));
            return on_piece(
                message->connection, connection, message->number, message->last, message->content);
        case segment_kind::confirmation:
            return on_confirmed(message->connection, connection, message->number);
        case segment_kind::refusal:
            return end(it);
    }
}

void streams::on_accepted(id id, std::uint64_t acceptance) {
    connection& connection = connections_.at(id);
    if (connection.acceptance != 0) return;
    connection.acceptance = acceptance;
    connection.last_progress = host_.clock().now();
    transmit_all(id, connection);
}

// What comes out of order is sent again.
void streams::on_piece(
    id id, connection& connection, std::uint64_t number, bool last, std::string_view bytes) {
    if (number != connection.next_in) return;
    ++connection.next_in;
    if (last) return end(connections_.find(id));
    if (!connection.closing) callbacks_.received(id, bytes);
}

void streams::on_confirmed(id id, connection& connection, std::uint64_t below) {
    while (!connection.unconfirmed.empty() && connection.unconfirmed.front().number < below) {
        connection.unconfirmed.pop_front();
        connection.last_progress = host_.clock().now();
    }
    if (connection.closing && connection.unconfirmed.empty()) connections_.erase(id);
}

}  // namespace muster::sim
