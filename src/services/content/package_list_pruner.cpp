#include "services/content/package_list_pruner.h"

#include "core/targeting/parser.h"
#include "services/fleet/yield_to_loop.h"

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace muster::content {
namespace {

constexpr auto pause_between = std::chrono::hours(24);
constexpr auto pause_first = std::chrono::hours(1);  // servers may be started anew every day
constexpr std::size_t looked_at_once = 500;

}  // namespace

async<std::size_t> package_list_pruner::sweep() {
    if (!deps_.search.facts_complete())
        co_return fail(
            errc::unavailable, "the facts of the systems are still loading; retry later");
    CO_CHECK_OK(co_await deps_.content.refresh());
    CO_TRY(const auto all, targeting::query::parse("*"));
    CO_TRY(const auto systems, deps_.search.resolve(all, {}));
    auto used = std::make_shared<std::set<std::string>>();
    for (const auto& each : deps_.content.all<profile>()) used->insert(each->digest);
    system_number next(1);
    for (bool over = false; !over; co_await fleet::yield_to_loop()) {
        const auto numbers = systems.page(next, looked_at_once);
        over = numbers.size() < looked_at_once;
        if (!over) next = numbers.back().next();
        for (const auto number : numbers)
            for (const auto& fact : deps_.search.facts_of(number))
                if (fact.path == "packages.digest") used->insert(fact.text);
    }
    co_return co_await deps_.sets.sweep(
        [used](const std::string& digest) { return used->contains(digest); });
}

boost::asio::awaitable<void> package_list_pruner::run() {
    monotonic::duration pause = pause_first;
    while (true) {
        const auto slept = co_await deps_.clock.sleep_for(std::exchange(pause, pause_between));
        if (!slept) co_return;
        const auto gone = co_await sweep();
        if (!gone && gone.error().code() == errc::cancelled) co_return;
        if (!gone)
            deps_.log.warning("package list pruning failed", {{"error", to_string(gone.error())}});
    }
}

}  // namespace muster::content
