#include "services/presence/publisher.h"

#include "adapters/os/process_usage.h"
#include "ports/deadline.h"
#include "services/presence/report_codec.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <utility>

namespace muster::presence {
namespace {

constexpr std::size_t started_a_message_max = 10'000;

}  // namespace

boost::asio::awaitable<void> publisher::run() {
    while (true) {
        const auto topology = deps_.topology.read();
        const auto own = topology->nodes.find(options_.node);
        // Before it is listed and has a number and a zone nobody can be attached to it.
        if (start() != 0 && own != topology->nodes.end() && own->second.number
            && !own->second.zone.empty()) {
            auto presence = co_await tell_presence(&own->second);
            if (presence) presence = co_await tell_load(&own->second);
            if (!presence) whole_due_ = instant();
            if (!presence && !std::exchange(failing_, true))
                deps_.log.warning(
                    "presence is not told: the bus does not take it",
                    {{"reason", to_string(presence.error())}});
            if (presence) failing_ = false;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.change_interval);
        if (!slept) co_return;
    }
}

std::uint64_t publisher::start() const {
    return static_cast<std::uint64_t>(deps_.start.first_listed());
}

report publisher::empty_report(const cluster::node_record& own) const {
    return {
        .node = own.number,
        .zone = own.zone,
        .start = start(),
        .sequence = sequence_ + 1,
        .at = seconds_of(deps_.clock.wall())};
}

void publisher::owe(const attached_agents::changes& news) {
    for (const auto& departure : news.departures)
        if (departed_.size() < owed_max || departed_.contains(departure.system))
            departed_.insert_or_assign(departure.system, departure);
    for (const auto& arrival : news.arrivals) departed_.erase(arrival.system);
    for (const auto each : news.started)
        if (started_.size() < owed_max) started_.insert(each);
}

async<void> publisher::tell_presence(const cluster::node_record* own) {
    auto changes = deps_.attached.take_changes();
    if (deps_.history != nullptr) deps_.history->note(changes);
    owe(changes);
    const auto now = deps_.clock.now();
    report next = empty_report(*own);
    if (now >= whole_due_) {
        next.arrivals = deps_.attached.all();
        next.whole = report::range{system_number(1), system_number(INT32_MAX)};
    } else {
        if (changes.arrivals.empty() && departed_.empty()) co_return result<void>();
        next.arrivals = std::move(changes.arrivals);
    }
    for (const auto& [system, left] : departed_) next.departures.push_back(left);
    const bool whole = next.whole.has_value();
    const auto parts = split(std::move(next));
    sequence_ += parts.size();
    const std::string subject = report_subject + own->zone + "." + options_.node;
    for (const auto& part : parts) {
        CO_CHECK_OK(co_await publish(subject, encode(part)));
    }
    departed_.clear();
    if (whole) whole_due_ = now + options_.whole_interval;
    co_return co_await tell_started();
}

async<void> publisher::tell_started() {
    while (!started_.empty()) {
        boost::json::array numbers;
        auto end = started_.begin();
        for (; end != started_.end() && numbers.size() < started_a_message_max; ++end)
            numbers.emplace_back(end->value());
        boost::json::object response{{"node", options_.node}, {"systems", std::move(numbers)}};
        CO_CHECK_OK(co_await publish(started_subject, boost::json::serialize(response)));
        started_.erase(started_.begin(), end);
    }
    co_return result<void>();
}

async<void> publisher::tell_load(const cluster::node_record* own) {
    const auto now = deps_.clock.now();
    if (now < load_due_) co_return result<void>();
    load_due_ = now + options_.load_interval;
    const auto used = os::read_process_usage();
    const load_report load_report{
        .node = options_.node,
        .zone = own->zone,
        .attached = static_cast<std::int64_t>(deps_.attached.size()),
        .cpu_seconds = used.cpu_seconds,
        .cores = used.cores,
        .memory_bytes = used.memory_bytes,
        .start = start(),
        .at = deps_.clock.wall()};
    co_return co_await publish(load_subject + own->zone + "." + options_.node, encode(load_report));
}

async<void> publisher::publish(std::string subject, std::string payload) {
    stream::message message{.subject = std::move(subject), .payload = std::move(payload), .id = {}};
    auto reserved = deps_.bus.publish(std::move(message));
    co_return co_await within(deps_.clock, options_.timeout, std::move(reserved));
}

}  // namespace muster::presence
