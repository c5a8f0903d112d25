#include "sim/workloads/leases.h"

#include "sim/engines/metastore.h"

#include <fmt/format.h>

namespace muster::sim {

using namespace std::chrono_literals;

namespace {

constexpr const char* prefix = "leases/";
constexpr const char* holder_key = "leases/holder";
constexpr const char* work_key = "leases/work";

}  // namespace

void leases::start(sim::cluster& cluster) {
    cluster_ = &cluster;
    for (std::int64_t i = 1; i <= options_.clients; ++i) {
        add_client(cluster, fmt::format("holding{}", i), [this, &cluster](process& self) {
            auto metastore = open_metastore(cluster, self, "metastore");
            self.spawn("compete", compete(self, std::move(metastore)));
        });
    }
    // Not listed among the clients: it must not miss anything.
    process_options observing{.name = "observer", .clock = {}, .disk = {}};
    process& observer = cluster.add(std::move(observing), [this, &cluster](process& self) {
        self.spawn("observe", observe(self, open_metastore(cluster, self, "metastore")));
    });
    observer.start();
}

boost::asio::awaitable<void> leases::compete(process& self, std::shared_ptr<metastore> metastore) {
    prng& random = self.simulation().random("competing of " + self.name());
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(100 + random.below(400));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
        const auto lease = co_await metastore->grant(options_.ttl);
        if (!lease) continue;
        const std::string holder_id = fmt::format("{}#{}", self.name(), ++claims_);
        kv::transaction acquisition;
        acquisition.when.emplace_back(kv::absent{holder_key});
        acquisition.then.emplace_back(kv::put{holder_key, holder_id, *lease});
        const auto acquired = co_await metastore->commit(std::move(acquisition));
        if (acquired && acquired->committed) co_await hold(self, metastore, *lease, holder_id);
        ignore_error(co_await metastore->revoke(*lease), "otherwise the lease expires");
    }
}

boost::asio::awaitable<void> leases::hold(
    process& self,
    std::shared_ptr<metastore> metastore,
    kv::lease_id lease,
    std::string holder_id) {
    prng& random = self.simulation().random("holding of " + self.name());
    for (auto rounds = 1 + random.below(20); rounds > 0 && !winding_down(); --rounds) {
        const instant renewed_at = self.clock().now();
        const auto renewed = co_await metastore->keep_alive(lease);
        if (!renewed) co_return;
        // Clocks differ by some hundred parts in a million.
        const instant held_until = renewed_at + options_.ttl - options_.ttl / 1000;
        if (!co_await work(self, metastore, holder_id, held_until)) co_return;
        const auto pause = std::chrono::milliseconds(random.below(1000));
        ignore_error(co_await self.clock().sleep_for(pause), "never cancelled");
    }
}

// Whether it still holds the key.
boost::asio::awaitable<bool> leases::work(
    process& self,
    std::shared_ptr<metastore> metastore,
    std::string holder_id,
    instant held_until) {
    kv::transaction write;
    write.when.emplace_back(kv::value_is{holder_key, holder_id});
    write.then.emplace_back(kv::put{work_key, holder_id});
    const auto written = co_await metastore->commit(std::move(write));
    if (!written) co_return true;  // it is not known; the next round will tell
    if (!written->committed && self.clock().now() < held_until) {
        self.simulation().violated(self.name() + " lost the key while its lease was valid");
    }
    co_return written->committed;
}

boost::asio::awaitable<void> leases::observe(process& self, std::shared_ptr<metastore> metastore) {
    const auto watch = metastore->watch(prefix, kv::revision(1));
    while (true) {
        const auto event = co_await watch->next();
        const auto* batch = event ? std::get_if<kv::change_batch>(&*event) : nullptr;
        if (batch == nullptr) {
            self.simulation().violated("lease observer lost its watch");
            co_return;
        }
        for (const auto& change : batch->changes) check_change(self.simulation(), change);
    }
}

void leases::check_change(sim::simulation& simulation, const kv::change& change) {
    if (const auto* erased = std::get_if<kv::erased>(&change)) {
        if (erased->key == holder_key) holder_.reset();
        return;
    }
    const kv::entry& entry = std::get<kv::written>(change).entry;
    if (entry.key == holder_key) {
        if (holder_)
            simulation.violated(entry.value + " took the key while " + *holder_ + " held it");
        holder_ = entry.value;
        ++terms_seen_;
    } else if (entry.key == work_key) {
        ++writes_seen_;
        if (holder_ != entry.value) {
            simulation.violated(
                entry.value + " wrote while " + holder_.value_or("no process") + " held the key");
        }
    }
}

boost::asio::awaitable<void> leases::check_at_end(process& checker) {
    ignore_error(co_await checker.clock().sleep_for(2 * options_.ttl), "never cancelled");
    const auto metastore = open_metastore(*cluster_, checker, "metastore");
    const auto remaining = co_await metastore->get(holder_key);
    if (!remaining) {
        checker.simulation().violated(
            "reading the holder at the end: " + to_string(remaining.error()));
    } else if (remaining->found) {
        checker.simulation().violated("key is still held without lease renewal");
    }
    if (terms_seen_ == 0) checker.simulation().violated("no process ever held the key");
}

std::string leases::summary() const {
    return fmt::format("{} terms, {} writes by holders", terms_seen_, writes_seen_);
}

}  // namespace muster::sim
