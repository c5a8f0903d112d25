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

// Who waits for changes of what. A watch is a place in the store's history: nothing is queued for
// it, and what was handed over counts as taken only when the watch asks for what comes after it.
//
// Lives on the store thread.
class watch_registry {
public:
    using number = std::uint64_t;

    struct wait {
        number watch = 0;
        std::string prefix;
        kv::revision from;  // all before this was taken
        completion<kv::watch_event> done;
    };

    explicit watch_registry(std::size_t watches_max) : watches_max_(watches_max) {}

    // A watch that asks again gives up the wait it had.
    void expect(wait wait);
    void forget(number watch) { watches_.erase(watch); }

    // Answers those for whom the store has something new.
    void deliver(const kv::store& from);
    void refuse_all(const error& why);

    limit_hits hits() const { return hits_.read(); }  // from any thread

private:
    struct place {
        std::string prefix;
        kv::revision from;
        completion<kv::watch_event> done;  // empty: nobody waits
    };

    std::size_t watches_max_;
    std::map<number, place> watches_;
    limit_counter hits_;
};

}  // namespace muster::metastore_sqlite
