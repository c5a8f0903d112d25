#pragma once

#include "runtime/log.h"
#include "runtime/wakeup.h"
#include "services/cluster/prefix_follower.h"
#include "services/revision/edit_state_snapshot.h"

namespace muster::revision {

// Follows the metastore and updates an edit_state_cache. Logs unreadable records and treats them as
// absent. Not thread-safe; call from one strand.
class edit_state_follower {
public:
    edit_state_follower(
        muster::metastore& metastore,
        muster::clock& clock,
        edit_state_cache& cache,
        runtime::logger& log);
    edit_state_follower(const edit_state_follower&) = delete;
    edit_state_follower& operator=(const edit_state_follower&) = delete;

    // Wakes `listener` after each change. It must outlive run().
    void wake_on_change(runtime::wakeup& listener) { listener_ = &listener; }

    boost::asio::awaitable<void> run() { return follower_.run(); }
    bool complete() const { return follower_.complete(); }

    // Reads everything once.
    async<kv::revision> refresh() { return follower_.read_all(); }

private:
    void apply(edit_state_snapshot& snapshot, const kv::entry& entry) const;
    static void erase(edit_state_snapshot& snapshot, const std::string& key);

    edit_state_cache& cache_;
    runtime::logger& log_;
    runtime::wakeup* listener_ = nullptr;
    cluster::prefix_follower follower_;
};

}  // namespace muster::revision
