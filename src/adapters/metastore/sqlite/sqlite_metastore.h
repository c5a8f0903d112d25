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
    // What is committed to the file at once.
    std::size_t group_requests_max = 1'024;
    std::size_t group_bytes_max = 4 * std::size_t{1024} * 1024;

    std::size_t watches_max = 4'096;
    // How long writes are refused after the file could not be written, before it is tried again.
    std::chrono::milliseconds write_retry = std::chrono::milliseconds(250);
    // How long to wait at start for another process to let go of the file.
    std::chrono::milliseconds lock_wait = std::chrono::seconds(1);
};

// What the store thread has done since it started.
struct sqlite_metastore_figures {
    std::uint64_t transactions = 0;   // evaluated, refused ones among them
    std::uint64_t file_commits = 0;   // durable writes of a whole group
    std::uint64_t file_failures = 0;  // groups that could not be written
};

// The embedded metastore: one process, one file, no server.
//
// A thread of its own holds the store in memory (core/kv/store.h) and a SQLite file. It takes all
// requests that wait, evaluates them in order, writes what they changed in one durable SQLite
// transaction, and only then answers them: the callers of one group share one fsync.
//
// When the file cannot be written (disk full), the group is refused as unavailable, memory is read
// again from the file, reads and watches go on, and writes are tried again a little later.
//
// History for watches lives in memory: after a restart, watches from before it are told
// kv::compacted.
class sqlite_metastore final : public metastore {
public:
    // Makes the file when it is not there; its directory must exist. Fails with
    // - unavailable: another process has it open; denied: it cannot be written;
    // - corrupt: it is damaged or not a database;
    // - invalid: it belongs to another program or to a newer version of this one.
    static result<std::unique_ptr<sqlite_metastore>> open(
        std::filesystem::path file, sqlite_metastore_options options = {});

    // Refuses what still waits, then closes the file.
    ~sqlite_metastore() override;

    async<kv::lookup> get(std::string key) override;
    async<kv::page> range(kv::range_request request) override;
    async<kv::verdict> commit(kv::transaction change) override;
    async<kv::lease_id> grant(std::chrono::seconds ttl) override;
    async<void> keep_alive(kv::lease_id lease) override;
    async<void> revoke(kv::lease_id lease) override;
    std::unique_ptr<metastore_watch> watch(std::string prefix, kv::revision from) override;
    async<void> compact(kv::revision oldest) override;
    limit_hits hits() const override;

    sqlite_metastore_figures figures() const;

private:
    class engine_owner;
    explicit sqlite_metastore(std::unique_ptr<engine_owner> owner);

    std::unique_ptr<engine_owner> owner_;
};

}  // namespace muster
