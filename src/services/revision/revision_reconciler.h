#pragma once

#include "base/prng.h"
#include "runtime/async_event.h"
#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/events/event_sink.h"
#include "services/revision/applier.h"
#include "services/revision/draft_service.h"
#include "services/revision/drift_monitor.h"
#include "services/revision/edit_lock.h"
#include "services/revision/edit_state_follower.h"
#include "services/revision/edit_state_snapshot.h"
#include "services/revision/revision_publisher.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace muster::revision {

// Keeps the editing of common data going:
//
// - becomes the leader when there are editors, or a draft is being applied, without a leader;
// - as the leader, applies the draft, ends idle sessions, and releases the lock after the last one;
// - publishes a revision of changes without a session, and of untracked changes;
// - records events, and checks this server's own data (drift_monitor.h).
//
// A server without the gateway role only checks its own data. Not thread-safe except for wake();
// call from one strand.
class revision_reconciler final : public runtime::wakeup {
public:
    struct dependencies {
        muster::metastore& metastore;
        edit_lock& lock;
        draft_service& drafts;
        applier& applier;
        revision_publisher& publisher;
        drift_monitor& drift;
        const edit_state_cache& edit_state;
        // Updates `edit_state`; null: `edit_state` is complete.
        const edit_state_follower* follower = nullptr;
        muster::clock& clock;
        runtime::logger& log;
        events::event_sink& events;
    };
    struct options {
        std::string server;
        bool leads = true;  // has the gateway role
        std::chrono::seconds grace{10};
        monotonic::duration interval = std::chrono::seconds(1);
        std::chrono::milliseconds settle{500};  // quick changes become one revision
        std::chrono::seconds settle_max{3};
        std::uint64_t seed = 1;
    };

    revision_reconciler(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)), random_(options_.seed) {}

    void wake() override { woken_.notify(); }

    // Runs until it is cancelled.
    boost::asio::awaitable<void> run();
    async<void> run_once();

private:
    using snapshot_ptr = std::shared_ptr<const edit_state_snapshot>;

    void record_events(const snapshot_ptr& snapshot);
    async<void> reconcile_leader(snapshot_ptr snapshot);
    async<void> lead(snapshot_ptr snapshot);
    async<void> publish_changes(snapshot_ptr snapshot);
    async<void> publish(std::string kind, snapshot_ptr snapshot);
    bool are_notes_due(const edit_state_snapshot& snapshot) const;

    dependencies deps_;
    options options_;
    prng random_;
    runtime::async_event woken_;
    snapshot_ptr recorded_;  // events up to this snapshot are recorded
    std::optional<instant> election_at_;
    instant idle_check_at_{};
    instant untracked_published_at_{};
};

// The name of a note begins with its server.
std::string note_name(const std::string& server, std::int64_t number);

}  // namespace muster::revision
