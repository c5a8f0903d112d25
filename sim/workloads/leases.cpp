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

void leases::start(cluster& stage) {
    stage_ = &stage;
    for (std::int64_t i = 1; i <= options_.clients; ++i) {
        add_client(stage, fmt::format("holding{}", i), [this, &stage](process& self) {
            auto store = open_metastore(stage, self, "metastore");
            self.spawn("compete", compete(self, std::move(store)));
        });
    }
    // Not listed among the clients: it must not miss anything.
    process_options observing{.name = "observer", .clock = {}, .disk = {}};
    process& observer = stage.add(std::move(observing), [this, &stage](process& self) {
        self.spawn("observe", observe(self, open_metastore(stage, self, "metastore")));
    });
    observer.start();
}

boost::asio::awaitable<void> leases::compete(process& self, std::shared_ptr<metastore> metastore) {
    prng& random = self.where().random("competing of " + self.name());
    while (!winding_down()) {
        const auto pause = std::chrono::milliseconds(100 + random.below(400));
        ignore_error(co_await self.clock().sleep_for(pause), "nobody cancels it");
        const auto lease = co_await metastore->grant(options_.ttl);
        if (!lease) continue;
        const std::string claim = fmt::format("{}#{}", self.name(), ++claims_);
        kv::transaction taking;
        taking.when.emplace_back(kv::absent{holder_key});
        taking.then.emplace_back(kv::put{holder_key, claim, *lease});
        const auto reserved = co_await metastore->commit(std::move(taking));
        if (reserved && reserved->committed) co_await hold(self, metastore, *lease, claim);
        ignore_error(co_await metastore->revoke(*lease), "otherwise it ends by itself");
    }
}

boost::asio::awaitable<void> leases::hold(
    process& self, std::shared_ptr<metastore> metastore, kv::lease_id lease, std::string claim) {
    prng& random = self.where().random("holding of " + self.name());
    for (auto rounds = 1 + random.below(20); rounds > 0 && !winding_down(); --rounds) {
        const instant moment = self.clock().now();
        const auto stored = co_await metastore->keep_alive(lease);
        if (!stored) co_return;
        // Clocks differ by some hundred parts in a million.
        const instant sure_until = moment + options_.ttl - options_.ttl / 1000;
        if (!co_await work(self, metastore, claim, sure_until)) co_return;
        const auto pause = std::chrono::milliseconds(random.below(1000));
        ignore_error(co_await self.clock().sleep_for(pause), "nobody cancels it");
    }
}

// Whether it still holds the key.
boost::asio::awaitable<bool> leases::work(
    process& self, std::shared_ptr<metastore> metastore, std::string claim, instant sure_until) {
    kv::transaction writing;
    writing.when.emplace_back(kv::value_is{holder_key, claim});
    writing.then.emplace_back(kv::put{work_key, claim});
    const auto written = co_await metastore->commit(std::move(writing));
    if (!written) co_return true;  // it is not known; the next round will tell
    if (!written->committed && self.clock().now() < sure_until) {
        self.where().violated(self.name() + " lost the key while its lease was alive");
    }
    co_return written->committed;
}

boost::asio::awaitable<void> leases::observe(process& self, std::shared_ptr<metastore> metastore) {
    const auto watch = metastore->watch(prefix, kv::revision(1));
    while (true) {
        const auto event = co_await watch->next();
        const auto* batch = event ? std::get_if<kv::change_batch>(&*event) : nullptr;
        if (batch == nullptr) {
            self.where().violated("the observer of leases lost its watch");
            co_return;
        }
        for (const auto& change : batch->changes) see(self.where(), change);
    }
}

void leases::see(world& where, const kv::change& change) {
    if (const auto* gone = std::get_if<kv::erased>(&change)) {
        if (gone->key == holder_key) holder_.reset();
        return;
    }
    const kv::entry& now = std::get<kv::written>(change).now;
    if (now.key == holder_key) {
        if (holder_) where.violated(now.value + " took the key while " + *holder_ + " held it");
        holder_ = now.value;
        ++terms_seen_;
    } else if (now.key == work_key) {
        ++writes_seen_;
        if (holder_ != now.value) {
            where.violated(
                now.value + " wrote while " + holder_.value_or("nobody") + " held the key");
        }
    }
}

boost::asio::awaitable<void> leases::check_at_end(process& checker) {
    ignore_error(co_await checker.clock().sleep_for(2 * options_.ttl), "nobody cancels it");
    const auto store = open_metastore(*stage_, checker, "metastore");
    const auto left = co_await store->get(holder_key);
    if (!left) {
        checker.where().violated("reading the holder at the end: " + to_string(left.error()));
    } else if (left->found) {
        checker.where().violated("nobody keeps the lease alive, but the key is still held");
    }
    if (terms_seen_ == 0) checker.where().violated("nobody ever held the key");
}

std::string leases::summary() const {
    return fmt::format("{} terms, {} writes by holders", terms_seen_, writes_seen_);
}

}  // namespace muster::sim
