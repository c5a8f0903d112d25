#pragma once

#include "adapters/metastore/sqlite/delta.h"
#include "adapters/sqlite/database.h"
#include "base/result.h"
#include "core/kv/snapshot.h"

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace muster::metastore_sqlite {

// The head of the file: all that is neither entry nor lease.
struct file_head {
    kv::revision at = {};
    kv::lease_id last_lease = {};
    // Counts the groups ever written, so that one can tell whether the last one arrived.
    std::int64_t groups = 0;
};

// The metastore's state in a SQLite file, locked against other processes.
class store_file {
public:
    static result<store_file> open(
        const std::filesystem::path& file, std::chrono::milliseconds lock_wait);

    const file_head& head() const { return head_; }

    // Everything, without history. errc::corrupt when the file is damaged.
    result<kv::snapshot> load();

    // All of it, durably, or nothing. After a failure the file must be opened again: only then is
    // it certain what it holds.
    result<void> write(const delta& changes, const file_head& next);

private:
    struct statements {
        sqlite::statement put_entry;
        sqlite::statement erase_entry;
        sqlite::statement put_lease;
        sqlite::statement erase_lease;
        sqlite::statement set_head;
    };

    store_file(sqlite::database on, statements prepared, file_head head)
        : database_(std::move(on)), statements_(std::move(prepared)), head_(head) {}

    static result<void> prepare_schema(sqlite::database& on);
    static result<statements> prepare(sqlite::database& on);
    static result<file_head> read_head(sqlite::database& on);

    result<void> write_entries(const delta& changes);
    result<void> write_leases(const delta& changes);

    sqlite::database database_;
    statements statements_;
    file_head head_;
};

}  // namespace muster::metastore_sqlite
