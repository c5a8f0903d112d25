#include "services/cluster/registration.h"

#include "core/placement/slot_table.h"
#include "services/cluster/keys.h"
#include "services/cluster/topology_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::cluster {
namespace {

constexpr auto retry_pause = std::chrono::seconds(1);
constexpr monotonic::duration late_pause = std::chrono::milliseconds(500);

}  // namespace

async<void> registration::write_entry(kv::lease_id lease) {
    const auto key = keys::server(options_.own.name);
    CO_TRY(const auto there, co_await metastore_.get(key));
    kv::transaction change;
    if (there.found) {
        CO_TRY(const auto holder, decode_server(there.found->value));
        if (holder.instance != options_.own.instance)
            co_return fail(
                errc::conflict,
                fmt::format(
                    "another server named {} is in the cluster, at {}; names must differ (setting "
                    "`name`)",
                    holder.name,
                    holder.address));
        change.when.push_back(kv::unchanged{key, there.found->modified});
    } else {
        change.when.push_back(kv::absent{key});
    }
    change.then.push_back(kv::put{.key = key, .value = encode(options_.own), .lease = lease});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(errc::conflict, "the entry changed meanwhile");
    if (first_listed_ == 0) first_listed_ = verdict.at.value();
    co_return result<void>();
}

async<void> registration::enlist() {
    CO_TRY(const auto lease, co_await metastore_.grant(options_.ttl));
    const auto written = co_await write_entry(lease);
    if (!written) {
        // The lease would end by itself; giving it back keeps a long wait from piling them up.
        ignore_error(co_await metastore_.revoke(lease), "it ends by itself");
        co_return written;
    }
    lease_ = lease;
    co_return result<void>();
}

// A table that is only known to others is waited for: until the follower brings it, the guard is
// not renewed.
async<bool> registration::knows_newest_table() {
    const auto topology = deps_.topology.read();
    const auto own = topology->nodes.find(options_.own.name);
    if (own == topology->nodes.end() || own->second.zone.empty()) co_return true;
    const std::string zone = own->second.zone;
    CO_TRY(const auto newest, co_await metastore_.get(keys::epoch(zone)));
    if (!newest.found) co_return true;
    const auto observed = deps_.topology.read();  // it may have moved on while we asked
    const auto table = observed->slots.find(zone);
    if (table == observed->slots.end()) co_return false;
    CO_TRY(const auto epoch, decode_epoch(newest.found->value));
    co_return table->second->current() >= epoch;
}

async<void> registration::confirm() {
    const instant sent = deps_.clock.now();
    const auto stored = co_await metastore_.keep_alive(lease_);
    // What is only late leaves the guard the rest of its time.
    if (stored || !deps_.guard.holds(deps_.clock.now())) deps_.noted.set_member(stored.has_value());
    CO_CHECK_OK(stored);
    CO_TRY(const bool newest, co_await knows_newest_table());
    if (!newest) co_return fail(errc::unavailable, "the newest slot table has not come yet");
    deps_.guard.confirmed(sent, options_.ttl);
    if (deps_.confirmed != nullptr) deps_.confirmed->wake();
    co_return result<void>();
}

async<void> registration::stay() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(options_.ttl) / 3;
    while (true) {
        auto stored = co_await confirm();
        while (!stored && stored.error().code() != errc::not_found) {
            if (stored.error().code() == errc::cancelled) co_return stored;
            CO_CHECK_OK(co_await deps_.clock.sleep_for(std::min(pause, late_pause)));
            stored = co_await confirm();
        }
        CO_CHECK_OK(std::move(stored));
        CO_CHECK_OK(co_await deps_.clock.sleep_for(pause));
    }
}

boost::asio::awaitable<void> registration::keep() {
    std::string last_said;
    while (true) {
        auto outcome = co_await enlist();
        if (outcome) {
            deps_.noted.set_member(true);
            deps_.log.info("listed among the cluster's servers", {{"server", options_.own.name}});
            last_said.clear();
            outcome = co_await stay();
            deps_.noted.set_member(false);
            if (outcome.error().code() != errc::cancelled) deps_.guard.lost();
        }
        if (outcome.error().code() == errc::cancelled) co_return;
        const auto string = to_string(outcome.error());
        if (std::exchange(last_said, string) != string)
            deps_.log.warning("not listed among the cluster's servers", {{"reason", string}});
        const auto slept = co_await deps_.clock.sleep_for(retry_pause);
        if (!slept) co_return;
    }
}

async<void> registration::leave() {
    deps_.noted.set_member(false);
    deps_.guard.lost();
    if (!lease_) co_return result<void>();
    co_return co_await metastore_.revoke(std::exchange(lease_, kv::lease_id()));
}

}  // namespace muster::cluster
