#include "services/presence/presence_history_pruner.h"

#include "ports/deadline.h"
#include "services/presence/history_rows.h"
#include "services/presence/presence_tables.h"

#include <string>
#include <utility>

namespace muster::presence::history {
namespace {

bool is_missed(membership::node_state state) {
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

async<void> presence_history_pruner::look() {
    const auto topology = deps_.topology.read();
    if (topology == seen_) co_return result<void>();
    std::set<std::pair<node_number, wall_time>> current;
    for (const auto& [name, node] : topology->nodes) {
        if (!is_missed(node.state) || !node.number) continue;
        // What is older than all that is kept would only be dropped again.
        if (node.since < deps_.clock.wall() - options_.keep) continue;
        current.insert({node.number, node.since});
        if (marked_.contains({node.number, node.since})) continue;
        const mark noticed{.node = node.number, .at = node.since};
        auto writing =
            deps_.ledger.write(encode(noticed, std::string(membership::to_string(node.state))));
        CO_CHECK_OK(co_await within(deps_.clock, options_.timeout, std::move(writing)));
    }
    marked_ = std::move(current);
    seen_ = topology;
    co_return result<void>();
}

// The chapters first: what is not in one is not looked for.
async<void> presence_history_pruner::tidy() {
    const auto before = deps_.clock.wall() - options_.keep - 2 * chapter_length;
    for (const auto table :
         {presence_chapters_table,
          presence_sets_table,
          presence_changes_table,
          presence_marks_table}) {
        auto dropping = deps_.ledger.retire(std::string(table), before);
        CO_CHECK_OK(co_await within(deps_.clock, options_.timeout, std::move(dropping)));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> presence_history_pruner::run(const std::atomic<bool>& active) {
    bool well = true;
    while (true) {
        if (active) {
            auto done = co_await look();
            const auto now = deps_.clock.now();
            if (done && now >= tidy_due_) {
                done = co_await tidy();
                if (done) tidy_due_ = now + options_.tidy_interval;
            }
            if (!done && done.error().code() == errc::cancelled) co_return;
            if (!done && std::exchange(well, false))
                deps_.log.warning(
                    "the record of who was attached is not tended",
                    {{"reason", to_string(done.error())}});
            if (done) well = true;
        } else {
            seen_.reset();
            marked_.clear();
        }
        const auto slept = co_await deps_.clock.sleep_for(options_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::presence::history
