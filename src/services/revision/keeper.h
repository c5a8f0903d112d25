#pragma once

#include "base/prng.h"
#include "services/revision/applier.h"
#include "services/revision/common_view.h"
#include "services/revision/draft_desk.h"
#include "services/revision/drift_watch.h"
#include "services/revision/leadership.h"
#include "services/revision/press.h"
#include "runtime/bell.h"
#include "runtime/log.h"

#include <chrono>
#include <functional>
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
// - tells what happened as events, and what it holds itself (drift_watch.h).
//
// A server without the role gateway does the last only. Lives on one strand.
class keeper {
public:
    struct surroundings {
        metastore& store;
        leadership& seat;
        draft_desk& desk;
        applier& work;
        press& printing;
        drift_watch& drift;
        const common_cell& known;
        std::function<bool()> complete;  // whether `known` is
        clock& time;
        runtime::logger& log;
        std::function<void(event_record)> told;
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

    keeper(surroundings around, options how)
        : around_(std::move(around)), how_(std::move(how)), random_(how_.seed) {}

    // Look now. From any thread.
    void ring() { more_.ring(); }

    // Until it is cancelled.
    boost::asio::awaitable<void> run();
    // One look at everything.
    async<void> look();

private:
    using view = std::shared_ptr<const common_view>;

    void tell_news(const view& now);
    async<void> mind_the_lead(view now);
    async<void> lead(view now);
    async<void> mind_revisions(view now);
    async<void> publish(std::string kind, view seen);
    bool notes_are_ripe(const common_view& now) const;

    surroundings around_;
    options how_;
    prng random_;
    runtime::bell more_;
    view told_of_;
    std::optional<instant> leaderless_since_;
    instant looked_for_idle_{};
    instant found_at_{};
};

// A note's name begins with the server that made it.
std::string note_name(const std::string& server, std::int64_t at);

}  // namespace muster::revision
