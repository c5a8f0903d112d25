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

void clear_part(cluster::topology& topology, bool servers) {
    std::erase_if(topology.unreadable, [servers](const std::string& key) {
        return key.starts_with(servers ? keys::servers : keys::topology);
    });
    if (servers) {
        topology.servers.clear();
        return;
    }
    topology.zones.clear();
    topology.nodes.clear();
    topology.node_names.clear();
    topology.slots.clear();
    topology.freezes.clear();
    topology.epochs.clear();
    topology.node_revisions.clear();
    topology.slot_revisions.clear();
}

template <class Records>
void copy_record(Records& to, const Records& from, const std::string& name) {
    const auto it = from.find(name);
    if (it != from.end()) to.insert_or_assign(name, it->second);
}

// Keeps the last readable version of a record.
void keep_previous(
    cluster::topology& topology, const cluster::topology& previous, const std::string& key) {
    if (const auto zone = name_under(keys::zones, key)) {
        copy_record(topology.zones, previous.zones, *zone);
    } else if (const auto node = name_under(keys::nodes, key)) {
        copy_record(topology.nodes, previous.nodes, *node);
        copy_record(topology.node_revisions, previous.node_revisions, *node);
        const auto it = previous.nodes.find(*node);
        if (it != previous.nodes.end())
            topology.node_names.insert_or_assign(it->second.number, *node);
    } else if (const auto table = name_under(keys::slots, key)) {
        copy_record(topology.slots, previous.slots, *table);
        copy_record(topology.slot_revisions, previous.slot_revisions, *table);
    } else if (const auto epoch = name_under(keys::epochs, key)) {
        copy_record(topology.epochs, previous.epochs, *epoch);
    } else if (const auto freeze = name_under(keys::zone_freezes, key)) {
        copy_record(topology.freezes, previous.freezes, *freeze);
    } else if (const auto server = name_under(keys::servers, key)) {
        copy_record(topology.servers, previous.servers, *server);
    }
}

}  // namespace

topology_follower::topology_follower(
    muster::metastore& metastore,
    muster::clock& clock,
    topology_cache& cache,
    runtime::logger& log,
    options options)
    : cache_(cache),
      log_(log),
      topology_(
          metastore,
          clock,
          log,
          hooks_for(part::topology),
          {.prefix = std::string(keys::topology),
           .subject = "topology",
           .page_entries = page_entries,
           .reconcile_interval = options.reconcile_interval,
           .retry_pause = options.retry_pause}),
      servers_(
          metastore,
          clock,
          log,
          hooks_for(part::servers),
          {.prefix = std::string(keys::servers),
           .subject = "servers",
           .page_entries = page_entries,
           .reconcile_interval = options.reconcile_interval,
           .retry_pause = options.retry_pause}) {}

template <class Record>
bool topology_follower::check_readable(
    topology& topology, const kv::entry& entry, const result<Record>& record) {
    if (record) return true;
    topology.unreadable.insert(entry.key);
    log_.error(
        "unreadable topology record; previous record kept",
        {{"key", entry.key}, {"error", to_string(record.error())}});
    return false;
}

void topology_follower::apply(cluster::topology& topology, const kv::entry& entry) {
    topology.unreadable.erase(entry.key);
    if (entry.key == keys::last_driver) {
        topology.driver = entry.value;
    } else if (const auto zone = name_under(keys::zones, entry.key)) {
        auto record = decode_zone(entry.value);
        if (check_readable(topology, entry, record))
            topology.zones.insert_or_assign(*zone, std::move(*record));
    } else if (const auto node = name_under(keys::nodes, entry.key)) {
        auto record = decode_node(entry.value);
        if (!check_readable(topology, entry, record)) return;
        erase(topology, entry.key);  // it may have had another number
        topology.node_names.insert_or_assign(record->number, *node);
        topology.node_revisions.insert_or_assign(*node, entry.modified);
        topology.nodes.insert_or_assign(*node, std::move(*record));
    } else if (const auto table = name_under(keys::slots, entry.key)) {
        auto record = placement::slot_table::decode(entry.value);
        if (!check_readable(topology, entry, record)) return;
        topology.slot_revisions.insert_or_assign(*table, entry.modified);
        topology.slots.insert_or_assign(
            *table, std::make_shared<const placement::slot_table>(std::move(*record)));
    } else if (const auto epoch = name_under(keys::epochs, entry.key)) {
        const auto record = decode_epoch(entry.value);
        if (check_readable(topology, entry, record))
            topology.epochs.insert_or_assign(*epoch, *record);
    } else if (const auto freeze = name_under(keys::zone_freezes, entry.key)) {
        const auto record = decode_zone_freeze(entry.value);
        if (check_readable(topology, entry, record))
            topology.freezes.insert_or_assign(*freeze, *record);
    } else if (const auto server = name_under(keys::servers, entry.key)) {
        auto record = decode_server(entry.value);
        if (check_readable(topology, entry, record))
            topology.servers.insert_or_assign(*server, std::move(*record));
    }
}

void topology_follower::erase(cluster::topology& topology, const std::string& key) {
    topology.unreadable.erase(key);
    if (const auto zone = name_under(keys::zones, key)) {
        topology.zones.erase(*zone);
    } else if (const auto node = name_under(keys::nodes, key)) {
        const auto it = topology.nodes.find(*node);
        if (it != topology.nodes.end()) topology.node_names.erase(it->second.number);
        topology.nodes.erase(*node);
        topology.node_revisions.erase(*node);
    } else if (const auto table = name_under(keys::slots, key)) {
        topology.slots.erase(*table);
        topology.slot_revisions.erase(*table);
    } else if (const auto freeze = name_under(keys::zone_freezes, key)) {
        topology.freezes.erase(*freeze);
    } else if (const auto server = name_under(keys::servers, key)) {
        topology.servers.erase(*server);
    }
}

void topology_follower::publish(cluster::topology topology) {
    cache_.publish(std::make_shared<const cluster::topology>(std::move(topology)));
    for (auto* const reader : readers_) reader->wake();
}

prefix_follower::hooks topology_follower::hooks_for(part part) {
    return {
        .on_read = [this, part](
                       const std::vector<kv::entry>& entries,
                       kv::revision revision) { apply_all(part, entries, revision); },
        .on_change =
            [this, part](const kv::change_batch& batch) {
                apply_changes(part, batch);
            }};
}

void topology_follower::apply_all(
    part part, const std::vector<kv::entry>& entries, kv::revision revision) {
    const bool is_servers = part == part::servers;
    const auto previous = cache_.read();
    topology fresh = *previous;
    clear_part(fresh, is_servers);
    for (const auto& entry : entries) {
        apply(fresh, entry);
        if (fresh.unreadable.contains(entry.key)) keep_previous(fresh, *previous, entry.key);
    }
    if (!is_servers) fresh.revision = revision;
    publish(std::move(fresh));
}

void topology_follower::apply_changes(part part, const kv::change_batch& batch) {
    topology changed = *cache_.read();
    for (const auto& change : batch.changes) {
        if (const auto* written = std::get_if<kv::written>(&change)) {
            apply(changed, written->entry);
        } else {
            erase(changed, key_of(change));
        }
    }
    if (part == part::topology) changed.revision = batch.up_to;
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
