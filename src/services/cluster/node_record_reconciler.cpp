#include "services/cluster/node_record_reconciler.h"

#include "base/iso_time.h"
#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace muster::cluster {
namespace {

namespace json = boost::json;
using membership::node_state;

constexpr int attempts_max = 5;  // on concurrent changes of the record

result<std::int64_t> decode_counter(std::string_view text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < 0)
        return fail(errc::corrupt, "node counter is not a number");
    return number;
}

node_record with_state(node_record node, node_state state, std::string reason, wall_time now) {
    node.state = state;
    node.reason = std::move(reason);
    node.since = now;
    return node;
}

node_record back_to_pool(node_record node, std::string reason, wall_time now) {
    node_record pooled = with_state(std::move(node), node_state::pooled, std::move(reason), now);
    pooled.wiped = false;
    pooled.leaving = false;
    return pooled;
}

bool may_replace_instance(node_state state) {
    return state == node_state::faulty || state == node_state::pooled
           || state == node_state::staged;
}

}  // namespace

stream::message node_message(const node_record& node) {
    const auto state = membership::to_string(node.state);
    return {
        .subject = fmt::format("muster.node.{}", state),
        .payload = json::serialize(json::object{
            {"node", node.name},
            {"number", node.number.value()},
            {"zone", node.zone},
            {"state", state},
            {"reason", node.reason},
            {"since", iso_time(node.since)}}),
        .id = {}};
}

result<std::optional<node_record>> find_record_update(
    const node_record& node, const node_identity& identity, wall_time now) {
    if (node.instance != identity.instance) {
        if (!may_replace_instance(node.state))
            return fail(
                errc::conflict,
                fmt::format(
                    "node \"{}\" already exists with another data directory; remove the node first "
                    "(muster nodes remove {}), or set another `name`",
                    node.name,
                    node.name));
        auto updated = back_to_pool(node, "data directory was replaced", now);
        updated.instance = identity.instance;
        updated.address = identity.address;
        return std::optional(std::move(updated));
    }
    node_record updated = node;
    if (node.state == node_state::faulty)
        updated = back_to_pool(node, "server returned after the node was marked faulty", now);
    if (node.state == node_state::offline)
        updated = with_state(node, node_state::serving, "server started", now);
    if (node.state == node_state::staged) updated.wiped = true;
    updated.address = identity.address;
    if (updated == node) return std::optional<node_record>();
    return std::optional(std::move(updated));
}

bool node_record_reconciler::is_listed() const {
    const auto topology = deps_.topology.read();
    const auto server = topology->servers.find(options_.identity.name);
    return server != topology->servers.end()
           && server->second.instance == options_.identity.instance;
}

bool node_record_reconciler::is_record_current() const {
    const auto topology = deps_.topology.read();
    const auto node = topology->nodes.find(options_.identity.name);
    if (node == topology->nodes.end()) return false;
    const auto update = find_record_update(node->second, options_.identity, deps_.clock.wall());
    return update && !*update;
}

async<void> node_record_reconciler::replace_record(kv::entry entry, node_record updated) {
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{entry.key, entry.modified});
    change.then.emplace_back(kv::put{.key = entry.key, .value = encode(updated)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return fail(errc::conflict, "node was modified concurrently; retry");
    deps_.log.info(
        "node record updated",
        {{"node", updated.name},
         {"state", membership::to_string(updated.state)},
         {"reason", updated.reason}});
    deps_.publish(node_message(updated));
    co_return result<void>();
}

async<void> node_record_reconciler::create_record() {
    const std::string counter_key(keys::last_node_number);
    const auto zone_key = keys::zone(default_zone);
    CO_TRY(const auto stored_counter, co_await metastore_.get(counter_key));
    CO_TRY(const auto stored_zone, co_await metastore_.get(zone_key));
    kv::transaction change;
    std::int64_t number = 0;
    if (stored_counter.found) {
        CO_TRY(number, decode_counter(stored_counter.found->value));
        change.when.emplace_back(kv::unchanged{counter_key, stored_counter.found->modified});
    } else {
        change.when.emplace_back(kv::absent{counter_key});
    }
    const wall_time now = deps_.clock.wall();
    const bool first_node = !stored_counter.found;
    const node_record record{
        .number = node_number(number + 1),
        .name = options_.identity.name,
        .instance = options_.identity.instance,
        .address = options_.identity.address,
        .zone = std::string(first_node ? default_zone : ""),
        .state = first_node ? node_state::serving : node_state::pooled,
        .reason = first_node ? "first node of the cluster" : "waiting for acceptance",
        .since = now};
    change.when.emplace_back(kv::absent{keys::node(options_.identity.name)});
    change.then.emplace_back(kv::put{.key = counter_key, .value = std::to_string(number + 1)});
    change.then.emplace_back(
        kv::put{.key = keys::node(options_.identity.name), .value = encode(record)});
    if (first_node && !stored_zone.found) {
        const zone_record zone{
            .name = std::string(default_zone),
            .description = "default zone",
            .parent = {},
            .made = now};
        change.when.emplace_back(kv::absent{zone_key});
        change.then.emplace_back(kv::put{.key = zone_key, .value = encode(zone)});
    }
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::conflict, "node or node counter was modified concurrently; retry");
    deps_.log.info(
        "node registered", {{"node", record.name}, {"state", membership::to_string(record.state)}});
    deps_.publish(node_message(record));
    co_return result<void>();
}

async<void> node_record_reconciler::reconcile() {
    CO_TRY(auto stored, co_await metastore_.get(keys::node(options_.identity.name)));
    if (!stored.found) co_return co_await create_record();
    CO_TRY(const auto record, decode_node(stored.found->value));
    CO_TRY(auto updated, find_record_update(record, options_.identity, deps_.clock.wall()));
    if (!updated) co_return result<void>();
    if (record.state == node_state::faulty)
        deps_.log.warning(
            "node was marked faulty; returned to the pool",
            {{"node", options_.identity.name},
             {"hint", "run muster nodes stage, then muster nodes accept"}});
    if (updated->wiped && !record.wiped) options_.wipe();
    co_return co_await replace_record(std::move(*stored.found), std::move(*updated));
}

boost::asio::awaitable<void> node_record_reconciler::run() {
    std::string last_logged;
    while (true) {
        if (is_listed() && !is_record_current()) {
            const auto reconciled = co_await reconcile();
            if (reconciled) {
                last_logged.clear();
            } else if (reconciled.error().code() == errc::cancelled) {
                co_return;
            } else if (const auto reason = to_string(reconciled.error());
                       std::exchange(last_logged, reason) != reason) {
                deps_.log.warning(
                    "node record update failed",
                    {{"node", options_.identity.name}, {"error", reason}});
            }
        }
        const auto woken = co_await within(deps_.clock, options_.check_interval, wakeup_.wait());
        if (!woken && woken.error().code() != errc::timed_out) co_return;
    }
}

async<void> node_record_reconciler::try_to_go_offline() {
    CO_TRY(auto stored, co_await metastore_.get(keys::node(options_.identity.name)));
    if (!stored.found) co_return result<void>();
    CO_TRY(const auto record, decode_node(stored.found->value));
    const bool is_own = record.instance == options_.identity.instance;
    const bool is_serving =
        record.state == node_state::serving || record.state == node_state::suspect;
    if (!is_own || !is_serving) co_return result<void>();
    auto updated = with_state(record, node_state::offline, "server stopped", deps_.clock.wall());
    co_return co_await replace_record(std::move(*stored.found), std::move(updated));
}

async<void> node_record_reconciler::go_offline() {
    for (int attempt = 1;; ++attempt) {
        auto updated = co_await try_to_go_offline();
        if (updated || updated.error().code() != errc::conflict || attempt == attempts_max)
            co_return updated;
    }
}

}  // namespace muster::cluster
