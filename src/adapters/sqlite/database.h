#pragma once

#include "adapters/sqlite/statement.h"
#include "base/result.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;

namespace muster::sqlite {

// How the file is shared with other connections.
enum class locking {
    exclusive,  // one connection: further ones are refused with errc::unavailable
    shared,     // any number of processes, one writer at a time
};

struct open_options {
    std::filesystem::path file;
    locking locking_mode = locking::shared;
    // PRAGMA application_id of the file: a database of another program is refused as invalid and
    // left untouched. Zero: no check.
    std::int32_t application_id = 0;
    // How long a statement waits for another connection's lock before it fails as unavailable.
    std::chrono::milliseconds busy_wait = std::chrono::seconds(5);
};

// One connection to a SQLite file in WAL mode with synchronous=FULL: a committed transaction
// survives kill -9 and power loss. Not thread-safe.
class database {
public:
    // Creates a missing file, readable by its owner only. Locks the file and reads its header, so
    // that a file that is no database is refused here.
    static result<database> open(const open_options& options);

    result<statement> prepare(std::string_view sql);
    result<void> execute(const std::string& sql);                // any number of statements
    result<std::int64_t> query_integer(const std::string& sql);  // first column of the first row

    std::int64_t changed_rows() const;  // by the last INSERT, UPDATE or DELETE
    std::int64_t last_row_id() const;
    bool in_transaction() const;

    // Reads the whole file; errc::corrupt when it is damaged.
    result<void> check_integrity();

    sqlite3* raw() const { return raw_.get(); }

private:
    struct close {
        void operator()(sqlite3* raw) const;
    };

    explicit database(sqlite3* raw) : raw_(raw) {}
    result<void> configure(const open_options& options);
    result<void> check_owner(std::int32_t application_id);
    result<void> use_write_ahead_log();

    std::unique_ptr<sqlite3, close> raw_;
};

}  // namespace muster::sqlite
