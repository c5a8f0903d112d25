#include "services/cluster/prefix_follower.h"

#include "ports/deadline.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

namespace muster::cluster {

// Read whole, then told at once: nobody sees half of it.
async<kv::revision> prefix_follower::read_all() {
    kv::range_request next{.prefix = options_.prefix, .limit = options_.page_entries};
    std::optional<kv::revision> first;
    std::vector<kv::entry> entries;
    while (true) {
        CO_TRY(auto page, co_await metastore_.range(next));
        if (!first) first = page.at;
        std::ranges::move(page.entries, std::back_inserter(entries));
        if (!page.more || entries.empty()) break;
        next.after = entries.back().key;
    }
    complete_ = true;
    tell_.read(std::move(entries), *first);
    co_return *first;
}

// Ends with errc::timed_out when it is time to reconcile, and without an error after a compaction.
async<void> prefix_follower::follow_from(kv::revision next) {
    const auto watch = metastore_.watch(options_.prefix, next);
    const instant reconcile_at = clock_.now() + options_.reconcile_interval;
    while (true) {
        const auto left = std::max(reconcile_at - clock_.now(), monotonic::duration(1));
        CO_TRY(const auto event, co_await within(clock_, left, watch->next()));
        const auto* batch = std::get_if<kv::change_batch>(&event);
        if (batch == nullptr) co_return result<void>();
        tell_.changed(*batch);
    }
}

boost::asio::awaitable<void> prefix_follower::run() {
    std::string last_said;
    while (true) {
        const auto first = co_await read_all();
        result<void> outcome;
        if (first) {
            outcome = co_await follow_from(first->next());
            if (outcome || outcome.error().code() == errc::timed_out) {
                last_said.clear();
                continue;
            }
        } else {
            outcome = fail(first.error());
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        const auto string = to_string(outcome.error());
        if (std::exchange(last_said, string) != string)
            log_.warning(options_.what + " cannot be followed now", {{"reason", string}});
        const auto slept = co_await clock_.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

}  // namespace muster::cluster
