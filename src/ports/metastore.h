#pragma once

#include "core/kv/change.h"
#include "core/kv/entry.h"
#include "core/kv/transaction.h"
#include "ports/async.h"
#include "ports/limit_hits.h"

#include <chrono>
#include <memory>
#include <string>

namespace muster {

// A look at the changes of one prefix, from one revision on, without gaps and without repeats.
// One next() at a time. Survives the loss of the engine: it goes on where it was.
class metastore_watch {
public:
    metastore_watch() = default;
    metastore_watch(const metastore_watch&) = delete;
    metastore_watch& operator=(const metastore_watch&) = delete;
    virtual ~metastore_watch() = default;

    // Waits for the next changes. After kv::compacted the watch is over. A wait that failed or that
    // its caller gave up may be asked for again: nothing is lost by it.
    virtual async<kv::watch_event> next() = 0;
};

// The cluster's transactional key-value store: small, consistent, watched by all.
// core/kv/store.h is the model of what it means; contract: ports/contract/metastore_contract.h.
//
// Promises:
// - Every answer is linearizable: it sees every commit that was acknowledged before it was asked.
// - An acknowledged commit survives kill -9 and power loss of any minority of the engine.
// - errc::unavailable: it did not happen. errc::timed_out (commit, grant and revoke only): it may
//   have happened; read again before deciding. keep_alive and compact may have happened, too, when
//   they are called unavailable: asking for them again does no harm.
// - Methods may be called from any thread; each completes on its caller's executor.
class metastore {
public:
    metastore() = default;
    metastore(const metastore&) = delete;
    metastore& operator=(const metastore&) = delete;
    virtual ~metastore() = default;

    virtual async<kv::lookup> get(std::string key) = 0;
    virtual async<kv::page> range(kv::range_request request) = 0;
    virtual async<kv::verdict> commit(kv::transaction change) = 0;

    // Entries put under a lease are erased when it is not kept alive for `ttl` (at least a second).
    // It never ends early; it may end later, when the engine was away.
    virtual async<kv::lease_id> grant(std::chrono::seconds ttl) = 0;
    virtual async<void> keep_alive(kv::lease_id lease) = 0;  // not_found once it has ended
    virtual async<void> revoke(kv::lease_id lease) = 0;      // ends it, and its entries, now

    // Changes at revision `from` and later of keys that start with `prefix`.
    virtual std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) = 0;

    // Forgets history: watches from `oldest` on stay possible, older ones answer kv::compacted.
    virtual async<void> compact(kv::revision oldest) = 0;

    // How often limits of its own were hit; an engine without any has none to tell.
    virtual limit_hits hits() const { return {}; }
};

}  // namespace muster
