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
           .mark = std::string(keys::last_driver),
           .ttl = options_.term}) {
    election_.wake_on_change(*this);
}

boost::asio::awaitable<void> driver::run() {
    const auto executor = co_await asio::this_coro::executor;
    using part = decltype(asio::co_spawn(executor, lead(), asio::deferred));
    std::vector<part> parts;
    parts.push_back(asio::co_spawn(executor, election_.run(), asio::deferred));
    parts.push_back(asio::co_spawn(executor, lead(), asio::deferred));
    for (std::size_t index = 0; index < probers; ++index)
        parts.push_back(asio::co_spawn(executor, answer_questions(index), asio::deferred));
    auto all = asio::experimental::make_parallel_group(std::move(parts));
    auto [order, threw] =
        co_await all.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    for (const auto& each : threw)
        if (each) std::rethrow_exception(each);
}

boost::asio::awaitable<void> driver::lead() {
    std::string last_said;
    while (true) {
        // What a former driver decided must have been seen before anything new is.
        const bool leads = election_.leads() && inputs_.topology_complete()
                           && deps_.topology.read()->at >= election_.won_at();
        counted_.active = leads;
        if (leads) {
            const auto acted = co_await act();
            const auto message = acted ? std::string() : to_string(acted.error());
            if (std::exchange(last_said, message) != message && !acted)
                deps_.log.warning("the driver is held up", {{"reason", message}});
        } else {
            forget_everything();
        }
        const auto rung = co_await within(deps_.clock, options_.tick, bell_.wait());
        if (!rung && rung.error().code() != errc::timed_out) co_return;
    }
}

// What it knows belongs to its term: whoever leads next starts from the record.
void driver::forget_everything() {
    watches_.clear();
    plans_.clear();
    questions_.clear();
}

async<void> driver::act() {
    const auto topology = deps_.topology.read();
    loads_.take(inputs_.loads(), *topology);
    index(topology);
    std::erase_if(watches_, [&](const auto& each) {
        const auto zone = topology->zones.find(each.first);
        return zone == topology->zones.end()
               || zone->second.disaster_timeout != each.second.disaster_timeout();
    });
    for (const auto& [zone, record] : topology->zones) {
        CO_CHECK_OK(co_await watch_zone(zone));
        if (!election_.leads()) co_return result<void>();
    }
    CO_CHECK_OK(co_await plan_zones());
    co_return co_await remove_forgotten();
}

// Looking for a zone's nodes among all of them would cost the square of the cluster's size.
void driver::index(const snapshot& snapshot) {
    if (indexed_ == snapshot) return;
    indexed_ = snapshot;
    by_zone_ = nodes_by_zone(*snapshot);
}

const zone_nodes& driver::nodes_of(const std::string& zone) {
    static const zone_nodes none;
    const auto it = by_zone_.find(zone);
    return it == by_zone_.end() ? none : it->second;
}

zone_failure_monitor& driver::watch_of(const std::string& zone) {
    const auto it = watches_.find(zone);
    if (it != watches_.end()) return it->second;
    const auto topology = deps_.topology.read();
    const auto record = topology->zones.find(zone);
    membership::detector_options options{.probe_interval = options_.probe_interval};
    if (record != topology->zones.end()) options.disaster_timeout = record->second.disaster_timeout;
    return watches_.emplace(zone, zone_failure_monitor(zone, options)).first->second;
}

async<void> driver::watch_zone(std::string zone) {
    index(deps_.topology.read());
    const auto observed = indexed_;
    const auto effects = watch_of(zone).look(*observed, nodes_of(zone), deps_.clock.now());
    for (const auto& effect : effects) {
        CO_CHECK_OK(co_await perform(zone, observed, effect));
    }
    // A hold that a former driver noted may be over.
    const bool noted = deps_.topology.read()->holds.contains(zone);
    if (noted && !watch_of(zone).holding() && effects.empty())
        co_return co_await note_hold(zone, false, {});
    co_return result<void>();
}

async<void> driver::perform(std::string zone, snapshot snapshot, membership::effect effect) {
    if (const auto* change = std::get_if<membership::set_state>(&effect))
        co_return co_await set_state(std::move(zone), std::move(snapshot), *change);
    if (const auto* request = std::get_if<membership::ask_peers>(&effect)) {
        ask(zone, *request);
        co_return result<void>();
    }
    if (const auto* hold = std::get_if<membership::raise_hold>(&effect))
        co_return co_await note_hold(std::move(zone), true, *hold);
    co_return co_await note_hold(std::move(zone), false, {});
}

// The node's record must be the one that was decided upon: it may have said meanwhile that it goes
// down, while others' states were written. And its server must be there, or not be there, as the
// decision says: what the metastore knows by now is newer than what we looked at.
async<void> driver::set_state(
    std::string zone, snapshot snapshot, membership::set_state set_state) {
    const auto* node = snapshot->find_node(set_state.node);
    if (node == nullptr) co_return result<void>();
    cluster::node_record next = *node;
    next.state = set_state.to;
    next.reason = set_state.reason;
    next.since = deps_.clock.wall();
    const auto key = keys::node(node->name);
    kv::transaction change;
    change.when.emplace_back(election_.claim());
    change.when.emplace_back(kv::unchanged{key, snapshot->node_revisions.at(node->name)});
    if (set_state.to == node_state::serving) {
        change.when.emplace_back(kv::present{keys::server(node->name)});
    } else {
        change.when.emplace_back(kv::absent{keys::server(node->name)});
    }
    change.then.emplace_back(kv::put{.key = key, .value = encode(next)});
    CO_TRY(const auto verdict, co_await deps_.metastore.commit(std::move(change)));
    if (!verdict.committed) co_return result<void>();  // the next look sees why
    watch_of(zone).wrote(set_state.node, verdict.at);
    deps_.log.warning(
        "a node's state changed",
        {{"node", next.name},
         {"zone", zone},
         {"state", membership::to_string(next.state)},
         {"reason", next.reason}});
    deps_.announce(cluster::node_message(next));
    co_return result<void>();
}

async<void> driver::note_hold(std::string zone, bool holding, membership::raise_hold raise_hold) {
    kv::transaction change;
    change.when.emplace_back(election_.claim());
    if (holding) {
        const cluster::hold_record noted{
            .missing = static_cast<std::int64_t>(raise_hold.lost),
            .members = static_cast<std::int64_t>(raise_hold.members),
            .since = deps_.clock.wall()};
        change.then.emplace_back(kv::put{.key = keys::hold(zone), .value = encode(noted)});
    } else {
        change.then.emplace_back(kv::erase{keys::hold(zone)});
    }
    CO_TRY(const auto verdict, co_await deps_.metastore.commit(std::move(change)));
    if (!verdict.committed) co_return result<void>();  // another one leads
    if (holding) {
        watch_of(zone).noted_hold(verdict.at);
        deps_.log.warning(
            "more than half of a zone's nodes are missing: a network fault is likely, so nobody "
            "is given up and nothing moves",
            {{"zone", zone}, {"missing", raise_hold.lost}, {"members", raise_hold.members}});
    } else {
        deps_.log.warning("a zone is no longer held", {{"zone", zone}});
    }
    const boost::json::object response{
        {"zone", zone}, {"missing", raise_hold.lost}, {"members", raise_hold.members}};
    deps_.announce(
        {.subject = fmt::format("muster.zone.{}.{}", zone, holding ? "held" : "released"),
         .payload = boost::json::serialize(response),
         .id = {}});
    co_return result<void>();
}

void driver::ask(const std::string& zone, const membership::ask_peers& ask_peers) {
    for (const node_number peer : ask_peers.peers) {
        if (questions_.size() >= questions_max) {
            ++counted_.probes_dropped;
            return;
        }
        questions_.push_back({.zone = zone, .suspect = ask_peers.suspect, .peer = peer});
    }
    for (auto& prober_bell : prober_bells_) prober_bell.ring();
}

boost::asio::awaitable<void> driver::answer_questions(std::size_t index) {
    while (true) {
        if (questions_.empty()) {
            const auto rung = co_await prober_bells_.at(index).wait();
            if (!rung) co_return;
            continue;
        }
        const question next = std::move(questions_.front());
        questions_.pop_front();
        const auto topology = deps_.topology.read();
        const auto* suspect = topology->find_node(next.suspect);
        const auto* peer = topology->find_node(next.peer);
        if (suspect == nullptr || peer == nullptr) continue;
        const auto server = topology->servers.find(peer->name);
        if (server == topology->servers.end()) continue;
        const auto reached = co_await inputs_.probe(server->second, suspect->address);
        if (!reached && reached.error().code() == errc::cancelled) co_return;
        if (!reached || !election_.leads()) continue;  // a peer that does not answer says nothing
        const auto watch = watches_.find(next.zone);
        if (watch != watches_.end())
            watch->second.probed(next.suspect, *reached, deps_.clock.now());
    }
}

}  // namespace muster::driver
