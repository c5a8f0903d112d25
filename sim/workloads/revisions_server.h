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
std::shared_ptr<ledger> open_common_ledger(cluster& stage, process& host);

// The values of groups as a section of a revision holds them.
revision::section section_of(const fleet::group_store::groups& groups);
std::map<std::string, std::string, std::less<>> values_in(const revision::section& of);

// One life of a simulated server that edits common data: the product's own code over simulated
// ports, with saved groups as the data.
class revisions_server final : public revision::change_executor {
public:
    struct options {
        std::chrono::seconds ttl{3};
        std::chrono::seconds idle_limit{40};
        runtime::logger* log = nullptr;
    };

    revisions_server(cluster& stage, process& host, options options);

    void start();

    metastore& store() { return *store_; }
    revision::edit_lock& seat() { return seat_; }
    revision::draft_service& desk() { return desk_; }
    revision::revision_reconciler& care() { return care_; }
    const revision::edit_state_cache& known() const { return known_; }
    const std::optional<revision::held_digests>& holds() const { return drift_.own(); }

    // Gives a group its value, as whoever changes it by the API does.
    async<void> set(named_value named_value);

private:
    boost::asio::awaitable<void> follow_groups();
    async<revision::section> recorded();
    async<void> execute(revision::draft_change change) override;

    process& host_;
    options options_;
    std::shared_ptr<metastore> store_;
    std::shared_ptr<ledger> records_;
    fleet::group_store groups_;
    revision::sources from_;
    revision::edit_state_cache known_;
    revision::edit_state_follower follower_;
    revision::edit_lock seat_;
    revision::draft_service desk_;
    revision::revision_store kept_;
    revision::revision_publisher printing_;
    events::event_sink unrecorded_;  // what is told of the editing
    revision::applier work_;
    revision::drift_monitor drift_;
    revision::revision_reconciler care_;
};

}  // namespace muster::sim
