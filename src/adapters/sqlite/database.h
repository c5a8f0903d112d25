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

// Who else may have the file open.
enum class locking {
    exclusive,  // nobody: a second opener is refused at once with errc::unavailable
    shared,     // readers and writers of any process, one writer at a time
};

struct open_options {
    std::filesystem::path file;
    locking locks = locking::shared;
    // Marks our files (PRAGMA application_id): a database of another program is refused as invalid
    // and left untouched. Zero: any file will do.
    std::int32_t application_id = 0;
    // How long a statement waits for another connection's lock before it fails as unavailable.
    std::chrono::milliseconds busy_wait = std::chrono::seconds(5);
};

// One connection to a SQLite file in WAL mode with synchronous=FULL: a transaction that was
// committed survives kill -9 and power loss. Used by one thread at a time.
class database {
public:
    // Makes the file, readable by its owner only, when it is not there. The file is locked and its
    // header read before this returns, so what is not a database is refused here.
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
