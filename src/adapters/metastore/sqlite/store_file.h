#pragma once

#include "adapters/metastore/sqlite/delta.h"
#include "adapters/sqlite/database.h"
#include "base/result.h"
#include "core/kv/snapshot.h"

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace muster::metastore_sqlite {

// The head of the file: everything but entries and leases.
struct file_head {
    kv::revision at = {};
    kv::lease_id last_lease = {};
    // Number of groups ever written, to find out whether the last one was written.
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

    // Writes all changes durably, or none. After a failure, open the file again: its content is
    // unknown until then.
    result<void> write(const delta& changes, const file_head& next);

private:
    struct statements {
        sqlite::statement put_entry;
        sqlite::statement erase_entry;
        sqlite::statement put_lease;
        sqlite::statement erase_lease;
        sqlite::statement set_head;
    };

    store_file(sqlite::database db, statements prepared, file_head head)
        : database_(std::move(db)), statements_(std::move(prepared)), head_(head) {}

    static result<void> prepare_schema(sqlite::database& db);
    static result<statements> prepare(sqlite::database& db);
    static result<file_head> read_head(sqlite::database& db);

    result<void> write_entries(const delta& changes);
    result<void> write_leases(const delta& changes);

    sqlite::database database_;
    statements statements_;
    file_head head_;
};

}  // namespace muster::metastore_sqlite
