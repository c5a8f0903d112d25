#pragma once

#include "services/fleet/group_book.h"
#include "services/revision/applier.h"
#include "services/revision/common_follower.h"
#include "services/revision/draft_desk.h"
#include "services/revision/drift_watch.h"
#include "services/revision/keeper.h"
#include "services/revision/leadership.h"
#include "services/revision/press.h"
#include "services/revision/revision_ledger.h"
#include "services/revision/source.h"
#include "runtime/log.h"
#include "sim/cluster.h"
#include "sim/workloads/revisions_rules.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace muster::sim {

// The ledger of the cluster, as every process opens it.
std::shared_ptr<ledger> open_common_ledger(cluster& stage, process& host);

// The values of groups as a section of a revision holds them.
revision::section section_of(const fleet::group_book::groups& known);
std::map<std::string, std::string, std::less<>> values_in(const revision::section& of);

// One life of a simulated server that edits common data: the product's own code over simulated
// ports, with saved groups as the data.
class revisions_server {
public:
    struct options {
        std::chrono::seconds ttl{3};
        std::chrono::seconds idle_limit{40};
        runtime::logger* log = nullptr;
    };

    revisions_server(cluster& stage, process& host, options how);

    void start();

    metastore& store() { return *store_; }
    revision::leadership& seat() { return seat_; }
    revision::draft_desk& desk() { return desk_; }
    revision::keeper& care() { return care_; }
    const revision::common_cell& known() const { return known_; }
    const std::optional<revision::holding>& holds() const { return drift_.own(); }

    // Gives a group its value, as whoever changes it by the API does.
    async<void> set(named_value what);

private:
    boost::asio::awaitable<void> follow_groups();
    async<revision::section> recorded();
    async<void> carry_out(revision::drafted_change change);

    process& host_;
    options how_;
    std::shared_ptr<metastore> store_;
    std::shared_ptr<ledger> records_;
    fleet::group_book groups_;
    revision::sources from_;
    revision::common_cell known_;
    revision::common_follower follower_;
    revision::leadership seat_;
    revision::draft_desk desk_;
    revision::revision_ledger kept_;
    revision::press printing_;
    revision::applier work_;
    revision::drift_watch drift_;
    revision::keeper care_;
};

}  // namespace muster::sim
