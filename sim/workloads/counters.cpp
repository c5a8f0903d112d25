#include "sim/workloads/counters.h"

#include "sim/engines/metastore.h"

#include <fmt/format.h>

namespace muster::sim {

namespace {

std::int64_t value_of(const kv::lookup& lookup) {
    return lookup.found ? std::stoll(lookup.found->value) : 0;
}

}  // namespace

void counters::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    for (std::int64_t i = 1; i <= options_.clients; ++i) {
        add_client(cluster, fmt::format("counting{}", i), [this, &cluster](process& self) {
            auto metastore = open_metastore(cluster, self, "metastore");
            self.spawn("increment", increment_for_ever(self, std::move(metastore)));
        });
    }
}

boost::asio::awaitable<void> counters::increment_for_ever(
    process& self, std::shared_ptr<metastore> metastore) {
    prng& random = self.simulation().random("counting of " + self.name());
    const auto think = static_cast<std::uint64_t>(options_.think.count());
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(1 + random.below(2 * think));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        const auto counter = random.below(static_cast<std::uint64_t>(options_.counters));
        co_await increment(self, metastore, fmt::format("{}{}", prefix, counter));
    }
}

boost::asio::awaitable<void> counters::increment(
    process& self, std::shared_ptr<metastore> metastore, std::string key) {
    tally& tally = tallies_[key];
    const std::int64_t least = tally.acknowledged;
    const auto observed = co_await metastore->get(key);
    if (!observed) co_return;
    const std::int64_t value = value_of(*observed);
    check_value(self.simulation(), key, value, least);

    kv::transaction change;
    if (observed->found) {
        change.when.emplace_back(kv::unchanged{key, observed->found->modified});
    } else {
        change.when.emplace_back(kv::absent{key});
    }
    change.then.emplace_back(kv::put{key, std::to_string(value + 1)});
    ++tally.attempted;
    const auto outcome = co_await metastore->commit(std::move(change));
    if (outcome && outcome->committed) ++tally.acknowledged;
    const bool refused = outcome && !outcome->committed;
    const bool unavailable = !outcome && outcome.error().code() == errc::unavailable;
    if (refused || unavailable) ++tally.rejected;
}

void counters::check_value(
    sim::simulation& simulation, const std::string& key, std::int64_t value, std::int64_t least) {
    simulation.tracing.fold(static_cast<std::uint64_t>(value));
    const tally& tally = tallies_[key];
    if (value < least) {
        simulation.violated(fmt::format(
            "{} is {}, but {} increments were acknowledged before it was read", key, value, least));
    }
    if (value > tally.attempted - tally.rejected) {
        simulation.violated(fmt::format(
            "{} is {}, but at most {} increments were possible",
            key,
            value,
            tally.attempted - tally.rejected));
    }
}

boost::asio::awaitable<void> counters::check_at_end(process& checker) {
    const auto metastore = open_metastore(*cluster_, checker, "metastore");
    for (const auto& [key, counted] : tallies_) {
        const auto observed = co_await metastore->get(key);
        if (observed) {
            check_value(checker.simulation(), key, value_of(*observed), counted.acknowledged);
        } else {
            checker.simulation().violated(
                "reading " + key + " at the end: " + to_string(observed.error()));
        }
    }
}

std::string counters::summary() const {
    tally sum;
    for (const auto& [key, counter] : tallies_) {
        sum.attempted += counter.attempted;
        sum.rejected += counter.rejected;
        sum.acknowledged += counter.acknowledged;
    }
    return fmt::format(
        "{} increments acknowledged, {} refused, {} with unknown result",
        sum.acknowledged,
        sum.rejected,
        sum.attempted - sum.rejected - sum.acknowledged);
}

}  // namespace muster::sim
