#pragma once

#include "adapters/metastore/etcd/options.h"
#include "base/result.h"
#include "ports/metastore.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace muster {

// The identity of the etcd cluster, for checks at start-up.
struct etcd_identity {
    std::string version;
    std::uint64_t cluster = 0;
};

struct etcd_counters {
    std::uint64_t requests = 0;  // sent to etcd, of all kinds
    std::uint64_t retries = 0;   // after a request that failed
    std::uint64_t commits = 0;   // transactions sent
    std::uint64_t batches = 0;   // requests they were sent in
};

// The metastore on an etcd cluster, over its gRPC API v3.
//
// - Waiting transactions that touch different keys share one request, and so one revision. No key
// is
//   written twice at one revision, so kv::unchanged works as with separate revisions.
// - Idempotent requests (reads, leases, compaction) are repeated on the next endpoint until the
//   options' timeout. A commit is repeated only if it was certainly not executed; otherwise all its
//   transactions end with errc::timed_out. They may still be executed a little later: only their
//   conditions protect from that.
// - It has two threads: one for gRPC, one for everything else. Thread-safe.
//
// Destroying it ends all calls: unsent commits are unavailable, sent ones timed_out. Watches end.
class etcd_metastore final : public metastore {
public:
    // Connects in the background: if etcd is away, calls fail. errc::invalid when the options are
    // wrong or a TLS file cannot be read.
    static result<std::unique_ptr<etcd_metastore>> open(etcd_options options);

    ~etcd_metastore() override;

    async<kv::lookup> get(std::string key) override;
    async<kv::page> range(kv::range_request request) override;
    async<kv::commit_result> commit(kv::transaction change) override;
    async<kv::lease_id> grant(std::chrono::seconds ttl) override;
    async<void> keep_alive(kv::lease_id lease) override;
    async<void> revoke(kv::lease_id lease) override;
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override;
    async<void> compact(kv::revision oldest) override;
    limit_hits hits() const override;

    async<etcd_identity> identity();
    etcd_counters counters() const;

private:
    struct parts;

    explicit etcd_metastore(std::shared_ptr<parts> parts);

    std::shared_ptr<parts> parts_;
};

}  // namespace muster
