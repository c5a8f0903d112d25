#include "sim/workloads/placement_server.h"

#include "sim/engines/metastore.h"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace muster::sim {

namespace {

using namespace std::chrono_literals;

namespace asio = boost::asio;

// A name stands for its data directory: the same one in every life.
muster::cluster::server_record record_of(process& host) {
    return {
        .name = host.name(),
        .instance = "data of " + host.name(),
        .address = host.name() + ":8443",
        .roles = {"driver", "node"},
        .version = "simulated",
        .started = host.clock().wall()};
}

void ignore_message(const stream::message& /*message*/) {}

}  // namespace

placement_server::placement_server(sim::cluster& cluster, process& host, options options)
    : cluster_(cluster),
      host_(host),
      options_(std::move(options)),
      metastore_(open_metastore(cluster, host, "metastore")),
      follower_(*metastore_, host.clock(), topology_, *options_.log, {.reconcile_interval = 30s}),
      listing_(
          *metastore_,
          {.clock = host.clock(),
           .readiness = noted_,
           .guard = guard_,
           .topology = topology_,
           .log = *options_.log,
           .confirmed = &claims_observer_},
          {.server = record_of(host), .ttl = options_.ttl}),
      node_(
          *metastore_,
          {.clock = host.clock(),
           .topology = topology_,
           .publish = ignore_message,
           .log = *options_.log},
          {.identity = {
               .name = host.name(),
               .instance = "data of " + host.name(),
               .address = host.name() + ":8443"}}) {
    driver::driver_inputs& inputs = *this;
    driver_.emplace(
        driver::driver::dependencies{
            .metastore = *metastore_,
            .clock = host.clock(),
            .topology = topology_,
            .publish = ignore_message,
            .log = *options_.log},
        inputs,
        driver::driver::options{
            .server = host.name(),
            .term = options_.ttl,
            .plan_interval = 2s,
            .moves_per_step = options_.moves_per_step,
            .probe_interval = 3s});
}

// With the planted bug it knows few of the systems while somebody is away.
placement::weights placement_server::weights(const std::string& /*zone*/) const {
    constexpr std::size_t few = 512;
    auto weights = *options_.weights;
    const auto existing = topology_.read();
    const bool node_away = std::ranges::any_of(existing->nodes, [](const auto& entry) {
        return entry.second.state == membership::node_state::offline
               || entry.second.state == membership::node_state::suspect;
    });
    if (options_.miscounts_when_others_go && node_away)
        std::fill(weights.begin() + few, weights.end(), std::uint64_t{0});
    return weights;
}

async<bool> placement_server::probe(muster::cluster::server_record /*peer*/, std::string address) {
    return options_.probe(cluster_, host_, std::move(address));
}

void placement_server::spawn(asio::awaitable<void> work) {
    running_.emplace_back();
    auto done = [this](const std::exception_ptr& failure) {
        ++ended_;
        // After a cancellation an exception is how a task leaves.
        if (failure && !stopping_)
            host_.simulation().violated(host_.name() + ": a task ended with an exception");
    };
    asio::co_spawn(
        host_.executor(),
        std::move(work),
        asio::bind_cancellation_slot(
            running_.back().slot(), asio::bind_executor(host_.executor(), std::move(done))));
}

void placement_server::start() {
    follower_.wake_on_change(*this);
    spawn(follower_.run());
    spawn(listing_.run());
    spawn(node_.run());
    spawn(driver_->run());
}

// The topology has changed.
void placement_server::wake() {
    node_.wake();
    driver_->wake();
    const auto existing = topology_.read();
    const auto own = existing->nodes.find(host_.name());
    if (own == existing->nodes.end()) return;
    const auto table = existing->slots.find(own->second.zone);
    if (table == existing->slots.end()) return;
    // Who was given up and taken in again has another number.
    if (!claims_ || number_ != own->second.number) {
        number_ = own->second.number;
        claims_.emplace(number_, options_.ttl);
    }
    claims_->update(table->second, host_.clock().now());
    table_ = table->second->current_epoch();
    options_.claims_changed();
}

asio::awaitable<void> placement_server::stop() {
    stopping_ = true;
    for (auto& entry : running_) entry.emit(asio::cancellation_type::terminal);
    while (ended_ < running_.size())
        ignore_error(co_await host_.clock().sleep_for(10ms), "never cancelled");
    ignore_error(co_await node_.go_offline(), "then the stop looks like a failure");
    ignore_error(co_await driver_->leave(), "the lease expires");
    ignore_error(co_await listing_.leave(), "the lease expires");
}

bool placement_server::may_act() const {
    return claims_ && (options_.ignores_its_lease || guard_.holds(host_.clock().now()));
}

bool placement_server::acts_for(slot slot) const {
    return may_act() && claims_->may_act(slot, host_.clock().now());
}

placement::epoch placement_server::table_epoch() const {
    return table_;
}

}  // namespace muster::sim
