#include "sim/workloads/watchers.h"

#include "sim/engines/metastore.h"
#include "sim/workloads/counters.h"

#include <fmt/format.h>

namespace muster::sim {

using namespace std::chrono_literals;

void watchers::start(cluster& stage) {
    stage_ = &stage;
    for (std::int64_t i = 1; i <= clients_wanted_; ++i) {
        add_client(stage, fmt::format("watching{}", i), [this, &stage](process& self) {
            auto store = open_metastore(stage, self, "metastore");
            self.spawn("follow", follow(self, std::move(store)));
        });
    }
}

boost::asio::awaitable<void> watchers::follow(process& self, std::shared_ptr<metastore> metastore) {
    while (true) {
        const auto listing = co_await metastore->range({.prefix = counters::prefix});
        if (!listing) {
            ignore_error(co_await self.clock().sleep_for(100ms), "nobody cancels it");
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
            self.where().violated(self.name() + ": a watch failed: " + to_string(event.error()));
            co_return;
        }
        if (std::holds_alternative<kv::compacted>(*event)) co_return;  // list again
        see(self, std::get<kv::change_batch>(*event));
    }
}

void watchers::see(process& self, const kv::change_batch& batch) {
    view& view = views_[self.name()];
    kv::revision& revision = seen_up_to_[self.name()];
    for (const auto& change : batch.changes) {
        const auto* written = std::get_if<kv::written>(&change);
        if (written == nullptr) continue;  // counters are never erased
        ++changes_seen_;
        const std::int64_t value = std::stoll(written->now.value);
        const std::int64_t before = view[written->now.key];
        if (value != before + 1) {
            self.where().violated(fmt::format(
                "{} saw {} go from {} to {}", self.name(), written->now.key, before, value));
        }
        if (written->now.modified <= revision) {
            self.where().violated(self.name() + " was told of a revision it had seen");
        }
        view[written->now.key] = value;
    }
    revision = batch.up_to;
}

boost::asio::awaitable<void> watchers::check_at_end(process& checker) {
    const auto store = open_metastore(*stage_, checker, "metastore");
    const auto listing = co_await store->range({.prefix = counters::prefix});
    if (!listing) {
        checker.where().violated("listing at the end: " + to_string(listing.error()));
        co_return;
    }
    view truth;
    for (const auto& entry : listing->entries) truth[entry.key] = std::stoll(entry.value);
    for (const auto& [name, seen] : views_) {
        if (seen != truth) checker.where().violated(name + " does not see what the store holds");
    }
}

std::string watchers::summary() const {
    return fmt::format("{} changes seen, {} listings", changes_seen_, listings_);
}

}  // namespace muster::sim
