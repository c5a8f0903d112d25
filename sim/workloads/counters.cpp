#include "sim/workloads/counters.h"

#include "sim/engines/metastore.h"

#include <fmt/format.h>

namespace muster::sim {

namespace {

std::int64_t value_of(const kv::lookup& lookup) {
    return lookup.found ? std::stoll(lookup.found->value) : 0;
}

}  // namespace

void counters::start(cluster& stage) {
    stage_ = &stage;
    for (std::int64_t i = 1; i <= options_.clients; ++i) {
        add_client(stage, fmt::format("counting{}", i), [this, &stage](process& self) {
            auto store = open_metastore(stage, self, "metastore");
            self.spawn("increment", increment_for_ever(self, std::move(store)));
        });
    }
}

boost::asio::awaitable<void> counters::increment_for_ever(
    process& self, std::shared_ptr<metastore> metastore) {
    prng& random = self.where().random("counting of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "nobody cancels it");
        const auto which = random.below(static_cast<std::uint64_t>(options_.counters));
        co_await increment(self, metastore, fmt::format("{}{}", prefix, which));
    }
}

boost::asio::awaitable<void> counters::increment(
    process& self, std::shared_ptr<metastore> metastore, std::string key) {
    tally& tally = tallies_[key];
    const std::int64_t least = tally.acknowledged;
    const auto observed = co_await metastore->get(key);
    if (!observed) co_return;
    const std::int64_t value = value_of(*observed);
    check_value(self.where(), key, value, least);

    kv::transaction change;
    if (observed->found) {
        change.when.emplace_back(kv::unchanged{key, observed->found->modified});
    } else {
        change.when.emplace_back(kv::absent{key});
    }
    change.then.emplace_back(kv::put{key, std::to_string(value + 1)});
    ++tally.begun;
    const auto verdict = co_await metastore->commit(std::move(change));
    if (verdict && verdict->committed) ++tally.acknowledged;
    const bool refused = verdict && !verdict->committed;
    const bool unavailable = !verdict && verdict.error().code() == errc::unavailable;
    if (refused || unavailable) ++tally.not_made;
}

void counters::check_value(
    world& where, const std::string& key, std::int64_t value, std::int64_t least) {
    where.tracing.fold(static_cast<std::uint64_t>(value));
    const tally& tally = tallies_[key];
    if (value < least) {
        where.violated(fmt::format(
            "{} is {}, but {} increments were acknowledged before it was read", key, value, least));
    }
    if (value > tally.begun - tally.not_made) {
        where.violated(fmt::format(
            "{} is {}, but only {} increments can have been made",
            key,
            value,
            tally.begun - tally.not_made));
    }
}

boost::asio::awaitable<void> counters::check_at_end(process& checker) {
    const auto store = open_metastore(*stage_, checker, "metastore");
    for (const auto& [key, mine] : tallies_) {
        const auto observed = co_await store->get(key);
        if (observed) {
            check_value(checker.where(), key, value_of(*observed), mine.acknowledged);
        } else {
            checker.where().violated(
                "reading " + key + " at the end: " + to_string(observed.error()));
        }
    }
}

std::string counters::summary() const {
    tally sum;
    for (const auto& [key, each] : tallies_) {
        sum.begun += each.begun;
        sum.not_made += each.not_made;
        sum.acknowledged += each.acknowledged;
    }
    return fmt::format(
        "{} increments acknowledged, {} refused, {} in doubt",
        sum.acknowledged,
        sum.not_made,
        sum.begun - sum.not_made - sum.acknowledged);
}

}  // namespace muster::sim
