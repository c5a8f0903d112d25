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

// What a server does for common data by itself:
//
// - takes the lead when there are editors, or an apply under way, and nobody leads any more;
// - as the leader, carries out the draft that is to be applied, sends editors away who are not
//   there any more, and gives the lead up when nobody is left;
// - publishes a revision of what was changed without a session, and of what nobody says who
//   changed it;
// - tells what happened as events, and what it holds itself (drift_monitor.h).
//
// A server without the role gateway does the last only. Lives on one strand.
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
        // Keeps `known`; null: somebody else does, and it is complete.
        const edit_state_follower* follower = nullptr;
        muster::clock& clock;
        runtime::logger& log;
        events::event_sink& events;
    };
    struct options {
        std::string server;
        bool leads = true;  // has the role gateway
        std::chrono::seconds grace{10};
        monotonic::duration interval = std::chrono::seconds(1);
        std::chrono::milliseconds settle{500};  // changes that follow each other are one revision
        std::chrono::seconds settle_max{3};
        std::uint64_t seed = 1;
    };

    revision_reconciler(dependencies deps, options options)
        : deps_(std::move(deps)), options_(std::move(options)), random_(options_.seed) {}

    void wake() override { more_.ring(); }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();
    // One look at everything.
    async<void> look();

private:
    using view = std::shared_ptr<const edit_state_snapshot>;

    void tell_news(const view& now);
    async<void> mind_the_lead(view now);
    async<void> lead(view now);
    async<void> mind_revisions(view now);
    async<void> publish(std::string kind, view view);
    bool notes_are_ripe(const edit_state_snapshot& now) const;

    dependencies deps_;
    options options_;
    prng random_;
    runtime::async_event more_;
    view told_of_;
    std::optional<instant> leaderless_since_;
    instant looked_for_idle_{};
    instant found_at_{};
};

// A note's name begins with the server that made it.
std::string note_name(const std::string& server, std::int64_t at);

}  // namespace muster::revision
