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

void tell_nobody(const stream::message& /*what*/) {}

}  // namespace

placement_server::placement_server(cluster& stage, process& host, options options)
    : stage_(stage),
      host_(host),
      options_(std::move(options)),
      store_(open_metastore(stage, host, "metastore")),
      follower_(*store_, host.clock(), known_, *options_.log, {.reconcile_interval = 30s}),
      listing_(
          *store_,
          {.clock = host.clock(),
           .noted = noted_,
           .guard = guard_,
           .topology = known_,
           .log = *options_.log,
           .confirmed = &claims_observer_},
          {.own = record_of(host), .ttl = options_.ttl}),
      node_(
          *store_,
          {.clock = host.clock(),
           .topology = known_,
           .announce = tell_nobody,
           .log = *options_.log},
          {.own = {
               .name = host.name(),
               .instance = "data of " + host.name(),
               .address = host.name() + ":8443"}}) {
    driver::driver_inputs& inputs = *this;
    driver_.emplace(
        driver::driver::dependencies{
            .metastore = *store_,
            .clock = host.clock(),
            .topology = known_,
            .announce = tell_nobody,
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
    auto all = *options_.weights;
    const auto existing = known_.read();
    const bool somebody_away = std::ranges::any_of(existing->nodes, [](const auto& each) {
        return each.second.state == membership::node_state::offline
               || each.second.state == membership::node_state::suspect;
    });
    if (options_.miscounts_when_others_go && somebody_away)
        std::fill(all.begin() + few, all.end(), std::uint64_t{0});
    return all;
}

async<bool> placement_server::probe(muster::cluster::server_record /*peer*/, std::string address) {
    return options_.probe(stage_, host_, std::move(address));
}

void placement_server::spawn(asio::awaitable<void> work) {
    running_.emplace_back();
    auto done = [this](const std::exception_ptr& failure) {
        ++ended_;
        // After a cancellation an exception is how a task leaves.
        if (failure && !stopping_)
            host_.where().violated(host_.name() + ": a task ended with an exception");
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
    spawn(listing_.keep());
    spawn(node_.run());
    spawn(driver_->run());
}

// The topology has changed.
void placement_server::wake() {
    node_.wake();
    driver_->wake();
    const auto existing = known_.read();
    const auto own = existing->nodes.find(host_.name());
    if (own == existing->nodes.end()) return;
    const auto table = existing->slots.find(own->second.zone);
    if (table == existing->slots.end()) return;
    // Who was given up and taken in again has another number.
    if (!claims_ || number_ != own->second.number) {
        number_ = own->second.number;
        claims_.emplace(number_, options_.ttl);
    }
    claims_->see(table->second, host_.clock().now());
    table_ = table->second->current();
    options_.claims_changed();
}

asio::awaitable<void> placement_server::stop() {
    stopping_ = true;
    for (auto& each : running_) each.emit(asio::cancellation_type::terminal);
    while (ended_ < running_.size())
        ignore_error(co_await host_.clock().sleep_for(10ms), "nobody cancels it");
    ignore_error(co_await node_.go_offline(), "then it looks like a disaster");
    ignore_error(co_await driver_->leave(), "its lease ends by itself");
    ignore_error(co_await listing_.leave(), "its lease ends by itself");
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
