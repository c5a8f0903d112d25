#include "services/cluster/nodes.h"

#include "core/placement/slot_table.h"
#include "services/cluster/keys.h"

#include <fmt/format.h>

#include <utility>

namespace muster::cluster {
namespace {

using membership::node_state;

constexpr int attempts_max = 5;  // against others who change the same record

std::unexpected<error> wrong_state(const node_record& node, std::string_view what_to_do) {
    return fail(
        errc::conflict,
        fmt::format("node {} is {}; {}", node.name, membership::to_string(node.state), what_to_do));
}

std::string way_out_of_suspicion(const node_record& node) {
    return "wait until it is back or given up, or give it up: muster nodes give-up " + node.name;
}

// The word for "somebody else changed it; look again", apart from a conflict to be told.
error changed_meanwhile() {
    return {errc::unavailable, "the record changed meanwhile; try again"};
}

}  // namespace

async<nodes::found_node> nodes::find(std::string name) {
    CO_TRY(auto there, co_await metastore_.get(keys::node(name)));
    if (!there.found) co_return fail(errc::not_found, fmt::format("Node {} was not found", name));
    CO_TRY(auto record, decode_node(there.found->value));
    co_return found_node{.entry = std::move(*there.found), .record = std::move(record)};
}

async<node_record> nodes::try_change(std::string name, rule rule) {
    CO_TRY(auto match, co_await find(std::move(name)));
    CO_TRY(auto next, rule(match.record));
    if (next == match.record) co_return next;
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{match.entry.key, match.entry.modified});
    change.then.emplace_back(kv::put{.key = match.entry.key, .value = encode(next)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(changed_meanwhile());
    announce_(node_message(next));
    co_return next;
}

async<node_record> nodes::change(std::string name, rule rule) {
    for (int attempt = 1;; ++attempt) {
        auto done = co_await try_change(name, rule);
        const bool again = !done && done.error() == changed_meanwhile();
        if (!again || attempt == attempts_max) co_return done;
    }
}

async<node_record> nodes::stage(std::string name) {
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

// The zone's record is written again as it is, so that nobody removes the zone at the same time.
async<node_record> nodes::try_accept(std::string name, std::string zone) {
    CO_TRY(auto match, co_await find(name));
    if (match.record.state != node_state::staged)
        co_return wrong_state(match.record, "stage it first: muster nodes stage " + name);
    if (!match.record.wiped)
        co_return wrong_state(
            match.record, "it has not yet dropped what it held; is its server running?");
    CO_TRY(const auto place, co_await metastore_.get(keys::zone(zone)));
    if (!place.found) co_return fail(errc::not_found, fmt::format("Zone {} was not found", zone));
    node_record next = match.record;
    next.state = node_state::serving;
    next.zone = zone;
    next.reason = "accepted by an admin";
    next.since = clock_.wall();
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{match.entry.key, match.entry.modified});
    change.when.emplace_back(kv::unchanged{place.found->key, place.found->modified});
    change.when.emplace_back(kv::present{keys::server(name)});
    change.then.emplace_back(kv::put{.key = match.entry.key, .value = encode(next)});
    change.then.emplace_back(kv::put{.key = place.found->key, .value = place.found->value});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (verdict.committed) {
        announce_(node_message(next));
        co_return next;
    }
    CO_TRY(const auto server, co_await metastore_.get(keys::server(name)));
    if (!server.found) co_return wrong_state(match.record, "its server is not there; start it");
    co_return fail(changed_meanwhile());
}

async<node_record> nodes::accept(std::string name, std::string zone) {
    for (int attempt = 1;; ++attempt) {
        auto done = co_await try_accept(name, zone);
        const bool again = !done && done.error() == changed_meanwhile();
        if (!again || attempt == attempts_max) co_return done;
    }
}

async<node_record> nodes::drain(std::string name) {
    return change(std::move(name), [](node_record node) -> result<node_record> {
        if (node.state == node_state::suspect) return wrong_state(node, way_out_of_suspicion(node));
        if (node.state != node_state::serving && node.state != node_state::offline)
            return wrong_state(node, "only a serving or offline node has systems to give away");
        node.leaving = true;
        return node;
    });
}

// Only while its server is not listed: its lease has ended then, so it has fenced itself.
async<node_record> nodes::try_give_up(std::string name) {
    CO_TRY(auto match, co_await find(name));
    if (match.record.state == node_state::faulty) co_return match.record;
    if (match.record.state != node_state::suspect)
        co_return wrong_state(match.record, "only a suspect node can be given up");
    node_record next = match.record;
    next.state = node_state::faulty;
    next.reason = "given up by an admin";
    next.since = clock_.wall();
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{match.entry.key, match.entry.modified});
    change.when.emplace_back(kv::absent{keys::server(name)});
    change.then.emplace_back(kv::put{.key = match.entry.key, .value = encode(next)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (verdict.committed) {
        announce_(node_message(next));
        co_return next;
    }
    CO_TRY(const auto server, co_await metastore_.get(keys::server(name)));
    if (server.found)
        co_return fail(errc::conflict, fmt::format("the server of node {} is back", name));
    co_return fail(changed_meanwhile());
}

async<node_record> nodes::give_up(std::string name) {
    for (int attempt = 1;; ++attempt) {
        auto done = co_await try_give_up(name);
        const bool again = !done && done.error() == changed_meanwhile();
        if (!again || attempt == attempts_max) co_return done;
    }
}

async<node_record> nodes::undrain(std::string name) {
    return change(std::move(name), [](node_record node) -> result<node_record> {
        node.leaving = false;
        return node;
    });
}

async<node_record> nodes::limit(std::string name, std::int64_t systems_max) {
    return change(std::move(name), [systems_max](node_record node) -> result<node_record> {
        if (systems_max < 0) return fail(errc::invalid, "`systems_max` is 0 (no limit) or more");
        node.systems_max = systems_max;
        return node;
    });
}

async<bool> nodes::has_slots(node_record node) {
    CO_TRY(const auto there, co_await metastore_.get(keys::slot_table(node.zone)));
    if (!there.found) co_return false;
    CO_TRY(const auto table, placement::slot_table::decode(there.found->value));
    co_return table.by_owner().contains(node.number);
}

async<node_record> nodes::remove(std::string name) {
    CO_TRY(auto match, co_await find(name));
    const node_record& node = match.record;
    if (node.state == node_state::suspect) co_return wrong_state(node, way_out_of_suspicion(node));
    if (node.state == node_state::serving) {
        if (!node.leaving)
            co_return wrong_state(node, "drain it first: muster nodes drain " + name);
        CO_TRY(const bool busy, co_await has_slots(node));
        if (busy)
            co_return wrong_state(
                node,
                "it still has slots; wait until it is drained, or, where no other node of zone "
                    + node.zone + " can take them, stop its server first");
    }
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{match.entry.key, match.entry.modified});
    change.then.emplace_back(kv::erase{match.entry.key});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(changed_meanwhile());
    co_return node;
}

}  // namespace muster::cluster
