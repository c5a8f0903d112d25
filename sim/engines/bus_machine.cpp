#include "sim/engines/bus_machine.h"

#include "base/assert.h"
#include "core/stream/subject.h"

#include <ranges>
#include <utility>

namespace muster::sim {

namespace {

bus_request understood(std::string_view bytes) {
    auto request = decode<bus_request>(bytes);
    MUSTER_ASSERT(request.has_value());
    return *std::move(request);
}

template <class Kind>
bool is_a(std::string_view request) {
    return encodes<Kind>(std::type_identity<bus_request>(), request);
}

}  // namespace

bool bus_machine::is_logged(std::string_view request) const {
    return !is_a<bus_listen>(request) && !is_a<bus_hear>(request) && !is_a<bus_ping>(request);
}

bool bus_machine::is_ready(std::string_view request) const {
    if (!is_a<bus_hear>(request) && !is_a<bus_fetch>(request)) return true;
    const auto what = understood(request);
    if (const auto* hear = std::get_if<bus_hear>(&what)) return !heard_after(*hear).empty();
    return stirred_.contains(std::get<bus_fetch>(what).name);
}

std::string bus_machine::apply(std::string_view request, instant now) {
    return std::visit(
        [this, now](const auto& what) { return answer(what, now); }, understood(request));
}

std::string bus_machine::answer(const bus_publish& bus_publish, instant now) {
    const auto stored = log_.publish(bus_publish.what, now);
    if (!stored) return encode(result<void>(fail(stored.error())));
    where_.tracing.fold(stored->sequence);
    if (!stored->duplicate) {
        recent_.push_back({.what = bus_publish.what, .sequence = stored->sequence});
        if (recent_.size() > recent_max) recent_.pop_front();
        stir_all();
    }
    return encode(result<void>());
}

std::string bus_machine::answer(const bus_open_consumer& bus_open_consumer, instant now) {
    stir_all();
    return encode(log_.open_consumer(bus_open_consumer.what, now));
}

std::string bus_machine::answer(const bus_forget_consumer& bus_forget_consumer, instant /*now*/) {
    stirred_.insert(bus_forget_consumer.name);
    return encode(log_.forget_consumer(bus_forget_consumer.name));
}

std::string bus_machine::answer(const bus_fetch& bus_fetch, instant now) {
    log_.expire(now);
    const auto match = log_.fetch(
        {.consumer = bus_fetch.name,
         .reader = bus_fetch.reader,
         .messages_max = bus_fetch.messages_max},
        now);
    if (!match) return encode(match);
    if (match->size() < bus_fetch.messages_max) stirred_.erase(bus_fetch.name);
    for (const auto& each : *match) {
        if (each.attempt > 1) where_.probes.reached(probe::delivery_repeated);
    }
    return encode(match);
}

std::string bus_machine::answer(const bus_acknowledge& bus_acknowledge, instant /*now*/) {
    stirred_.insert(bus_acknowledge.name);
    return encode(
        log_.acknowledge(bus_acknowledge.name, bus_acknowledge.reader, bus_acknowledge.sequences));
}

std::string bus_machine::answer(const bus_close_reader& bus_close_reader, instant /*now*/) {
    stirred_.insert(bus_close_reader.name);
    log_.close_reader(bus_close_reader.name, bus_close_reader.reader);
    return encode(result<void>());
}

std::string bus_machine::answer(const bus_listen& bus_listen, instant /*now*/) {
    if (const auto valid = stream::validate_pattern(bus_listen.pattern); !valid) {
        return encode(result<std::uint64_t>(fail(valid.error())));
    }
    return encode(result<std::uint64_t>(log_.sequence_last()));
}

std::string bus_machine::answer(const bus_hear& bus_hear, instant /*now*/) {
    return encode(
        result<heard>(heard{.messages = heard_after(bus_hear), .up_to = log_.sequence_last()}));
}

std::string bus_machine::answer(const bus_ping& /*what*/, instant /*now*/) {
    return encode(result<void>());
}

std::vector<stream::message> bus_machine::heard_after(const bus_hear& bus_hear) const {
    std::vector<stream::message> messages;
    for (const auto& each : recent_ | std::views::reverse) {
        if (each.sequence <= bus_hear.after) break;
        if (stream::matches(bus_hear.pattern, each.what.subject)) messages.push_back(each.what);
    }
    return {messages.rbegin(), messages.rend()};
}

// Nothing for the journal: applying a later request at its own time does the same again.
std::vector<std::string> bus_machine::expire(instant now) {
    const auto due = log_.next_deadline();
    if (!due || *due > now) return {};
    log_.expire(now);
    stir_all();
    return {};
}

void bus_machine::stir_all() {
    for (const auto& name : log_.consumer_names()) stirred_.insert(name);
}

// What is out may go again, here as in a log that is restored from this: so both hand out the same
// from here on.
std::optional<std::string> bus_machine::snapshot(instant now) {
    const auto state = log_.snapshot(now);
    const auto restarted = restart_from(state, now);
    MUSTER_ASSERT(restarted.has_value());
    return encode(state);
}

result<void> bus_machine::restart_from(stream::log_snapshot state, instant now) {
    TRY(log_, stream::log::restore(limits_, std::move(state), now));
    stir_all();
    return {};
}

result<void> bus_machine::restore(std::string_view snapshot, instant /*now*/) {
    TRY(auto state, decode<stream::log_snapshot>(snapshot));
    const instant taken_at = state.taken_at;
    return restart_from(std::move(state), taken_at);
}

void bus_machine::recovered(instant now) {
    const auto restarted = restart_from(log_.snapshot(now), now);
    MUSTER_ASSERT(restarted.has_value());
}

std::string bus_machine::refusal(const error& why) const {
    return encode(result<void>(fail(why)));
}

}  // namespace muster::sim
