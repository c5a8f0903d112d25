#pragma once

#include "core/placement/planner.h"
#include "core/placement/slot_ownership_guard.h"
#include "ports/metastore.h"
#include "roles/driver/driver.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/lease_guard.h"
#include "services/cluster/node_record_reconciler.h"
#include "services/cluster/readiness.h"
#include "services/cluster/registration.h"
#include "services/cluster/topology.h"
#include "services/cluster/topology_follower.h"
#include "sim/cluster.h"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <atomic>
#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace muster::sim {

// One life of a simulated server with the roles driver and node: the product's own code over
// simulated ports. In place of channels stands the question which slots it acts for.
class placement_server final : public runtime::wakeup, private driver::driver_inputs {
public:
    struct options {
        std::chrono::seconds ttl{3};
        bool ignores_its_lease = false;         // a planted bug
        bool miscounts_when_others_go = false;  // another one
        std::size_t moves_per_step = slot::count;
        const placement::weights* weights = nullptr;
        std::function<async<bool>(sim::cluster& cluster, process& driver, std::string address)>
            probe;
        runtime::logger* log = nullptr;
        // What it may act for has changed: by another topology, or its lease was confirmed.
        std::function<void()> claims_changed = [] {
        };
    };

    placement_server(sim::cluster& cluster, process& host, options options);

    void start();

    // What SIGTERM does: everything ends, the cluster is told, the lease is given back.
    boost::asio::awaitable<void> stop();

    // Seen from outside, at any instant of true time.
    bool may_act() const;  // for anything at all
    bool acts_for(slot slot) const;
    placement::epoch table_epoch() const;
    bool leads() const { return leading(); }
    const std::atomic<bool>& leading() const { return driver_->counts().active; }

    // For the other roles of the same server.
    metastore& store() { return *metastore_; }
    const muster::cluster::topology_cache& topology() const { return topology_; }
    const muster::cluster::lease_guard& lease() const { return guard_; }

private:
    void spawn(boost::asio::awaitable<void> work);
    void wake() override;

    // For the driver.
    bool topology_complete() const override { return follower_.complete(); }
    placement::weights weights(const std::string& zone) const override;
    std::vector<driver::load_report> loads() const override { return {}; }
    async<bool> probe(muster::cluster::server_record peer, std::string address) override;

    cluster& cluster_;
    process& host_;
    options options_;
    std::shared_ptr<metastore> metastore_;
    muster::cluster::topology_cache topology_;
    muster::cluster::readiness noted_;
    muster::cluster::lease_guard guard_;
    muster::cluster::topology_follower follower_;
    // Tells whoever checks the run when this server's claims may have changed.
    struct claims_observer final : runtime::wakeup {
        explicit claims_observer(const options& of) : changed(of.claims_changed) {}
        const std::function<void()>& changed;
        void wake() override {
            if (changed) changed();
        }
    };
    claims_observer claims_observer_{options_};
    muster::cluster::registration listing_;
    muster::cluster::node_record_reconciler node_;
    std::optional<driver::driver> driver_;
    node_number number_;
    std::optional<placement::slot_ownership_guard> claims_;
    placement::epoch table_;
    std::list<boost::asio::cancellation_signal> running_;
    std::size_t ended_ = 0;
    bool stopping_ = false;
};

}  // namespace muster::sim
