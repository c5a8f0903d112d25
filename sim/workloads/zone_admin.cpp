#include "sim/workloads/zone_admin.h"

#include "services/cluster/keys.h"
#include "services/cluster/node_service.h"

namespace muster::sim {

namespace {

namespace keys = muster::cluster::keys;
using membership::node_state;

void ignore_message(const stream::message& /*message*/) {}

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

async<void> zone_admin::create_zone() {
    const muster::cluster::zone_record zone{
        .name = options_.zone,
        .description = "simulated",
        .parent = {},
        .disaster_timeout = options_.disaster_timeout,
        .made = self_.clock().wall()};
    kv::transaction change;
    change.then.emplace_back(kv::put{.key = keys::zone(options_.zone), .value = encode(zone)});
    CO_CHECK_OK(co_await metastore_->commit(std::move(change)));
    co_return result<void>();
}

boost::asio::awaitable<void> zone_admin::run() {
    bool zone_created = false;
    prng& random = self_.simulation().random("administering");
    while (true) {
        if (!zone_created) zone_created = (co_await create_zone()).has_value();
        ignore_error(co_await run_once(), "the next round retries");
        const auto pause = std::chrono::milliseconds(1000 + random.below(4000));
        ignore_error(co_await self_.clock().sleep_for(pause), "never cancelled");
    }
}

async<void> zone_admin::run_once() {
    prng& random = self_.simulation().random("administering");
    muster::cluster::node_service nodes_service(*metastore_, self_.clock(), ignore_message);
    CO_TRY(const auto nodes, co_await read_nodes(metastore_));
    for (const auto& [name, node] : nodes) {
        if (node.state == node_state::pooled) {
            CO_CHECK_OK(co_await nodes_service.stage(name));
        } else if (node.state == node_state::staged && node.wiped) {
            CO_CHECK_OK(co_await nodes_service.accept(name, options_.zone));
        } else if (node.leaving && (options_.winding_down() || random.chance(200))) {
            CO_CHECK_OK(co_await nodes_service.undrain(name));
        } else if (
            node.state == node_state::serving && !options_.winding_down()
            && random.chance(options_.drains_per_mille)) {
            CO_CHECK_OK(co_await nodes_service.drain(name));
        }
    }
    co_return result<void>();
}

}  // namespace muster::sim
