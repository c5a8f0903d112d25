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

// Reads the changes of one prefix, from one revision on, without gaps and without repeats. Survives
// the loss of the engine: it continues at its position. One next() at a time.
class metastore_watch {
public:
    metastore_watch() = default;
    metastore_watch(const metastore_watch&) = delete;
    metastore_watch& operator=(const metastore_watch&) = delete;
    virtual ~metastore_watch() = default;

    // Waits for the next changes. After kv::compacted the watch has ended. After a failed or
    // cancelled wait, call it again: no change is lost.
    virtual async<kv::watch_event> next() = 0;
};

// The cluster's transactional key-value store: small, consistent, watched by all servers.
// Model: core/kv/store.h; contract: ports/contract/metastore_contract.h.
//
// Guarantees:
// - Every response is linearizable: it includes every commit acknowledged before the request.
// - An acknowledged commit survives kill -9 and power loss of any minority of the engine.
// - errc::unavailable: nothing was done. errc::timed_out (commit, grant and revoke only): the
//   request may have been executed; read again before deciding.
// - keep_alive and compact may have been executed in spite of errc::unavailable: repeat them.
// - Methods may be called from any thread; each completes on its caller's executor.
class metastore {
public:
    metastore() = default;
    metastore(const metastore&) = delete;
    metastore& operator=(const metastore&) = delete;
    virtual ~metastore() = default;

    virtual async<kv::lookup> get(std::string key) = 0;
    virtual async<kv::page> range(kv::range_request request) = 0;
    virtual async<kv::commit_result> commit(kv::transaction change) = 0;

    // Entries of a lease are erased when it is not kept alive for `ttl` (at least a second). A
    // lease never ends early; it may end later, if the engine was away.
    virtual async<kv::lease_id> grant(std::chrono::seconds ttl) = 0;
    virtual async<void> keep_alive(kv::lease_id lease) = 0;  // not_found once it has ended
    virtual async<void> revoke(kv::lease_id lease) = 0;      // ends it, and its entries, now

    // Changes at revision `from` and later of keys that start with `prefix`.
    virtual std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) = 0;

    // Deletes history: watches from `oldest` on stay possible, older ones return kv::compacted.
    virtual async<void> compact(kv::revision oldest) = 0;

    // How often limits of the adapter were hit; zero for an adapter without limits.
    virtual limit_hits hits() const { return {}; }
};

}  // namespace muster
