#include "services/presence/presence_history_pruner.h"

#include "ports/deadline.h"
#include "services/presence/history_rows.h"
#include "services/presence/presence_tables.h"

#include <string>
#include <utility>

namespace muster::presence::history {
namespace {

bool is_missing(membership::node_state state) {
    switch (state) {
        case membership::node_state::offline:
        case membership::node_state::suspect:
        case membership::node_state::faulty:
            return true;
        case membership::node_state::pooled:
        case membership::node_state::staged:
        case membership::node_state::serving:
            return false;
    }
    return false;
}

}  // namespace

async<void> presence_history_pruner::record_missing_nodes() {
    const auto topology = deps_.topology.read();
    if (topology == checked_) co_return result<void>();
    std::set<std::pair<node_number, wall_time>> current;
    for (const auto& [name, node] : topology->nodes) {
        if (!is_missing(node.state) || !node.number) continue;
        // Marks past the retention would be dropped again.
        if (node.since < deps_.clock.wall() - options_.retention) continue;
        current.insert({node.number, node.since});
        if (marked_.contains({node.number, node.since})) continue;
        const missing_mark mark{.node = node.number, .at = node.since};
        auto writing =
            deps_.ledger.write(encode(mark, std::string(membership::to_string(node.state))));
        CO_CHECK_OK(co_await within(deps_.clock, options_.timeout, std::move(writing)));
    }
    marked_ = std::move(current);
    checked_ = topology;
    co_return result<void>();
}

// Drops the periods first: readers look only for data of existing periods.
async<void> presence_history_pruner::prune() {
    const auto before = deps_.clock.wall() - options_.retention - 2 * period_length;
    for (const auto table :
         {presence_chapters_table,
          presence_sets_table,
          presence_changes_table,
          presence_marks_table}) {
        auto dropping = deps_.ledger.drop_partitions(std::string(table), before);
        CO_CHECK_OK(co_await within(deps_.clock, options_.timeout, std::move(dropping)));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> presence_history_pruner::run(const std::atomic<bool>& active) {
    bool last_succeeded = true;
    while (true) {
        if (active) {
            auto worked = co_await record_missing_nodes();
            const auto now = deps_.clock.now();
            if (worked && now >= prune_due_) {
                worked = co_await prune();
                if (worked) prune_due_ = now + options_.prune_interval;
            }
            if (!worked && worked.error().code() == errc::cancelled) co_return;
            if (!worked && std::exchange(last_succeeded, false))
                deps_.log.warning(
                    "presence history pruning failed", {{"error", to_string(worked.error())}});
            if (worked) last_succeeded = true;
        } else {
            checked_.reset();
            marked_.clear();
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::presence::history
