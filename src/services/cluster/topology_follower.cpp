#include "services/cluster/topology_follower.h"

#include "core/placement/slot_table.h"
#include "services/cluster/keys.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

namespace muster::cluster {
namespace {

constexpr std::size_t page_entries = 64;  // slot tables are tens of KiB each

// The name behind a prefix; nothing when the key is not under it.
std::optional<std::string> name_under(std::string_view prefix, const std::string& key) {
    if (!key.starts_with(prefix)) return std::nullopt;
    return key.substr(prefix.size());
}

void forget_all(topology& next, bool servers) {
    std::erase_if(next.unreadable, [servers](const std::string& key) {
        return key.starts_with(servers ? keys::servers : keys::topology);
    });
    if (servers) {
        next.servers.clear();
        return;
    }
    next.zones.clear();
    next.nodes.clear();
    next.node_names.clear();
    next.slots.clear();
    next.holds.clear();
    next.epochs.clear();
    next.node_revisions.clear();
    next.slot_revisions.clear();
}

template <class Records>
void copy_one(Records& to, const Records& from, const std::string& name) {
    const auto it = from.find(name);
    if (it != from.end()) to.insert_or_assign(name, it->second);
}

// What a record said when it could last be read.
void keep(topology& next, const topology& before, const std::string& key) {
    if (const auto zone = name_under(keys::zones, key)) {
        copy_one(next.zones, before.zones, *zone);
    } else if (const auto node = name_under(keys::nodes, key)) {
        copy_one(next.nodes, before.nodes, *node);
        copy_one(next.node_revisions, before.node_revisions, *node);
        const auto it = before.nodes.find(*node);
        if (it != before.nodes.end()) next.node_names.insert_or_assign(it->second.number, *node);
    } else if (const auto table = name_under(keys::slots, key)) {
        copy_one(next.slots, before.slots, *table);
        copy_one(next.slot_revisions, before.slot_revisions, *table);
    } else if (const auto numbered = name_under(keys::epochs, key)) {
        copy_one(next.epochs, before.epochs, *numbered);
    } else if (const auto held = name_under(keys::holds, key)) {
        copy_one(next.holds, before.holds, *held);
    } else if (const auto server = name_under(keys::servers, key)) {
        copy_one(next.servers, before.servers, *server);
    }
}

}  // namespace

topology_follower::topology_follower(
    muster::metastore& metastore,
    muster::clock& clock,
    topology_cache& cell,
    runtime::logger& log,
    options options)
    : cell_(cell),
      log_(log),
      topology_(
          metastore,
          clock,
          log,
          hooks_for(part::topology),
          {.prefix = std::string(keys::topology),
           .what = "the topology",
           .page_entries = page_entries,
           .reconcile_interval = options.reconcile_interval,
           .retry_pause = options.retry_pause}),
      servers_(
          metastore,
          clock,
          log,
          hooks_for(part::servers),
          {.prefix = std::string(keys::servers),
           .what = "the list of servers",
           .page_entries = page_entries,
           .reconcile_interval = options.reconcile_interval,
           .retry_pause = options.retry_pause}) {}

template <class Record>
bool topology_follower::readable(
    topology& next, const kv::entry& from, const result<Record>& read) {
    if (read) return true;
    next.unreadable.insert(from.key);
    log_.error(
        "a record of the topology cannot be read and is left as it was",
        {{"key", from.key}, {"reason", to_string(read.error())}});
    return false;
}

void topology_follower::apply(topology& next, const kv::entry& now) {
    next.unreadable.erase(now.key);
    if (now.key == keys::last_driver) {
        next.driver = now.value;
    } else if (const auto zone = name_under(keys::zones, now.key)) {
        auto read = decode_zone(now.value);
        if (readable(next, now, read)) next.zones.insert_or_assign(*zone, std::move(*read));
    } else if (const auto node = name_under(keys::nodes, now.key)) {
        auto read = decode_node(now.value);
        if (!readable(next, now, read)) return;
        forget(next, now.key);  // it may have had another number
        next.node_names.insert_or_assign(read->number, *node);
        next.node_revisions.insert_or_assign(*node, now.modified);
        next.nodes.insert_or_assign(*node, std::move(*read));
    } else if (const auto table = name_under(keys::slots, now.key)) {
        auto read = placement::slot_table::decode(now.value);
        if (!readable(next, now, read)) return;
        next.slot_revisions.insert_or_assign(*table, now.modified);
        next.slots.insert_or_assign(
            *table, std::make_shared<const placement::slot_table>(std::move(*read)));
    } else if (const auto numbered = name_under(keys::epochs, now.key)) {
        const auto read = decode_epoch(now.value);
        if (readable(next, now, read)) next.epochs.insert_or_assign(*numbered, *read);
    } else if (const auto held = name_under(keys::holds, now.key)) {
        const auto read = decode_hold(now.value);
        if (readable(next, now, read)) next.holds.insert_or_assign(*held, *read);
    } else if (const auto server = name_under(keys::servers, now.key)) {
        auto read = decode_server(now.value);
        if (readable(next, now, read)) next.servers.insert_or_assign(*server, std::move(*read));
    }
}

void topology_follower::forget(topology& next, const std::string& key) {
    next.unreadable.erase(key);
    if (const auto zone = name_under(keys::zones, key)) {
        next.zones.erase(*zone);
    } else if (const auto node = name_under(keys::nodes, key)) {
        const auto it = next.nodes.find(*node);
        if (it != next.nodes.end()) next.node_names.erase(it->second.number);
        next.nodes.erase(*node);
        next.node_revisions.erase(*node);
    } else if (const auto table = name_under(keys::slots, key)) {
        next.slots.erase(*table);
        next.slot_revisions.erase(*table);
    } else if (const auto held = name_under(keys::holds, key)) {
        next.holds.erase(*held);
    } else if (const auto server = name_under(keys::servers, key)) {
        next.servers.erase(*server);
    }
}

void topology_follower::publish(topology next) {
    cell_.publish(std::make_shared<const topology>(std::move(next)));
    for (auto* const reader : readers_) reader->wake();
}

prefix_follower::hooks topology_follower::hooks_for(part part) {
    return {
        .read = [this, part](
                    const std::vector<kv::entry>& entries,
                    kv::revision at) { take_all(part, entries, at); },
        .changed =
            [this, part](const kv::change_batch& batch) {
                take_changes(part, batch);
            }};
}

void topology_follower::take_all(
    part which, const std::vector<kv::entry>& entries, kv::revision at) {
    const bool servers = which == part::servers;
    const auto before = cell_.read();
    topology fresh = *before;
    forget_all(fresh, servers);
    for (const auto& entry : entries) {
        apply(fresh, entry);
        if (fresh.unreadable.contains(entry.key)) keep(fresh, *before, entry.key);
    }
    if (!servers) fresh.at = at;
    publish(std::move(fresh));
}

void topology_follower::take_changes(part which, const kv::change_batch& batch) {
    topology changed = *cell_.read();
    for (const auto& change : batch.changes) {
        if (const auto* now = std::get_if<kv::written>(&change)) {
            apply(changed, now->now);
        } else {
            forget(changed, key_of(change));
        }
    }
    if (which == part::topology) changed.at = batch.up_to;
    publish(std::move(changed));
}

boost::asio::awaitable<void> topology_follower::run() {
    namespace asio = boost::asio;
    const auto executor = co_await asio::this_coro::executor;
    auto both = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, topology_.run(), asio::deferred),
        asio::co_spawn(executor, servers_.run(), asio::deferred));
    auto [order, topology_threw, servers_threw] =
        co_await both.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    if (topology_threw) std::rethrow_exception(topology_threw);
    if (servers_threw) std::rethrow_exception(servers_threw);
}

}  // namespace muster::cluster
