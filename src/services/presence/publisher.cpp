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

constexpr std::size_t started_per_message_max = 10'000;

}  // namespace

boost::asio::awaitable<void> publisher::run() {
    while (true) {
        const auto topology = deps_.topology.read();
        const auto node = topology->nodes.find(options_.node);
        // No system can be attached before the node is listed with a number and a zone.
        if (start() != 0 && node != topology->nodes.end() && node->second.number
            && !node->second.zone.empty()) {
            auto published = co_await publish_presence(&node->second);
            if (published) published = co_await publish_load(&node->second);
            if (!published) full_report_due_ = instant();
            if (!published && !std::exchange(failing_, true))
                deps_.log.warning(
                    "online status of systems not published; retrying",
                    {{"error", to_string(published.error())}});
            if (published) failing_ = false;
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.change_interval);
        if (!slept) co_return;
    }
}

std::uint64_t publisher::start() const {
    return static_cast<std::uint64_t>(deps_.start.first_listed());
}

report publisher::empty_report(const cluster::node_record& node) const {
    return {
        .node = node.number,
        .zone = node.zone,
        .start = start(),
        .sequence = sequence_ + 1,
        .at = to_seconds(deps_.clock.wall())};
}

void publisher::add_unpublished(const attached_agents::changes& changes) {
    for (const auto& event : changes.detach_events)
        if (unpublished_detaches_.size() < unpublished_max
            || unpublished_detaches_.contains(event.system))
            unpublished_detaches_.insert_or_assign(event.system, event);
    for (const auto& event : changes.attach_events) unpublished_detaches_.erase(event.system);
    for (const auto system : changes.started)
        if (unpublished_starts_.size() < unpublished_max) unpublished_starts_.insert(system);
}

async<void> publisher::publish_presence(const cluster::node_record* node) {
    auto changes = deps_.attached.take_changes();
    if (deps_.history != nullptr) deps_.history->record(changes);
    add_unpublished(changes);
    const auto now = deps_.clock.now();
    report next = empty_report(*node);
    if (now >= full_report_due_) {
        next.attach_events = deps_.attached.all();
        next.complete_range = report::range{system_number(1), system_number(INT32_MAX)};
    } else {
        if (changes.attach_events.empty() && unpublished_detaches_.empty())
            co_return result<void>();
        next.attach_events = std::move(changes.attach_events);
    }
    for (const auto& [system, event] : unpublished_detaches_) next.detach_events.push_back(event);
    const bool is_full = next.complete_range.has_value();
    const auto parts = split(std::move(next));
    sequence_ += parts.size();
    const std::string subject = report_subject + node->zone + "." + options_.node;
    for (const auto& part : parts) {
        CO_CHECK_OK(co_await publish(subject, encode(part)));
    }
    unpublished_detaches_.clear();
    if (is_full) full_report_due_ = now + options_.full_report_interval;
    co_return co_await publish_started();
}

async<void> publisher::publish_started() {
    while (!unpublished_starts_.empty()) {
        boost::json::array numbers;
        auto end = unpublished_starts_.begin();
        for (; end != unpublished_starts_.end() && numbers.size() < started_per_message_max; ++end)
            numbers.emplace_back(end->value());
        boost::json::object payload{{"node", options_.node}, {"systems", std::move(numbers)}};
        CO_CHECK_OK(co_await publish(started_subject, boost::json::serialize(payload)));
        unpublished_starts_.erase(unpublished_starts_.begin(), end);
    }
    co_return result<void>();
}

async<void> publisher::publish_load(const cluster::node_record* node) {
    const auto now = deps_.clock.now();
    if (now < load_due_) co_return result<void>();
    load_due_ = now + options_.load_interval;
    const auto usage = os::read_process_usage();
    const load_report report{
        .node = options_.node,
        .zone = node->zone,
        .attached = static_cast<std::int64_t>(deps_.attached.size()),
        .cpu_seconds = usage.cpu_seconds,
        .cores = usage.cores,
        .memory_bytes = usage.memory_bytes,
        .start = start(),
        .at = deps_.clock.wall()};
    co_return co_await publish(load_subject + node->zone + "." + options_.node, encode(report));
}

async<void> publisher::publish(std::string subject, std::string payload) {
    stream::message message{.subject = std::move(subject), .payload = std::move(payload), .id = {}};
    auto publishing = deps_.bus.publish(std::move(message));
    co_return co_await within(deps_.clock, options_.timeout, std::move(publishing));
}

}  // namespace muster::presence
