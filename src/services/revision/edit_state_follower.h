#pragma once

#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/prefix_follower.h"
#include "services/revision/edit_state_snapshot.h"

namespace muster::revision {

// Keeps a edit_state_cache as new as the metastore. A record that cannot be read is told in the log
// and counts as not there. Lives on one strand.
class edit_state_follower {
public:
    edit_state_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        edit_state_cache& cell,
        runtime::logger& log);
    edit_state_follower(const edit_state_follower&) = delete;
    edit_state_follower& operator=(const edit_state_follower&) = delete;

    // Is woken after something changed, and must outlive run().
    void wake_on_change(runtime::wakeup& reader) { reader_ = &reader; }

    boost::asio::awaitable<void> run() { return from_.run(); }
    bool complete() const { return from_.complete(); }

    // Reads everything once, now.
    async<kv::revision> catch_up() { return from_.read_all(); }

private:
    void take(edit_state_snapshot& into, const kv::entry& from) const;
    static void forget(edit_state_snapshot& from, const std::string& key);

    edit_state_cache& cell_;
    runtime::logger& log_;
    runtime::wakeup* reader_ = nullptr;
    cluster::prefix_follower from_;
};

}  // namespace muster::revision
