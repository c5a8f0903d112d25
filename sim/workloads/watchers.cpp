#include "sim/workloads/watchers.h"

#include "sim/engines/metastore.h"
#include "sim/workloads/counters.h"

#include <fmt/format.h>

namespace muster::sim {

using namespace std::chrono_literals;

void watchers::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    for (std::int64_t i = 1; i <= client_count_; ++i) {
        add_client(cluster, fmt::format("watching{}", i), [this, &cluster](process& self) {
            auto metastore = open_metastore(cluster, self, "metastore");
            self.spawn("follow", follow(self, std::move(metastore)));
        });
    }
}

boost::asio::awaitable<void> watchers::follow(process& self, std::shared_ptr<metastore> metastore) {
    while (true) {
        const auto listing = co_await metastore->range({.prefix = counters::prefix});
        if (!listing) {
            ignore_error(co_await self.clock().sleep_for(100ms), "never cancelled");
            continue;
        }
        ++listings_;
        view& view = views_[self.name()];
        view.clear();
        for (const auto& entry : listing->entries) view[entry.key] = std::stoll(entry.value);
        seen_up_to_[self.name()] = listing->at;
        co_await follow_from(self, metastore, listing->at.next());
    }
}

boost::asio::awaitable<void> watchers::follow_from(
    process& self, std::shared_ptr<metastore> metastore, kv::revision from) {
    const auto watch = metastore->watch(counters::prefix, from);
    while (true) {
        const auto event = co_await watch->next();
        if (!event) {
            self.simulation().violated(self.name() + ": watch failed: " + to_string(event.error()));
            co_return;
        }
        if (std::holds_alternative<kv::compacted>(*event)) co_return;  // list again
        check_batch(self, std::get<kv::change_batch>(*event));
    }
}

void watchers::check_batch(process& self, const kv::change_batch& batch) {
    view& view = views_[self.name()];
    kv::revision& revision = seen_up_to_[self.name()];
    for (const auto& change : batch.changes) {
        const auto* written = std::get_if<kv::written>(&change);
        if (written == nullptr) continue;  // counters are never erased
        ++changes_seen_;
        const std::int64_t value = std::stoll(written->entry.value);
        const std::int64_t before = view[written->entry.key];
        if (value != before + 1) {
            self.simulation().violated(fmt::format(
                "{} saw {} go from {} to {}", self.name(), written->entry.key, before, value));
        }
        if (written->entry.modified <= revision) {
            self.simulation().violated(self.name() + " received a revision twice");
        }
        view[written->entry.key] = value;
    }
    revision = batch.up_to;
}

boost::asio::awaitable<void> watchers::check_at_end(process& checker) {
    const auto metastore = open_metastore(*cluster_, checker, "metastore");
    const auto listing = co_await metastore->range({.prefix = counters::prefix});
    if (!listing) {
        checker.simulation().violated("listing at the end: " + to_string(listing.error()));
        co_return;
    }
    view expected;
    for (const auto& entry : listing->entries) expected[entry.key] = std::stoll(entry.value);
    for (const auto& [name, view_of_client] : views_) {
        if (view_of_client != expected)
            checker.simulation().violated(name + " differs from the store");
    }
}

std::string watchers::summary() const {
    return fmt::format("{} changes seen, {} listings", changes_seen_, listings_);
}

}  // namespace muster::sim
