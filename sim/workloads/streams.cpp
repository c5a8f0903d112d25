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

streams::streams(cluster& stage, process& host, callbacks told, options how)
    : stage_(stage),
      host_(host),
      life_(host.present()),
      own_(stage.address_of(host.name())),
      told_(std::move(told)),
      how_(how) {
    stage.network.listen(
        own_, life_, [this](address from, const std::string& bytes) { receive(from, bytes); });
}

std::uint64_t streams::next_number() {
    return (life_.number << connections_of_life_bits) + ++made_;
}

streams::id streams::open(address to) {
    const id which = next_number();
    connection& made = all_[which];
    made.peer = to;
    made.moved = host_.time().now();
    transmit_all(which, made);
    resend_later(which, made);
    return which;
}

void streams::send(id which, std::string bytes) {
    const auto found = all_.find(which);
    if (found == all_.end() || found->second.closing) return;
    if (found->second.unconfirmed.size() >= how_.unconfirmed_max) return end(found);
    put(which, found->second, std::move(bytes), false);
}

void streams::close(id which) {
    const auto found = all_.find(which);
    if (found == all_.end() || found->second.closing) return;
    found->second.closing = true;
    put(which, found->second, {}, true);
}

void streams::drop(id which) {
    all_.erase(which);
}

void streams::put(id which, connection& of, std::string bytes, bool last) {
    if (of.unconfirmed.empty()) of.moved = host_.time().now();
    of.unconfirmed.push_back({.number = of.next_out++, .bytes = std::move(bytes), .last = last});
    if (of.meeting != 0) transmit(which, of, of.unconfirmed.back());
    resend_later(which, of);
}

void streams::transmit(id which, const connection& of, const piece& what) {
    const segment made{
        .kind = segment_kind::bytes,
        .connection = which,
        .meeting = of.meeting,
        .number = what.number,
        .last = what.last,
        .content = what.bytes};
    stage_.network.send(own_, of.peer, encode(made));
}

void streams::transmit_all(id which, const connection& of) {
    if (of.meeting == 0) {
        const segment made{.kind = segment_kind::knock, .connection = which, .content = {}};
        stage_.network.send(own_, of.peer, encode(made));
        return;
    }
    for (const auto& each : of.unconfirmed) transmit(which, of, each);
}

void streams::resend_later(id which, connection& of) {
    if (std::exchange(of.timer_runs, true)) return;
    host_.time().call_after(how_.resend, [this, which] { resend(which); });
}

void streams::resend(id which) {
    const auto found = all_.find(which);
    if (found == all_.end()) return;
    connection& of = found->second;
    of.timer_runs = false;
    if (of.meeting != 0 && of.unconfirmed.empty()) return;
    if (host_.time().now() - of.moved >= how_.patience) return end(found);
    transmit_all(which, of);
    resend_later(which, of);
}

void streams::end(connection_map::iterator which) {
    const auto gone = all_.extract(which);
    if (!gone.mapped().closing) told_.ended(gone.key());
}

void streams::receive(address from, std::string_view bytes) {
    const auto said = decode<segment>(bytes);
    MUSTER_ASSERT(said.has_value());
    const auto found = all_.find(said->connection);
    const auto answer = [&](segment_kind kind, std::uint64_t meeting, std::uint64_t number) {
        const segment made{
            .kind = kind,
            .connection = said->connection,
            .meeting = meeting,
            .number = number,
            .content = {}};
        stage_.network.send(own_, from, encode(made));
    };
    if (said->kind == segment_kind::knock) {
        if (found != all_.end()) return answer(segment_kind::met, found->second.meeting, 0);
        connection& made = all_[said->connection];
        made.peer = from;
        made.meeting = next_number();
        answer(segment_kind::met, made.meeting, 0);
        return told_.opened(said->connection);
    }
    const bool known =
        found != all_.end()
        && (said->kind == segment_kind::met || found->second.meeting == said->meeting);
    if (!known) {
        if (said->kind == segment_kind::bytes) answer(segment_kind::refusal, said->meeting, 0);
        return;
    }
    connection& of = found->second;
    switch (said->kind) {
        case segment_kind::knock:
            return;
        case segment_kind::met:
            return met(said->connection, said->meeting);
        case segment_kind::bytes:
            answer(
                segment_kind::confirmation,
                of.meeting,
                of.next_in + (said->number == of.next_in ? 1 : 0));
            return arrived(said->connection, of, said->number, said->last, said->content);
        case segment_kind::confirmation:
            return confirmed(said->connection, of, said->number);
        case segment_kind::refusal:
            return end(found);
    }
}

void streams::met(id which, std::uint64_t meeting) {
    connection& of = all_.at(which);
    if (of.meeting != 0) return;
    of.meeting = meeting;
    of.moved = host_.time().now();
    transmit_all(which, of);
}

// What comes out of order is sent again.
void streams::arrived(
    id which, connection& of, std::uint64_t number, bool last, std::string_view bytes) {
    if (number != of.next_in) return;
    ++of.next_in;
    if (last) return end(all_.find(which));
    if (!of.closing) told_.received(which, bytes);
}

void streams::confirmed(id which, connection& of, std::uint64_t below) {
    while (!of.unconfirmed.empty() && of.unconfirmed.front().number < below) {
        of.unconfirmed.pop_front();
        of.moved = host_.time().now();
    }
    if (of.closing && of.unconfirmed.empty()) all_.erase(which);
}

}  // namespace muster::sim
