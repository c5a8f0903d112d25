#include "services/presence/publisher.h"

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
        const auto known = around_.topology.read();
        const auto own = known->nodes.find(how_.node);
        // Before it is listed and has a number and a zone nobody can be attached to it.
        if (how_.start() != 0 && own != known->nodes.end() && own->second.number
            && !own->second.zone.empty()) {
            auto told = co_await tell_presence(&own->second);
            if (told) told = co_await tell_load(&own->second);
            if (!told) whole_due_ = instant();
            if (!told && !std::exchange(failing_, true))
                around_.log.warning(
                    "presence is not told: the bus does not take it",
                    {{"reason", to_string(told.error())}});
            if (told) failing_ = false;
        }
        const auto slept = co_await around_.time.sleep_for(how_.change_interval);
        if (!slept) co_return;
    }
}

report publisher::empty_report(const cluster::node_record& own) const {
    return {
        .node = own.number,
        .zone = own.zone,
        .start = how_.start(),
        .sequence = sequence_ + 1,
        .at = seconds_of(around_.time.wall())};
}

void publisher::owe(const attendance::changes& news) {
    for (const auto& each : news.departures)
        if (departed_.size() < owed_max || departed_.contains(each.system))
            departed_.insert_or_assign(each.system, each);
    for (const auto& each : news.arrivals) departed_.erase(each.system);
    for (const auto each : news.started)
        if (started_.size() < owed_max) started_.insert(each);
}

async<void> publisher::tell_presence(const cluster::node_record* own) {
    auto changes = around_.attached.take_changes();
    if (around_.noted) around_.noted(changes);
    owe(changes);
    const auto now = around_.time.now();
    report next = empty_report(*own);
    if (now >= whole_due_) {
        next.arrivals = around_.attached.all();
        next.whole = report::range{system_number(1), system_number(INT32_MAX)};
    } else {
        if (changes.arrivals.empty() && departed_.empty()) co_return result<void>();
        next.arrivals = std::move(changes.arrivals);
    }
    for (const auto& [system, left] : departed_) next.departures.push_back(left);
    const bool whole = next.whole.has_value();
    const auto parts = split(std::move(next));
    sequence_ += parts.size();
    const std::string subject = report_subject + own->zone + "." + how_.node;
    for (const auto& part : parts) {
        CO_CHECK_OK(co_await publish(subject, encode(part)));
    }
    departed_.clear();
    if (whole) whole_due_ = now + how_.whole_interval;
    co_return co_await tell_started();
}

async<void> publisher::tell_started() {
    while (!started_.empty()) {
        boost::json::array numbers;
        auto end = started_.begin();
        for (; end != started_.end() && numbers.size() < started_a_message_max; ++end)
            numbers.emplace_back(end->value());
        boost::json::object told{{"node", how_.node}, {"systems", std::move(numbers)}};
        CO_CHECK_OK(co_await publish(started_subject, boost::json::serialize(told)));
        started_.erase(started_.begin(), end);
    }
    co_return result<void>();
}

async<void> publisher::tell_load(const cluster::node_record* own) {
    const auto now = around_.time.now();
    if (now < load_due_) co_return result<void>();
    load_due_ = now + how_.load_interval;
    const auto used = around_.used();
    const load_report told{
        .node = how_.node,
        .zone = own->zone,
        .attached = static_cast<std::int64_t>(around_.attached.size()),
        .cpu_seconds = used.cpu_seconds,
        .cores = used.cores,
        .memory_bytes = used.memory_bytes,
        .start = how_.start(),
        .at = around_.time.wall()};
    co_return co_await publish(load_subject + own->zone + "." + how_.node, encode(told));
}

async<void> publisher::publish(std::string subject, std::string payload) {
    stream::message what{.subject = std::move(subject), .payload = std::move(payload), .id = {}};
    auto taken = around_.doorbell.publish(std::move(what));
    co_return co_await within(around_.time, how_.patience, std::move(taken));
}

}  // namespace muster::presence
