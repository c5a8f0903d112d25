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

using announcement = std::function<void(stream::message)>;

// The message of a node's change of state: muster.node.STATE.
stream::message node_message(const node_record& now);

// What a node has to do about its own record when it finds it so; nothing: leave it as it is.
// errc::conflict when the record belongs to a living node with another data directory.
//
// Only a node itself brings itself back: from offline to serving, because it said that it went
// down, and from faulty to the pool, because its slots were given away meanwhile.
struct node_self {
    std::string name;
    std::string instance;
    std::string address;
};
result<std::optional<node_record>> own_next(
    const node_record& node, const node_self& own, wall_time now);

// Keeps the record of this server's node in accord with what the server is. The first node of a
// cluster is taken in at once, into the zone `default`; every other one makes itself a record in
// the pool, unless its join token made it one. Lives on one strand.
class node_record_reconciler final : public runtime::wakeup {
public:
    struct options {
        node_self own;
        // Drops what the node holds of its systems; called when an admin staged it.
        std::function<void()> wipe = [] {
        };
        monotonic::duration look_interval = std::chrono::seconds(10);
    };
    struct dependencies {
        muster::clock& clock;
        const topology_cache& topology;
        announcement announce;
        runtime::logger& log;
    };

    node_record_reconciler(muster::metastore& metastore, dependencies deps, options options)
        : metastore_(metastore), deps_(std::move(deps)), options_(std::move(options)) {}

    // Until it is cancelled.
    boost::asio::awaitable<void> run();

    void wake() override { bell_.ring(); }

    // A planned stop: the node keeps its slots until it is back. To be called after run() has ended
    // and before the server's lease is given back.
    async<void> go_offline();

private:
    bool listed() const;
    bool in_accord() const;
    async<void> settle();
    async<void> make_record();
    async<void> replace(kv::entry entry, node_record next);
    async<void> try_to_go_offline();

    metastore& metastore_;
    dependencies deps_;
    options options_;
    runtime::async_event bell_;
};

}  // namespace muster::cluster
