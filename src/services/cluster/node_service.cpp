#include "services/cluster/node_service.h"

#include "core/placement/slot_table.h"
#include "services/cluster/keys.h"

#include <fmt/format.h>

#include <utility>

namespace muster::cluster {
namespace {

using membership::node_state;

constexpr int attempts_max = 5;  // on concurrent changes of the record

std::unexpected<error> wrong_state(const node_record& node, std::string_view remedy) {
    return fail(
        errc::conflict,
        fmt::format("node \"{}\" is {}; {}", node.name, membership::to_string(node.state), remedy));
}

std::string suspect_remedy(const node_record& node) {
    return "wait until the node returns or is marked faulty, or evict the node: muster nodes evict "
           + node.name;
}

// Tells that the record changed meanwhile and a retry helps, unlike the conflicts that callers see.
error changed_meanwhile() {
    return {errc::unavailable, "node was modified concurrently; retry"};
}

}  // namespace

async<node_service::found_node> node_service::find(std::string name) {
    CO_TRY(auto stored, co_await metastore_.get(keys::node(name)));
    if (!stored.found) co_return fail(errc::not_found, fmt::format("node \"{}\" not found", name));
    CO_TRY(auto record, decode_node(stored.found->value));
    co_return found_node{.entry = std::move(*stored.found), .record = std::move(record)};
}

async<node_record> node_service::try_change(std::string name, update_function update) {
    CO_TRY(auto current, co_await find(std::move(name)));
    CO_TRY(auto updated, update(current.record));
    if (updated == current.record) co_return updated;
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{current.entry.key, current.entry.modified});
    change.then.emplace_back(kv::put{.key = current.entry.key, .value = encode(updated)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return fail(changed_meanwhile());
    publish_(node_message(updated));
    co_return updated;
}

async<node_record> node_service::change(std::string name, update_function update) {
    for (int attempt = 1;; ++attempt) {
        auto updated = co_await try_change(name, update);
        const bool retry = !updated && updated.error() == changed_meanwhile();
        if (!retry || attempt == attempts_max) co_return updated;
    }
}

async<node_record> node_service::stage(std::string name) {
    const wall_time now = clock_.wall();
    return change(std::move(name), [now](node_record node) -> result<node_record> {
        if (node.state == node_state::staged) return node;
        if (node.state != node_state::pooled)
            return wrong_state(node, "only a pooled node can be staged");
        node.state = node_state::staged;
        node.wiped = false;
        node.reason = "staged by an admin";
        node.since = now;
        return node;
    });
}

// Writing the unchanged record of the zone again prevents a concurrent removal of the zone.
async<node_record> node_service::try_accept(std::string name, std::string zone) {
    CO_TRY(auto current, co_await find(name));
    if (current.record.state != node_state::staged)
        co_return wrong_state(current.record, "stage the node first: muster nodes stage " + name);
    if (!current.record.wiped)
        co_return wrong_state(
            current.record,
            "the node has not yet deleted its old data; check that its server is running");
    CO_TRY(const auto stored_zone, co_await metastore_.get(keys::zone(zone)));
    if (!stored_zone.found)
        co_return fail(errc::not_found, fmt::format("zone \"{}\" not found", zone));
    node_record updated = current.record;
    updated.state = node_state::serving;
    updated.zone = zone;
    updated.reason = "accepted by an admin";
    updated.since = clock_.wall();
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{current.entry.key, current.entry.modified});
    change.when.emplace_back(kv::unchanged{stored_zone.found->key, stored_zone.found->modified});
    change.when.emplace_back(kv::present{keys::server(name)});
    change.then.emplace_back(kv::put{.key = current.entry.key, .value = encode(updated)});
    change.then.emplace_back(
        kv::put{.key = stored_zone.found->key, .value = stored_zone.found->value});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) {
        publish_(node_message(updated));
        co_return updated;
    }
    CO_TRY(const auto server, co_await metastore_.get(keys::server(name)));
    if (!server.found) co_return wrong_state(current.record, "start the server of the node");
    co_return fail(changed_meanwhile());
}

async<node_record> node_service::accept(std::string name, std::string zone) {
    for (int attempt = 1;; ++attempt) {
        auto updated = co_await try_accept(name, zone);
        const bool retry = !updated && updated.error() == changed_meanwhile();
        if (!retry || attempt == attempts_max) co_return updated;
    }
}

async<node_record> node_service::drain(std::string name) {
    return change(std::move(name), [](node_record node) -> result<node_record> {
        if (node.state == node_state::suspect) return wrong_state(node, suspect_remedy(node));
        if (node.state != node_state::serving && node.state != node_state::offline)
            return wrong_state(node, "only a serving or offline node can be drained");
        node.leaving = true;
        return node;
    });
}

// Only while its server is not listed: its lease has ended then, so the node has stopped acting.
async<node_record> node_service::try_evict(std::string name) {
    CO_TRY(auto current, co_await find(name));
    if (current.record.state == node_state::faulty) co_return current.record;
    if (current.record.state != node_state::suspect)
        co_return wrong_state(current.record, "only a suspect node can be evicted");
    node_record updated = current.record;
    updated.state = node_state::faulty;
    updated.reason = "evicted by an admin";
    updated.since = clock_.wall();
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{current.entry.key, current.entry.modified});
    change.when.emplace_back(kv::absent{keys::server(name)});
    change.then.emplace_back(kv::put{.key = current.entry.key, .value = encode(updated)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (outcome.committed) {
        publish_(node_message(updated));
        co_return updated;
    }
    CO_TRY(const auto server, co_await metastore_.get(keys::server(name)));
    if (server.found)
        co_return fail(errc::conflict, fmt::format("server of node \"{}\" is running again", name));
    co_return fail(changed_meanwhile());
}

async<node_record> node_service::evict(std::string name) {
    for (int attempt = 1;; ++attempt) {
        auto updated = co_await try_evict(name);
        const bool retry = !updated && updated.error() == changed_meanwhile();
        if (!retry || attempt == attempts_max) co_return updated;
    }
}

async<node_record> node_service::undrain(std::string name) {
    return change(std::move(name), [](node_record node) -> result<node_record> {
        node.leaving = false;
        return node;
    });
}

async<node_record> node_service::set_systems_max(std::string name, std::int64_t systems_max) {
    return change(std::move(name), [systems_max](node_record node) -> result<node_record> {
        if (systems_max < 0)
            return fail(errc::invalid, "`systems_max` must be 0 (no limit) or more");
        node.systems_max = systems_max;
        return node;
    });
}

async<bool> node_service::has_slots(node_record node) {
    CO_TRY(const auto stored, co_await metastore_.get(keys::slot_table(node.zone)));
    if (!stored.found) co_return false;
    CO_TRY(const auto table, placement::slot_table::decode(stored.found->value));
    co_return table.by_owner().contains(node.number);
}

async<node_record> node_service::remove(std::string name) {
    CO_TRY(auto current, co_await find(name));
    const node_record& node = current.record;
    if (node.state == node_state::suspect) co_return wrong_state(node, suspect_remedy(node));
    if (node.state == node_state::serving) {
        if (!node.leaving)
            co_return wrong_state(node, "drain the node first: muster nodes drain " + name);
        CO_TRY(const bool busy, co_await has_slots(node));
        if (busy)
            co_return wrong_state(
                node,
                "the node still has slots; wait until it is drained, or, if no other node of zone "
                "\"" + node.zone
                    + "\" can take the slots, stop its server first");
    }
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{current.entry.key, current.entry.modified});
    change.then.emplace_back(kv::erase{current.entry.key});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return fail(changed_meanwhile());
    co_return node;
}

}  // namespace muster::cluster
