#pragma once

#include "base/result.h"
#include "core/kv/store.h"
#include "ports/async.h"
#include "ports/limit_hits.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace muster::metastore_sqlite {

// The waiting watches. A watch is a position in the store's history: nothing is queued for it. A
// delivered event counts as received only when the watch waits for a later revision.
//
// Not thread-safe; used by the store thread, except hits().
class watch_registry {
public:
    using number = std::uint64_t;

    struct wait {
        number watch = 0;
        std::string prefix;
        kv::revision from;  // first revision that the watch has not received
        completion<kv::watch_event> done;
    };

    explicit watch_registry(std::size_t watches_max) : watches_max_(watches_max) {}

    // Adds a wait, and cancels the previous one of the same watch.
    void add_wait(wait wait);
    void close_watch(number watch) { watches_.erase(watch); }

    // Completes the waits with new changes.
    void deliver(const kv::store& from);
    void refuse_all(const error& reason);

    limit_hits hits() const { return hits_.read(); }  // from any thread

private:
    struct watch_state {
        std::string prefix;
        kv::revision from;
        completion<kv::watch_event> done;  // empty: nobody waits
    };

    std::size_t watches_max_;
    std::map<number, watch_state> watches_;
    limit_counter hits_;
};

}  // namespace muster::metastore_sqlite
