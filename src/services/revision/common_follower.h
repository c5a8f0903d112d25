#pragma once

#include "services/cluster/prefix_follower.h"
#include "services/revision/common_view.h"
#include "runtime/log.h"

#include <functional>

namespace muster::revision {

// Keeps a common_cell as new as the metastore. A record that cannot be read is told in the log and
// counts as not there. Lives on one strand.
class common_follower {
public:
    common_follower(metastore& store, clock& time, common_cell& cell, runtime::logger& log);
    common_follower(const common_follower&) = delete;
    common_follower& operator=(const common_follower&) = delete;

    // Called after something changed.
    void on_change(std::function<void()> call) { changed_ = std::move(call); }

    boost::asio::awaitable<void> run() { return from_.run(); }
    bool complete() const { return from_.complete(); }

    // Reads everything once, now.
    async<kv::revision> catch_up() { return from_.read_all(); }

private:
    void take(common_view& into, const kv::entry& from) const;
    static void forget(common_view& from, const std::string& key);

    common_cell& cell_;
    runtime::logger& log_;
    std::function<void()> changed_ = [] {
    };
    cluster::prefix_follower from_;
};

}  // namespace muster::revision
