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
        around_.log.debug(
            "following the bus anew",
            {{"pattern", pattern}, {"reason", ended ? "" : to_string(ended.error())}});
        const auto slept = co_await around_.time.sleep_for(how_.retry_pause);
        if (!slept) co_return;
    }
}

async<void> subscriber::follow(
    std::string pattern, void (subscriber::*take)(const stream::message&)) {
    CO_TRY(const auto feed, co_await around_.doorbell.subscribe(std::move(pattern)));
    while (true) {
        CO_TRY(const auto heard, co_await feed->next());
        (this->*take)(heard);
    }
}

void subscriber::take_report(const stream::message& what) {
    const auto told = decode_report(what.payload);
    if (!told) {
        ++malformed_;
        return;
    }
    // Old and doubled messages come from a bus as a matter of course.
    static_cast<void>(around_.kept.apply(*told, around_.time.now()));
}

void subscriber::take_load(const stream::message& what) {
    const auto told = decode_load(what.payload);
    if (!told) {
        ++malformed_;
        return;
    }
    around_.loads.apply(*told, around_.time.now());
}

boost::asio::awaitable<void> subscriber::drop_the_lost() {
    while (true) {
        const instant oldest = around_.time.now() - how_.silence_max;
        for (const auto node : around_.kept.expire(oldest))
            around_.log.warning("a node tells nothing any more", {{"node", node.value()}});
        around_.loads.expire(oldest);
        look_for_absent(around_.time.now());
        const auto slept = co_await around_.time.sleep_for(how_.look_interval);
        if (!slept) co_return;
    }
}

void subscriber::look_for_absent(instant now) {
    const auto known = around_.topology.read();
    for (const auto& [number, counted] : around_.kept.by_node()) {
        const auto* node = known->find_node(number);
        const bool there = node != nullptr && known->servers.contains(node->name);
        if (there || counted.attached == 0) {
            absent_since_.erase(number);
            continue;
        }
        const auto since = absent_since_.try_emplace(number, now).first->second;
        if (now - since < how_.absence_max) continue;
        around_.kept.node_lost(number, around_.time.wall());
        absent_since_.erase(number);
    }
}

}  // namespace muster::presence
