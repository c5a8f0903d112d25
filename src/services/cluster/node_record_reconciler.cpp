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

constexpr int attempts_max = 5;  // against somebody else who changes the same record

result<std::int64_t> decode_counter(std::string_view text) {
    std::int64_t number = 0;
    const auto* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end || number < 0)
        return fail(errc::corrupt, "the counter of nodes is not a number");
    return number;
}

node_record changed(node_record from, node_state to, std::string reason, wall_time now) {
    from.state = to;
    from.reason = std::move(reason);
    from.since = now;
    return from;
}

node_record pooled_anew(node_record from, std::string reason, wall_time now) {
    node_record next = changed(std::move(from), node_state::pooled, std::move(reason), now);
    next.wiped = false;
    next.leaving = false;
    return next;
}

bool takes_another_instance(node_state state) {
    return state == node_state::faulty || state == node_state::pooled
           || state == node_state::staged;
}

}  // namespace

stream::message node_message(const node_record& now) {
    const auto state = membership::to_string(now.state);
    return {
        .subject = fmt::format("muster.node.{}", state),
        .payload = json::serialize(json::object{
            {"node", now.name},
            {"number", now.number.value()},
            {"zone", now.zone},
            {"state", state},
            {"reason", now.reason},
            {"since", iso_time(now.since)}}),
        .id = {}};
}

result<std::optional<node_record>> own_next(
    const node_record& node, const node_self& own, wall_time now) {
    if (node.instance != own.instance) {
        if (!takes_another_instance(node.state))
            return fail(
                errc::conflict,
                fmt::format(
                    "the node {} is in the cluster with another data directory; remove it first "
                    "(muster nodes remove {}), or choose another name",
                    node.name,
                    node.name));
        auto next = pooled_anew(node, "it came with another data directory", now);
        next.instance = own.instance;
        next.address = own.address;
        return std::optional(std::move(next));
    }
    node_record next = node;
    if (node.state == node_state::faulty)
        next = pooled_anew(node, "it came back after it had been given up as faulty", now);
    if (node.state == node_state::offline)
        next = changed(node, node_state::serving, "it started again", now);
    if (node.state == node_state::staged) next.wiped = true;
    next.address = own.address;
    if (next == node) return std::optional<node_record>();
    return std::optional(std::move(next));
}

bool node_record_reconciler::listed() const {
    const auto topology = deps_.topology.read();
    const auto own = topology->servers.find(options_.own.name);
    return own != topology->servers.end() && own->second.instance == options_.own.instance;
}

bool node_record_reconciler::in_accord() const {
    const auto topology = deps_.topology.read();
    const auto own = topology->nodes.find(options_.own.name);
    if (own == topology->nodes.end()) return false;
    const auto next = own_next(own->second, options_.own, deps_.clock.wall());
    return next && !*next;
}

async<void> node_record_reconciler::replace(kv::entry entry, node_record next) {
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{entry.key, entry.modified});
    change.then.emplace_back(kv::put{.key = entry.key, .value = encode(next)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(errc::conflict, "the node's record changed meanwhile");
    deps_.log.info(
        "this node's state changed",
        {{"state", membership::to_string(next.state)}, {"reason", next.reason}});
    deps_.announce(node_message(next));
    co_return result<void>();
}

async<void> node_record_reconciler::make_record() {
    const std::string counter(keys::last_node_number);
    const auto zone = keys::zone(default_zone);
    CO_TRY(const auto last, co_await metastore_.get(counter));
    CO_TRY(const auto there, co_await metastore_.get(zone));
    kv::transaction change;
    std::int64_t input = 0;
    if (last.found) {
        CO_TRY(input, decode_counter(last.found->value));
        change.when.emplace_back(kv::unchanged{counter, last.found->modified});
    } else {
        change.when.emplace_back(kv::absent{counter});
    }
    const wall_time now = deps_.clock.wall();
    const bool first = !last.found;
    const node_record own{
        .number = node_number(input + 1),
        .name = options_.own.name,
        .instance = options_.own.instance,
        .address = options_.own.address,
        .zone = std::string(first ? default_zone : ""),
        .state = first ? node_state::serving : node_state::pooled,
        .reason = first ? "it is the cluster's first node" : "it knocked",
        .since = now};
    change.when.emplace_back(kv::absent{keys::node(options_.own.name)});
    change.then.emplace_back(kv::put{.key = counter, .value = std::to_string(input + 1)});
    change.then.emplace_back(kv::put{.key = keys::node(options_.own.name), .value = encode(own)});
    if (first && !there.found) {
        const zone_record result{
            .name = std::string(default_zone),
            .description = "the first zone",
            .parent = {},
            .made = now};
        change.when.emplace_back(kv::absent{zone});
        change.then.emplace_back(kv::put{.key = zone, .value = encode(result)});
    }
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return fail(errc::conflict, "another node was quicker");
    deps_.log.info(
        "this node is known to the cluster", {{"state", membership::to_string(own.state)}});
    deps_.announce(node_message(own));
    co_return result<void>();
}

async<void> node_record_reconciler::settle() {
    CO_TRY(auto there, co_await metastore_.get(keys::node(options_.own.name)));
    if (!there.found) co_return co_await make_record();
    CO_TRY(const auto record, decode_node(there.found->value));
    CO_TRY(auto next, own_next(record, options_.own, deps_.clock.wall()));
    if (!next) co_return result<void>();
    if (record.state == node_state::faulty)
        deps_.log.warning(
            "this node was given up as faulty; an admin has to take it in again: muster nodes "
            "stage, then accept",
            {{"node", options_.own.name}});
    if (next->wiped && !record.wiped) options_.wipe();
    co_return co_await replace(std::move(*there.found), std::move(*next));
}

boost::asio::awaitable<void> node_record_reconciler::run() {
    std::string last_said;
    while (true) {
        if (listed() && !in_accord()) {
            const auto settled = co_await settle();
            if (settled) {
                last_said.clear();
            } else if (settled.error().code() == errc::cancelled) {
                co_return;
            } else if (const auto string = to_string(settled.error());
                       std::exchange(last_said, string) != string) {
                deps_.log.warning(
                    "this node's record is not as it should be", {{"reason", string}});
            }
        }
        const auto rung = co_await within(deps_.clock, options_.look_interval, bell_.wait());
        if (!rung && rung.error().code() != errc::timed_out) co_return;
    }
}

async<void> node_record_reconciler::try_to_go_offline() {
    CO_TRY(auto there, co_await metastore_.get(keys::node(options_.own.name)));
    if (!there.found) co_return result<void>();
    CO_TRY(const auto record, decode_node(there.found->value));
    const bool ours = record.instance == options_.own.instance;
    const bool serves = record.state == node_state::serving || record.state == node_state::suspect;
    if (!ours || !serves) co_return result<void>();
    auto next = changed(record, node_state::offline, "it was stopped", deps_.clock.wall());
    co_return co_await replace(std::move(*there.found), std::move(next));
}

async<void> node_record_reconciler::go_offline() {
    for (int attempt = 1;; ++attempt) {
        auto done = co_await try_to_go_offline();
        if (done || done.error().code() != errc::conflict || attempt == attempts_max)
            co_return done;
    }
}

}  // namespace muster::cluster
