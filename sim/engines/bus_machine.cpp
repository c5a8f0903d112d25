#include "sim/engines/bus_machine.h"

#include "base/assert.h"
#include "core/stream/subject.h"

#include <ranges>
#include <utility>

namespace muster::sim {

namespace {

bus_request decode_request(std::string_view bytes) {
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
    return !is_a<bus_subscribe>(request) && !is_a<bus_poll>(request) && !is_a<bus_ping>(request);
}

bool bus_machine::is_ready(std::string_view request) const {
    if (!is_a<bus_poll>(request) && !is_a<bus_fetch>(request)) return true;
    const auto decoded = decode_request(request);
    if (const auto* poll = std::get_if<bus_poll>(&decoded)) return !messages_after(*poll).empty();
    return ready_consumers_.contains(std::get<bus_fetch>(decoded).name);
}

std::string bus_machine::apply(std::string_view request, instant now) {
    return std::visit(
        [this, now](const auto& decoded) { return execute(decoded, now); },
        decode_request(request));
}

std::string bus_machine::execute(const bus_publish& bus_publish, instant now) {
    const auto stored = log_.publish(bus_publish.message, now);
    if (!stored) return encode(result<void>(fail(stored.error())));
    simulation_.tracing.fold(stored->sequence);
    if (!stored->duplicate) {
        recent_.push_back({.message = bus_publish.message, .sequence = stored->sequence});
        if (recent_.size() > recent_max) recent_.pop_front();
        mark_all_ready();
    }
    return encode(result<void>());
}

std::string bus_machine::execute(const bus_open_consumer& bus_open_consumer, instant now) {
    mark_all_ready();
    return encode(log_.open_consumer(bus_open_consumer.options, now));
}

std::string bus_machine::execute(const bus_delete_consumer& bus_delete_consumer, instant /*now*/) {
    ready_consumers_.insert(bus_delete_consumer.name);
    return encode(log_.delete_consumer(bus_delete_consumer.name));
}

std::string bus_machine::execute(const bus_fetch& bus_fetch, instant now) {
    log_.expire(now);
    const auto deliveries = log_.fetch(
        {.consumer = bus_fetch.name,
         .reader = bus_fetch.reader,
         .messages_max = bus_fetch.messages_max},
        now);
    if (!deliveries) return encode(deliveries);
    if (deliveries->size() < bus_fetch.messages_max) ready_consumers_.erase(bus_fetch.name);
    for (const auto& delivery : *deliveries) {
        if (delivery.attempt > 1) simulation_.probes.reached(probe::delivery_repeated);
    }
    return encode(deliveries);
}

std::string bus_machine::execute(const bus_acknowledge& bus_acknowledge, instant /*now*/) {
    ready_consumers_.insert(bus_acknowledge.name);
    return encode(
        log_.acknowledge(bus_acknowledge.name, bus_acknowledge.reader, bus_acknowledge.sequences));
}

std::string bus_machine::execute(const bus_close_reader& bus_close_reader, instant /*now*/) {
    ready_consumers_.insert(bus_close_reader.name);
    log_.close_reader(bus_close_reader.name, bus_close_reader.reader);
    return encode(result<void>());
}

std::string bus_machine::execute(const bus_subscribe& bus_subscribe, instant /*now*/) {
    if (const auto valid = stream::validate_pattern(bus_subscribe.pattern); !valid) {
        return encode(result<std::uint64_t>(fail(valid.error())));
    }
    return encode(result<std::uint64_t>(log_.sequence_last()));
}

std::string bus_machine::execute(const bus_poll& bus_poll, instant /*now*/) {
    return encode(result<message_batch>(
        message_batch{.messages = messages_after(bus_poll), .up_to = log_.sequence_last()}));
}

std::string bus_machine::execute(const bus_ping& /*what*/, instant /*now*/) {
    return encode(result<void>());
}

std::vector<stream::message> bus_machine::messages_after(const bus_poll& bus_poll) const {
    std::vector<stream::message> messages;
    for (const auto& delivery : recent_ | std::views::reverse) {
        if (delivery.sequence <= bus_poll.after) break;
        if (stream::matches(bus_poll.pattern, delivery.message.subject))
            messages.push_back(delivery.message);
    }
    return {messages.rbegin(), messages.rend()};
}

// Nothing for the journal: applying a later request at its own time does the same again.
std::vector<std::string> bus_machine::expire(instant now) {
    const auto due = log_.next_deadline();
    if (!due || *due > now) return {};
    log_.expire(now);
    mark_all_ready();
    return {};
}

void bus_machine::mark_all_ready() {
    for (const auto& name : log_.consumer_names()) ready_consumers_.insert(name);
}

// What is out may go again, here as in a log that is restored from this: so both hand out the same
// from here on.
std::optional<std::string> bus_machine::snapshot(instant now) {
    const auto state = log_.snapshot(now);
    const auto restarted = restart_from(state, now);
    MUSTER_ASSERT(restarted.has_value());
    return encode(state);
}

result<void> bus_machine::restart_from(stream::message_log_snapshot state, instant now) {
    TRY(log_, stream::message_log::restore(limits_, std::move(state), now));
    mark_all_ready();
    return {};
}

result<void> bus_machine::restore(std::string_view snapshot, instant /*now*/) {
    TRY(auto state, decode<stream::message_log_snapshot>(snapshot));
    const instant taken_at = state.taken_at;
    return restart_from(std::move(state), taken_at);
}

void bus_machine::recovered(instant now) {
    const auto restarted = restart_from(log_.snapshot(now), now);
    MUSTER_ASSERT(restarted.has_value());
}

std::string bus_machine::refusal(const error& reason) const {
    return encode(result<void>(fail(reason)));
}

}  // namespace muster::sim
