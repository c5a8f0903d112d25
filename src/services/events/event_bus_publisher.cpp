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
constexpr auto moment = 200ms;  // at most so many messages a second
constexpr auto timeout = 2'000ms;
constexpr auto idle_look = 1s;

}  // namespace

async<event_position> event_bus_publisher::ring(event_position from) {
    const auto everything = filter_of(std::string_view());
    if (!everything) co_return fail(everything.error());
    CO_TRY(const auto page, co_await events_.read(*everything, from, page_items));
    std::map<std::string, std::int64_t> counted;
    for (const auto& item : page.items) ++counted[item.event.kind];
    if (counted.empty()) co_return page.next;
    json::object counts;
    for (const auto& [kind_of_it, count] : counted) counts[kind_of_it] = count;
    const auto next = to_string(page.next);
    const json::object response{{"counts", std::move(counts)}, {"next", next}};
    bus_.announce(
        {.subject = std::string(subject),
         .payload = json::serialize(response),
         .id = "events/" + next});
    co_return page.next;
}

async<void> event_bus_publisher::follow(const std::atomic<bool>& active) {
    const auto everything = filter_of(std::string_view());
    if (!everything) co_return fail(everything.error());
    CO_TRY(auto where, co_await events_.end());
    while (active) {
        CO_TRY(where, co_await ring(where));
        CO_CHECK_OK(co_await events_.clock().sleep_for(moment));
        CO_CHECK_OK(co_await events_.wait(*everything, where, timeout));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> event_bus_publisher::run(const std::atomic<bool>& active) {
    while (true) {
        auto done = active ? co_await follow(active) : result<void>();
        if (!done && done.error().code() == errc::cancelled) co_return;
        if (!done) log_.debug("nobody is rung for events", {{"reason", to_string(done.error())}});
        const auto slept = co_await events_.clock().sleep_for(idle_look);
        if (!slept) co_return;
    }
}

}  // namespace muster::events
