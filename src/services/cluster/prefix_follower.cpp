#include "services/cluster/prefix_follower.h"

#include "ports/deadline.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

namespace muster::cluster {

// Reports only after the last page, so that no reader sees a part of the keys.
async<kv::revision> prefix_follower::read_all() {
    kv::range_request request{.prefix = options_.prefix, .limit = options_.page_entries};
    std::optional<kv::revision> first_revision;
    std::vector<kv::entry> entries;
    while (true) {
        CO_TRY(auto page, co_await metastore_.range(request));
        if (!first_revision) first_revision = page.at;
        std::ranges::move(page.entries, std::back_inserter(entries));
        if (!page.more || entries.empty()) break;
        request.after = entries.back().key;
    }
    complete_ = true;
    hooks_.on_read(std::move(entries), *first_revision);
    co_return *first_revision;
}

// Returns errc::timed_out when a reconciliation is due, and success after a compaction.
async<void> prefix_follower::follow_from(kv::revision first_revision) {
    const auto watch = metastore_.watch(options_.prefix, first_revision);
    const instant reconcile_at = clock_.now() + options_.reconcile_interval;
    while (true) {
        const auto remaining = std::max(reconcile_at - clock_.now(), monotonic::duration(1));
        CO_TRY(const auto event, co_await within(clock_, remaining, watch->next()));
        const auto* batch = std::get_if<kv::change_batch>(&event);
        if (batch == nullptr) co_return result<void>();
        hooks_.on_change(*batch);
    }
}

boost::asio::awaitable<void> prefix_follower::run() {
    std::string last_logged;
    while (true) {
        const auto revision = co_await read_all();
        result<void> followed;
        if (revision) {
            followed = co_await follow_from(revision->next());
            if (followed || followed.error().code() == errc::timed_out) {
                last_logged.clear();
                continue;
            }
        } else {
            followed = fail(revision.error());
        }
        if (followed.error().code() == errc::cancelled) co_return;
        const auto reason = to_string(followed.error());
        if (std::exchange(last_logged, reason) != reason)
            log_.warning(
                "metastore follow failed",
                {{"subject", options_.subject}, {"prefix", options_.prefix}, {"error", reason}});
        const auto slept = co_await clock_.sleep_for(options_.retry_pause);
        if (!slept) co_return;
    }
}

}  // namespace muster::cluster
