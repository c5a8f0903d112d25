#include "services/presence/subscriber.h"

#include "services/presence/publisher.h"
#include "services/presence/report_codec.h"

#include <string>
#include <utility>

namespace muster::presence {

boost::asio::awaitable<void> subscriber::follow_reports() {
    return follow_forever(std::string(report_subject) + ">", &subscriber::apply_report);
}

boost::asio::awaitable<void> subscriber::follow_loads() {
    return follow_forever(std::string(load_subject) + ">", &subscriber::apply_load);
}

boost::asio::awaitable<void> subscriber::follow_forever(
    std::string pattern, void (subscriber::*apply)(const stream::message&)) {
    while (true) {
        const auto ended = co_await follow(pattern, apply);
        deps_.log.debug(
            "bus subscription ended; subscribing again",
            {{"pattern", pattern}, {"error", ended ? "" : to_string(ended.error())}});
        const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

async<void> subscriber::follow(
    std::string pattern, void (subscriber::*apply)(const stream::message&)) {
    CO_TRY(const auto feed, co_await deps_.bus.subscribe(std::move(pattern)));
    while (true) {
        CO_TRY(const auto message, co_await feed->next());
        (this->*apply)(message);
    }
}

void subscriber::apply_report(const stream::message& message) {
    const auto report = decode_report(message.payload);
    if (!report) {
        ++malformed_;
        return;
    }
    // A bus may deliver old and duplicate messages; the cache ignores them.
    static_cast<void>(deps_.presence.apply(*report, deps_.clock.now()));
}

void subscriber::apply_load(const stream::message& message) {
    const auto load = decode_load(message.payload);
    if (!load) {
        ++malformed_;
        return;
    }
    deps_.loads.apply(*load, deps_.clock.now());
}

boost::asio::awaitable<void> subscriber::expire_nodes() {
    while (true) {
        const instant oldest = deps_.clock.now() - options_.silence_max;
        for (const auto node : deps_.presence.expire(oldest))
            deps_.log.warning("presence reports missing", {{"node", node.value()}});
        deps_.loads.expire(oldest);
        expire_absent(deps_.clock.now());
        const auto slept = co_await deps_.clock.sleep_for(options_.check_interval);
        if (!slept) co_return;
    }
}

void subscriber::expire_absent(instant now) {
    const auto topology = deps_.topology.read();
    for (const auto& [number, node_count] : deps_.presence.by_node()) {
        const auto* node = topology->find_node(number);
        const bool online = node != nullptr && topology->servers.contains(node->name);
        if (online || node_count.attached == 0) {
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
