#pragma once

#include "runtime/log.h"
#include "services/fleet/group_store.h"
#include "services/revision/applier.h"
#include "services/revision/draft_service.h"
#include "services/revision/drift_monitor.h"
#include "services/revision/edit_lock.h"
#include "services/revision/edit_state_follower.h"
#include "services/revision/revision_publisher.h"
#include "services/revision/revision_reconciler.h"
#include "services/revision/revision_store.h"
#include "services/revision/source.h"
#include "sim/cluster.h"
#include "sim/workloads/revisions_invariants.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace muster::sim {

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_common_ledger(sim::cluster& cluster, process& host);

// The values of groups as a section of a revision holds them.
revision::section section_of(const fleet::group_store::groups& groups);
std::map<std::string, std::string, std::less<>> values_in(const revision::section& of);

// One life of a simulated server that edits common data: product code over simulated ports, with
// groups as the data.
class revisions_server final : public revision::change_executor {
public:
    struct options {
        std::chrono::seconds ttl{3};
        std::chrono::seconds idle_limit{40};
        runtime::logger* log = nullptr;
    };

    revisions_server(sim::cluster& cluster, process& host, options options);

    void start();

    metastore& store() { return *metastore_; }
    revision::edit_lock& edit_lock() { return edit_lock_; }
    revision::draft_service& drafts() { return drafts_; }
    revision::revision_reconciler& reconciler() { return reconciler_; }
    const revision::edit_state_cache& known() const { return edit_state_; }
    const std::optional<revision::held_digests>& own_digests() const { return drift_.own(); }

    // Sets the value of a group, as the API does.
    async<void> set(named_value named_value);

private:
    boost::asio::awaitable<void> follow_groups();
    async<revision::section> recorded();
    async<void> execute(revision::draft_change change) override;

    process& host_;
    options options_;
    std::shared_ptr<metastore> metastore_;
    std::shared_ptr<ledger> ledger_;
    fleet::group_store groups_;
    revision::sources common_data_;
    revision::edit_state_cache edit_state_;
    revision::edit_state_follower follower_;
    revision::edit_lock edit_lock_;
    revision::draft_service drafts_;
    revision::revision_store revisions_;
    revision::revision_publisher publisher_;
    events::event_sink events_;  // what is told of the editing
    revision::applier applier_;
    revision::drift_monitor drift_;
    revision::revision_reconciler reconciler_;
};

}  // namespace muster::sim
