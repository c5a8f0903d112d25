#include "sim/workloads/zone_admin.h"

#include "services/cluster/keys.h"
#include "services/cluster/nodes.h"

namespace muster::sim {

namespace {

namespace keys = muster::cluster::keys;
using membership::node_state;

void tell_nobody(const stream::message& /*what*/) {}

}  // namespace

async<std::map<std::string, muster::cluster::node_record>> read_nodes(
    std::shared_ptr<metastore> metastore) {
    CO_TRY(const auto page, co_await metastore->range({.prefix = std::string(keys::nodes)}));
    std::map<std::string, muster::cluster::node_record> nodes;
    for (const auto& entry : page.entries) {
        CO_TRY(auto node, muster::cluster::decode_node(entry.value));
        nodes.emplace(node.name, std::move(node));
    }
    co_return nodes;
}

async<void> zone_admin::make_zone() {
    const muster::cluster::zone_record zone{
        .name = options_.zone,
        .description = "simulated",
        .parent = {},
        .disaster_timeout = options_.disaster_timeout,
        .made = self_.clock().wall()};
    kv::transaction change;
    change.then.emplace_back(kv::put{.key = keys::zone(options_.zone), .value = encode(zone)});
    CO_CHECK_OK(co_await store_->commit(std::move(change)));
    co_return result<void>();
}

boost::asio::awaitable<void> zone_admin::run() {
    bool zone_made = false;
    prng& random = self_.where().random("administering");
    while (true) {
        if (!zone_made) zone_made = (co_await make_zone()).has_value();
        ignore_error(co_await look(), "the next round tries again");
        const auto pause = std::chrono::milliseconds(1000 + random.below(4000));
        ignore_error(co_await self_.clock().sleep_for(pause), "nobody cancels it");
    }
}

async<void> zone_admin::look() {
    prng& random = self_.where().random("administering");
    muster::cluster::nodes office(*store_, self_.clock(), tell_nobody);
    CO_TRY(const auto nodes, co_await read_nodes(store_));
    for (const auto& [name, node] : nodes) {
        if (node.state == node_state::pooled) {
            CO_CHECK_OK(co_await office.stage(name));
        } else if (node.state == node_state::staged && node.wiped) {
            CO_CHECK_OK(co_await office.accept(name, options_.zone));
        } else if (node.leaving && (options_.winding_down() || random.chance(200))) {
            CO_CHECK_OK(co_await office.undrain(name));
        } else if (
            node.state == node_state::serving && !options_.winding_down()
            && random.chance(options_.drains_per_mille)) {
            CO_CHECK_OK(co_await office.drain(name));
        }
    }
    co_return result<void>();
}

}  // namespace muster::sim
