#pragma once

#include "core/stream/message.h"
#include "ports/clock.h"
#include "ports/metastore.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_record.h"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace muster::cluster {

// Publishes a message on the bus; must not block.
using publish_function = std::function<void(stream::message)>;

// The message of a node's change of state: muster.node.STATE.
stream::message node_message(const node_record& node);

// The change a node has to make to its own record; nothing: the record is right. errc::conflict
// when the record belongs to a live node with another data directory.
//
// Only the node itself returns: from offline to serving, after a planned stop, and from faulty to
// the pool, because its slots were given away meanwhile.
struct node_identity {
    std::string name;
    std::string instance;
    std::string address;
};
result<std::optional<node_record>> find_record_update(
    const node_record& node, const node_identity& identity, wall_time now);

// Keeps the record of this server's node correct. The first node of a cluster joins the zone
// `default` at once. Every other node creates a record in the pool, unless its join token created
// one. Not thread-safe, except for wake(); call from one strand.
class node_record_reconciler final : public runtime::wakeup {
public:
    struct options {
        node_identity identity;
        // Deletes what the node holds of its systems. Called after an admin staged the node.
        std::function<void()> wipe = [] {
        };
        monotonic::duration check_interval = std::chrono::seconds(10);
    };
    struct dependencies {
        muster::clock& clock;
        const topology_cache& topology;
        publish_function publish;
        runtime::logger& log;
    };

    node_record_reconciler(muster::metastore& metastore, dependencies deps, options options)
        : metastore_(metastore), deps_(std::move(deps)), options_(std::move(options)) {}

    // Runs until cancelled.
    boost::asio::awaitable<void> run();

    void wake() override { wakeup_.notify(); }

    // Records a planned stop: the node keeps its slots until it is back. Call it after run() has
    // ended and before the lease of the server is revoked.
    async<void> go_offline();

private:
    bool is_listed() const;
    bool is_record_current() const;
    async<void> reconcile();
    async<void> create_record();
    async<void> replace_record(kv::entry entry, node_record updated);
    async<void> try_to_go_offline();

    metastore& metastore_;
    dependencies deps_;
    options options_;
    runtime::async_event wakeup_;
};

}  // namespace muster::cluster
