#include "services/events/event_bus_publisher.h"

#include "core/events/event_kind.h"

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <string>
#include <utility>

namespace muster::events {
namespace {

using namespace std::chrono_literals;
namespace json = boost::json;

constexpr std::size_t page_items = 1'000;
constexpr auto publish_interval = 200ms;  // at most five messages a second
constexpr auto timeout = 2'000ms;
constexpr auto idle_interval = 1s;

}  // namespace

async<event_position> event_bus_publisher::publish(event_position after) {
    const auto filter = filter_of(std::string_view());
    if (!filter) co_return fail(filter.error());
    CO_TRY(const auto page, co_await events_.read(*filter, after, page_items));
    std::map<std::string, std::int64_t> counts_by_kind;
    for (const auto& item : page.items) ++counts_by_kind[item.event.kind];
    if (counts_by_kind.empty()) co_return page.next;
    json::object counts;
    for (const auto& [kind, count] : counts_by_kind) counts[kind] = count;
    const auto next = to_string(page.next);
    const json::object message{{"counts", std::move(counts)}, {"next", next}};
    bus_.publish(
        {.subject = std::string(subject),
         .payload = json::serialize(message),
         .id = "events/" + next});
    co_return page.next;
}

async<void> event_bus_publisher::follow(const std::atomic<bool>& active) {
    const auto filter = filter_of(std::string_view());
    if (!filter) co_return fail(filter.error());
    CO_TRY(auto position, co_await events_.end());
    while (active) {
        CO_TRY(position, co_await publish(position));
        CO_CHECK_OK(co_await events_.clock().sleep_for(publish_interval));
        CO_CHECK_OK(co_await events_.wait(*filter, position, timeout));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> event_bus_publisher::run(const std::atomic<bool>& active) {
    while (true) {
        auto outcome = active ? co_await follow(active) : result<void>();
        if (!outcome && outcome.error().code() == errc::cancelled) co_return;
        if (!outcome)
            log_.debug("event notification not published", {{"error", to_string(outcome.error())}});
        const auto slept = co_await events_.clock().sleep_for(idle_interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::events
