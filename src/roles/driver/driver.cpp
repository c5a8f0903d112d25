#include "roles/driver/driver.h"

#include "ports/deadline.h"
#include "services/cluster/keys.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/json.hpp>
#include <fmt/format.h>

#include <exception>
#include <utility>
#include <variant>

namespace muster::driver {
namespace {

namespace asio = boost::asio;
namespace keys = cluster::keys;
using membership::node_state;

}  // namespace

driver::driver(dependencies deps, driver_inputs& inputs, options options)
    : deps_(std::move(deps)),
      inputs_(inputs),
      options_(std::move(options)),
      election_(
          deps_.metastore,
          deps_.clock,
          deps_.log,
          {.key = std::string(keys::active_driver),
           .candidate = options_.server,
           .term_key = std::string(keys::last_driver),
           .ttl = options_.term}) {
    election_.wake_on_change(*this);
}

boost::asio::awaitable<void> driver::run() {
    const auto executor = co_await asio::this_coro::executor;
    using loop = decltype(asio::co_spawn(executor, run_rounds(), asio::deferred));
    std::vector<loop> loops;
    loops.push_back(asio::co_spawn(executor, election_.run(), asio::deferred));
    loops.push_back(asio::co_spawn(executor, run_rounds(), asio::deferred));
    for (std::size_t index = 0; index < probers; ++index)
        loops.push_back(asio::co_spawn(executor, send_probes(index), asio::deferred));
    auto group = asio::experimental::make_parallel_group(std::move(loops));
    auto [order, exceptions] =
        co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (const auto& exception : exceptions)
        if (exception) std::rethrow_exception(exception);
}

boost::asio::awaitable<void> driver::run_rounds() {
    std::string last_error;
    while (true) {
        // Act only after reading everything that the previous driver wrote.
        const bool may_act = election_.is_leader() && inputs_.topology_complete()
                             && deps_.topology.read()->revision >= election_.won_revision();
        counts_.active = may_act;
        if (may_act) {
            const auto outcome = co_await run_once();
            const auto message = outcome ? std::string() : to_string(outcome.error());
            if (std::exchange(last_error, message) != message && !outcome)
                deps_.log.warning("driver loop failed", {{"error", message}});
        } else {
            discard_term_state();
        }
        const auto wait_result = co_await within(deps_.clock, options_.tick, wakeup_.wait());
        if (!wait_result && wait_result.error().code() != errc::timed_out) co_return;
    }
}

// State belongs to one term of leadership; the next term starts from the stored records.
void driver::discard_term_state() {
    monitors_.clear();
    plans_.clear();
    probe_requests_.clear();
}

async<void> driver::run_once() {
    const auto topology = deps_.topology.read();
    loads_.add_reports(inputs_.loads(), *topology);
    refresh_zone_index(topology);
    std::erase_if(monitors_, [&](const auto& entry) {
        const auto zone = topology->zones.find(entry.first);
        return zone == topology->zones.end()
               || zone->second.disaster_timeout != entry.second.disaster_timeout();
    });
    for (const auto& [zone, record] : topology->zones) {
        CO_CHECK_OK(co_await check_zone(zone));
        if (!election_.is_leader()) co_return result<void>();
    }
    CO_CHECK_OK(co_await plan_zones());
    co_return co_await remove_absent_pooled_nodes();
}

// Groups nodes by zone once per topology; searching all nodes for each zone would be quadratic.
void driver::refresh_zone_index(const snapshot& snapshot) {
    if (indexed_ == snapshot) return;
    indexed_ = snapshot;
    by_zone_ = nodes_by_zone(*snapshot);
}

const zone_nodes& driver::nodes_of(const std::string& zone) {
    static const zone_nodes no_nodes;
    const auto it = by_zone_.find(zone);
    return it == by_zone_.end() ? no_nodes : it->second;
}

zone_failure_monitor& driver::monitor_of(const std::string& zone) {
    const auto it = monitors_.find(zone);
    if (it != monitors_.end()) return it->second;
    const auto topology = deps_.topology.read();
    const auto record = topology->zones.find(zone);
    membership::detector_options options{.probe_interval = options_.probe_interval};
    if (record != topology->zones.end()) options.disaster_timeout = record->second.disaster_timeout;
    return monitors_.emplace(zone, zone_failure_monitor(zone, options)).first->second;
}

async<void> driver::check_zone(std::string zone) {
    refresh_zone_index(deps_.topology.read());
    const auto topology = indexed_;
    const auto effects = monitor_of(zone).check(*topology, nodes_of(zone), deps_.clock.now());
    for (const auto& effect : effects) {
        CO_CHECK_OK(co_await apply_effect(zone, topology, effect));
    }
    // A previous driver may have recorded a hold that has ended.
    const bool recorded = deps_.topology.read()->freezes.contains(zone);
    if (recorded && !monitor_of(zone).is_holding() && effects.empty())
        co_return co_await record_hold(zone, false, {});
    co_return result<void>();
}

async<void> driver::apply_effect(std::string zone, snapshot snapshot, membership::effect effect) {
    if (const auto* change = std::get_if<membership::set_state>(&effect))
        co_return co_await set_state(std::move(zone), std::move(snapshot), *change);
    if (const auto* request = std::get_if<membership::ask_peers>(&effect)) {
        request_probes(zone, *request);
        co_return result<void>();
    }
    if (const auto* hold = std::get_if<membership::freeze_zone>(&effect))
        co_return co_await record_hold(std::move(zone), true, *hold);
    co_return co_await record_hold(std::move(zone), false, {});
}

// The write is conditional on the node record that the decision was based on: the node may have
// announced its shutdown since. It is also conditional on the server's presence, because the
// metastore is newer than the topology used for the decision.
async<void> driver::set_state(std::string zone, snapshot snapshot, membership::set_state change) {
    const auto* stored = snapshot->find_node(change.node);
    if (stored == nullptr) co_return result<void>();
    cluster::node_record updated = *stored;
    updated.state = change.state;
    updated.reason = change.reason;
    updated.since = deps_.clock.wall();
    const auto key = keys::node(stored->name);
    kv::transaction transaction;
    transaction.when.emplace_back(election_.leadership_condition());
    transaction.when.emplace_back(kv::unchanged{key, snapshot->node_revisions.at(stored->name)});
    if (change.state == node_state::serving) {
        transaction.when.emplace_back(kv::present{keys::server(stored->name)});
    } else {
        transaction.when.emplace_back(kv::absent{keys::server(stored->name)});
    }
    transaction.then.emplace_back(kv::put{.key = key, .value = encode(updated)});
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(transaction)));
    if (!outcome.committed) co_return result<void>();  // the next check sees why
    monitor_of(zone).on_state_written(change.node, outcome.at);
    deps_.log.warning(
        "node state changed",
        {{"node", updated.name},
         {"zone", zone},
         {"from", membership::to_string(stored->state)},
         {"to", membership::to_string(updated.state)},
         {"reason", updated.reason}});
    deps_.publish(cluster::node_message(updated));
    co_return result<void>();
}

async<void> driver::record_hold(std::string zone, bool is_held, membership::freeze_zone hold) {
    kv::transaction transaction;
    transaction.when.emplace_back(election_.leadership_condition());
    if (is_held) {
        const cluster::zone_freeze_record record{
            .missing = static_cast<std::int64_t>(hold.missing),
            .members = static_cast<std::int64_t>(hold.members),
            .since = deps_.clock.wall()};
        transaction.then.emplace_back(
            kv::put{.key = keys::zone_freeze(zone), .value = encode(record)});
    } else {
        transaction.then.emplace_back(kv::erase{keys::zone_freeze(zone)});
    }
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(transaction)));
    if (!outcome.committed) co_return result<void>();  // another driver leads
    if (is_held) {
        monitor_of(zone).on_hold_recorded(outcome.at);
        deps_.log.warning(
            "zone frozen: more than half of its nodes are missing",
            {{"zone", zone},
             {"missing", hold.missing},
             {"nodes", hold.members},
             {"hint", "check the network; node states and slots do not change while frozen"}});
    } else {
        deps_.log.warning("zone unfrozen; enough nodes are back", {{"zone", zone}});
    }
    const boost::json::object payload{
        {"zone", zone}, {"missing", hold.missing}, {"members", hold.members}};
    deps_.publish(
        {.subject = fmt::format("muster.zone.{}.{}", zone, is_held ? "held" : "released"),
         .payload = boost::json::serialize(payload),
         .id = {}});
    co_return result<void>();
}

void driver::request_probes(const std::string& zone, const membership::ask_peers& request) {
    for (const node_number peer : request.peers) {
        if (probe_requests_.size() >= probe_requests_max) {
            ++counts_.probes_dropped;
            return;
        }
        probe_requests_.push_back({.zone = zone, .suspect = request.suspect, .peer = peer});
    }
    for (auto& prober_wakeup : prober_wakeups_) prober_wakeup.notify();
}

boost::asio::awaitable<void> driver::send_probes(std::size_t index) {
    while (true) {
        if (probe_requests_.empty()) {
            const auto wait_result = co_await prober_wakeups_.at(index).wait();
            if (!wait_result) co_return;
            continue;
        }
        const probe_request request = std::move(probe_requests_.front());
        probe_requests_.pop_front();
        const auto topology = deps_.topology.read();
        const auto* suspect = topology->find_node(request.suspect);
        const auto* peer = topology->find_node(request.peer);
        if (suspect == nullptr || peer == nullptr) continue;
        const auto server = topology->servers.find(peer->name);
        if (server == topology->servers.end()) continue;
        const auto reachable = co_await inputs_.probe(server->second, suspect->address);
        if (!reachable && reachable.error().code() == errc::cancelled) co_return;
        if (!reachable || !election_.is_leader()) continue;  // no response: no information
        const auto monitor = monitors_.find(request.zone);
        if (monitor != monitors_.end())
            monitor->second.on_probe_result(request.suspect, *reachable, deps_.clock.now());
    }
}

}  // namespace muster::driver
