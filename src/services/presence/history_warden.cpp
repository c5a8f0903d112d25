#include "services/presence/history_warden.h"

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

async<void> warden::look() {
    const auto known = around_.topology.read();
    if (known == seen_) co_return result<void>();
    std::set<std::pair<node_number, wall_time>> current;
    for (const auto& [name, node] : known->nodes) {
        if (!is_missed(node.state) || !node.number) continue;
        // What is older than all that is kept would only be dropped again.
        if (node.since < around_.time.wall() - how_.keep) continue;
        current.insert({node.number, node.since});
        if (marked_.contains({node.number, node.since})) continue;
        const mark noticed{.node = node.number, .at = node.since};
        auto writing =
            around_.records.write(encode(noticed, std::string(membership::to_string(node.state))));
        CO_CHECK_OK(co_await within(around_.time, how_.patience, std::move(writing)));
    }
    marked_ = std::move(current);
    seen_ = known;
    co_return result<void>();
}

// The chapters first: what is not in one is not looked for.
async<void> warden::tidy() {
    const auto before = around_.time.wall() - how_.keep - 2 * chapter_length;
    for (const auto table :
         {presence_chapters_table,
          presence_sets_table,
          presence_changes_table,
          presence_marks_table}) {
        auto dropping = around_.records.retire(std::string(table), before);
        CO_CHECK_OK(co_await within(around_.time, how_.patience, std::move(dropping)));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> warden::run(std::function<bool()> active) {
    bool well = true;
    while (true) {
        if (active()) {
            auto done = co_await look();
            const auto now = around_.time.now();
            if (done && now >= tidy_due_) {
                done = co_await tidy();
                if (done) tidy_due_ = now + how_.tidy_interval;
            }
            if (!done && done.error().code() == errc::cancelled) co_return;
            if (!done && std::exchange(well, false))
                around_.log.warning(
                    "the record of who was attached is not tended",
                    {{"reason", to_string(done.error())}});
            if (done) well = true;
        } else {
            seen_.reset();
            marked_.clear();
        }
        const auto slept = co_await around_.time.sleep_for(how_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::presence::history
