#pragma once

#include "runtime/task_group.h"
#include "runtime/wakeup.h"
#include "services/events/event_sink.h"
#include "services/revision/applier.h"
#include "services/revision/draft_service.h"
#include "services/revision/drift_monitor.h"
#include "services/revision/edit_lock.h"
#include "services/revision/edit_state_follower.h"
#include "services/revision/revision_publisher.h"
#include "services/revision/revision_reconciler.h"
#include "services/revision/revision_store.h"

#include <chrono>
#include <string>

namespace muster::revision {

// Owns the services for the editing of common data (docs/concepts/drafts.md). Every server
// publishes its digests. A server with the gateway role also serves edit sessions, leads and
// publishes.
class revision_services {
public:
    struct dependencies {
        muster::metastore& metastore;
        muster::ledger& ledger;
        sources held;  // the common data of this server
        change_executor& executor;
        events::event_sink& events;
        muster::clock& clock;
        runtime::logger& log;
    };
    struct options {
        std::string server;
        std::string address;
        std::chrono::seconds ttl{10};
        bool edits = true;  // has the role gateway
        editing_rules rules = {};
        std::chrono::seconds grace{10};
    };

    revision_services(dependencies deps, const options& options);
    revision_services(const revision_services&) = delete;
    revision_services& operator=(const revision_services&) = delete;

    void start(runtime::task_group& loops);
    async<void> stop() { return lock_.leave(); }

    const sources& held() const { return sources_; }
    const edit_state_cache& state() const { return state_; }
    edit_lock& lock() { return lock_; }
    draft_service& drafts() { return drafts_; }
    revision_store& published() { return published_; }
    runtime::wakeup& reconciler() { return reconciler_; }
    std::chrono::seconds grace() const { return grace_; }

private:
    bool edits_;
    std::chrono::seconds grace_;
    sources sources_;
    edit_state_cache state_;
    edit_state_follower follower_;
    edit_lock lock_;
    draft_service drafts_;
    revision_store published_;
    revision_publisher publisher_;
    applier applier_;
    drift_monitor drift_;
    revision_reconciler reconciler_;
};

}  // namespace muster::revision
