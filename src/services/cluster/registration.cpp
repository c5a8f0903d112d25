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
    const auto key = keys::server(options_.server.name);
    CO_TRY(const auto existing, co_await metastore_.get(key));
    kv::transaction change;
    if (existing.found) {
        CO_TRY(const auto holder, decode_server(existing.found->value));
        if (holder.instance != options_.server.instance)
            co_return fail(
                errc::conflict,
                fmt::format(
                    "server \"{}\" already exists at {}; set another `name`",
                    holder.name,
                    holder.address));
        change.when.push_back(kv::unchanged{key, existing.found->modified});
    } else {
        change.when.push_back(kv::absent{key});
    }
    change.then.push_back(kv::put{.key = key, .value = encode(options_.server), .lease = lease});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::conflict, "server registration was modified concurrently; retry");
    if (first_listed_ == 0) first_listed_ = outcome.at.value();
    co_return result<void>();
}

async<void> registration::register_server() {
    CO_TRY(const auto lease, co_await metastore_.grant(options_.ttl));
    const auto written = co_await write_entry(lease);
    if (!written) {
        // The lease would expire by itself. Revoking it keeps leases from piling up during a long
        // wait.
        ignore_error(co_await metastore_.revoke(lease), "the lease expires");
        co_return written;
    }
    lease_ = lease;
    co_return result<void>();
}

// While another server has a newer table, the guard is not renewed until the follower delivers it.
async<bool> registration::has_newest_table() {
    const auto topology = deps_.topology.read();
    const auto node = topology->nodes.find(options_.server.name);
    if (node == topology->nodes.end() || node->second.zone.empty()) co_return true;
    const std::string zone = node->second.zone;
    CO_TRY(const auto stored_epoch, co_await metastore_.get(keys::epoch(zone)));
    if (!stored_epoch.found) co_return true;
    const auto refreshed = deps_.topology.read();  // the follower may have published a newer one
    const auto table = refreshed->slots.find(zone);
    if (table == refreshed->slots.end()) co_return false;
    CO_TRY(const auto epoch, decode_epoch(stored_epoch.found->value));
    co_return table->second->current_epoch() >= epoch;
}

async<void> registration::confirm() {
    const instant sent_at = deps_.clock.now();
    const auto renewed = co_await metastore_.keep_alive(lease_);
    // A failed renewal leaves the guard valid until its time is over.
    if (renewed || !deps_.guard.holds(deps_.clock.now()))
        deps_.readiness.set_member(renewed.has_value());
    CO_CHECK_OK(renewed);
    CO_TRY(const bool newest, co_await has_newest_table());
    if (!newest) co_return fail(errc::unavailable, "newest slot table not received yet");
    deps_.guard.confirmed(sent_at, options_.ttl);
    if (deps_.confirmed != nullptr) deps_.confirmed->wake();
    co_return result<void>();
}

async<void> registration::renew() {
    const auto pause = std::chrono::duration_cast<monotonic::duration>(options_.ttl) / 3;
    while (true) {
        auto confirmed = co_await confirm();
        while (!confirmed && confirmed.error().code() != errc::not_found) {
            if (confirmed.error().code() == errc::cancelled) co_return confirmed;
            CO_CHECK_OK(co_await deps_.clock.sleep_for(std::min(pause, late_pause)));
            confirmed = co_await confirm();
        }
        CO_CHECK_OK(std::move(confirmed));
        CO_CHECK_OK(co_await deps_.clock.sleep_for(pause));
    }
}

boost::asio::awaitable<void> registration::run() {
    std::string last_logged;
    while (true) {
        auto registered = co_await register_server();
        if (registered) {
            deps_.readiness.set_member(true);
            deps_.log.info("server registered", {{"server", options_.server.name}});
            last_logged.clear();
            registered = co_await renew();
            deps_.readiness.set_member(false);
            if (registered.error().code() != errc::cancelled) deps_.guard.lost();
        }
        if (registered.error().code() == errc::cancelled) co_return;
        const auto reason = to_string(registered.error());
        if (std::exchange(last_logged, reason) != reason)
            deps_.log.warning(
                "server registration failed",
                {{"server", options_.server.name}, {"error", reason}});
        const auto slept = co_await deps_.clock.sleep_for(retry_pause);
        if (!slept) co_return;
    }
}

async<void> registration::leave() {
    deps_.readiness.set_member(false);
    deps_.guard.lost();
    if (!lease_) co_return result<void>();
    co_return co_await metastore_.revoke(std::exchange(lease_, kv::lease_id()));
}

}  // namespace muster::cluster
