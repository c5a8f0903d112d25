#include "services/presence/subscriber.h"

#include "services/presence/publisher.h"
#include "services/presence/report_codec.h"

#include <string>
#include <utility>

namespace muster::presence {

boost::asio::awaitable<void> subscriber::follow_reports() {
    return keep_following(std::string(report_subject) + ">", &subscriber::take_report);
}

boost::asio::awaitable<void> subscriber::follow_loads() {
    return keep_following(std::string(load_subject) + ">", &subscriber::take_load);
}

boost::asio::awaitable<void> subscriber::keep_following(
    std::string pattern, void (subscriber::*take)(const stream::message&)) {
    while (true) {
        const auto ended = co_await follow(pattern, take);
        deps_.log.debug(
            "following the bus anew",
            {{"pattern", pattern}, {"reason", ended ? "" : to_string(ended.error())}});
        const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

async<void> subscriber::follow(
    std::string pattern, void (subscriber::*take)(const stream::message&)) {
    CO_TRY(const auto feed, co_await deps_.bus.subscribe(std::move(pattern)));
    while (true) {
        CO_TRY(const auto message, co_await feed->next());
        (this->*take)(message);
    }
}

void subscriber::take_report(const stream::message& message) {
    const auto report = decode_report(message.payload);
    if (!report) {
        ++malformed_;
        return;
    }
    // Old and doubled messages come from a bus as a matter of course.
    static_cast<void>(deps_.presence.apply(*report, deps_.clock.now()));
}

void subscriber::take_load(const stream::message& message) {
    const auto load = decode_load(message.payload);
    if (!load) {
        ++malformed_;
        return;
    }
    deps_.loads.apply(*load, deps_.clock.now());
}

boost::asio::awaitable<void> subscriber::drop_the_lost() {
    while (true) {
        const instant oldest = deps_.clock.now() - options_.silence_max;
        for (const auto node : deps_.presence.expire(oldest))
            deps_.log.warning("a node tells nothing any more", {{"node", node.value()}});
        deps_.loads.expire(oldest);
        look_for_absent(deps_.clock.now());
        const auto slept = co_await deps_.clock.sleep_for(options_.look_interval);
        if (!slept) co_return;
    }
}

void subscriber::look_for_absent(instant now) {
    const auto topology = deps_.topology.read();
    for (const auto& [number, counted] : deps_.presence.by_node()) {
        const auto* node = topology->find_node(number);
        const bool there = node != nullptr && topology->servers.contains(node->name);
        if (there || counted.attached == 0) {
            absent_since_.erase(number);
            continue;
        }
        const auto since = absent_since_.try_emplace(number, now).first->second;
        if (now - since < options_.absence_max) continue;
        deps_.presence.node_lost(number, deps_.clock.wall());
        absent_since_.erase(number);
    }
}

}  // namespace muster::presence
