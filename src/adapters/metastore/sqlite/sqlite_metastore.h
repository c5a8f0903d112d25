#pragma once

#include "base/result.h"
#include "core/kv/store.h"
#include "ports/metastore.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace muster {

struct sqlite_metastore_options {
    kv::store_options store = {};

    // Requests that wait for the store thread; more are refused as unavailable.
    std::size_t queue_requests_max = 16'384;
    std::size_t queue_bytes_max = 64 * std::size_t{1024} * 1024;
    // Limits of one commit to the file.
    std::size_t group_requests_max = 1'024;
    std::size_t group_bytes_max = 4 * std::size_t{1024} * 1024;

    std::size_t watches_max = 4'096;
    // How long writes are refused after the file could not be written, before it is tried again.
    std::chrono::milliseconds write_retry = std::chrono::milliseconds(250);
    // How long to wait at start for another process to close the file.
    std::chrono::milliseconds lock_wait = std::chrono::seconds(1);
};

// Counters of the store thread since its start.
struct sqlite_metastore_statistics {
    std::uint64_t transactions = 0;   // evaluated, refused ones among them
    std::uint64_t file_commits = 0;   // durable writes of a whole group
    std::uint64_t file_failures = 0;  // groups that could not be written
};

// The embedded metastore: one process, one file, no server.
//
// Its thread holds the store in memory (core/kv/store.h) and a SQLite file. It pops all waiting
// requests, evaluates them in order, writes their changes in one durable SQLite transaction, and
// then completes them: the callers of one group share one fsync.
//
// When the file cannot be written (disk full), the group is refused as unavailable and memory is
// read again from the file. Reads and watches continue, and writes are retried a little later.
//
// The history for watches is in memory only: after a restart, watches from an older revision get
// kv::compacted.
class sqlite_metastore final : public metastore {
public:
    // Creates a missing file; its directory must exist. Fails with
    // - unavailable: another process has it open; denied: it cannot be written;
    // - corrupt: it is damaged or not a database;
    // - invalid: it belongs to another program or to a newer version of this one.
    static result<std::unique_ptr<sqlite_metastore>> open(
        std::filesystem::path file, sqlite_metastore_options options = {});

    // Refuses waiting requests, then closes the file.
    ~sqlite_metastore() override;

    async<kv::lookup> get(std::string key) override;
    async<kv::page> range(kv::range_request request) override;
    async<kv::commit_result> commit(kv::transaction change) override;
    async<kv::lease_id> grant(std::chrono::seconds ttl) override;
    async<void> keep_alive(kv::lease_id lease) override;
    async<void> revoke(kv::lease_id lease) override;
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override;
    async<void> compact(kv::revision oldest) override;
    limit_hits hits() const override;

    sqlite_metastore_statistics statistics() const;

private:
    class engine_owner;
    explicit sqlite_metastore(std::unique_ptr<engine_owner> owner);

    std::unique_ptr<engine_owner> owner_;
};

}  // namespace muster
