#include "adapters/sqlite/database.h"

#include "adapters/sqlite/failure.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

namespace muster::sqlite {
namespace {

constexpr std::int64_t log_bytes_kept = 16 * std::int64_t{1024} * 1024;

// Before SQLite sees the file: so that a new one is not readable by others (SQLite gives its WAL
// the same mode), and because errno says more than SQLITE_CANTOPEN. An existing file is not opened
// here: closing any descriptor of it would drop the locks this process may hold on it.
result<void> create_if_missing(const std::filesystem::path& file) {
    const int result = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (result >= 0) {
        ::close(result);
        return {};
    }
    if (errno == EEXIST) return {};
    const auto code = errno == ENOENT || errno == ENOTDIR ? errc::not_found
                      : errno == ENOSPC                   ? errc::unavailable
                                                          : errc::denied;
    return fail(code, std::string("cannot create it: ") + strerrordesc_np(errno));
}

}  // namespace

void database::close::operator()(sqlite3* raw) const {
    // Statements still open keep the connection until they are finalized.
    sqlite3_close_v2(raw);
}

result<database> database::open(const open_options& options) {
    if (const auto there = create_if_missing(options.file); !there) {
        return fail(there.error().within(options.file.string()));
    }
    sqlite3* raw = nullptr;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(options.file.c_str(), &raw, flags, nullptr);
    database opened(raw);
    if (code != SQLITE_OK) return fail(failure_of(raw, code).within(options.file.string()));
    if (sqlite3_db_readonly(raw, "main") == 1) {
        return fail(errc::denied, options.file.string() + ": it may be read but not written");
    }
    const auto ready = opened.configure(options);
    if (ready) return opened;
    if ((sqlite3_extended_errcode(raw) & 0xff) == SQLITE_BUSY) {
        return fail(
            errc::unavailable,
            options.file.string()
                + ": another process has it open; stop that process or use another file");
    }
    return fail(ready.error().within(options.file.string()));
}

result<void> database::configure(const open_options& options) {
    sqlite3_busy_timeout(raw(), static_cast<int>(options.busy_wait.count()));
    if (options.locks == locking::exclusive) {
        // Set before the first access: the WAL index then lives in memory, without a -shm file.
        CHECK_OK(execute("PRAGMA locking_mode=EXCLUSIVE"));
    }
    CHECK_OK(check_owner(options.application_id));
    CHECK_OK(use_write_ahead_log());
    CHECK_OK(execute("PRAGMA synchronous=FULL"));
    // What a burst has made of the log is given back to the disk when the log begins anew.
    CHECK_OK(execute("PRAGMA journal_size_limit=" + std::to_string(log_bytes_kept)));
    CHECK_OK(execute("PRAGMA foreign_keys=ON"));
    CHECK_OK(execute("PRAGMA trusted_schema=OFF"));
    if (options.locks == locking::exclusive) {
        // Takes the write lock, which this mode then never gives back.
        CHECK_OK(execute("BEGIN IMMEDIATE; COMMIT"));
    }
    return {};
}

result<void> database::check_owner(std::int32_t application_id) {
    TRY(const std::int64_t match, query_integer("PRAGMA application_id"));
    if (application_id == 0 || match == application_id) return {};
    TRY(const std::int64_t things, query_integer("SELECT count(*) FROM sqlite_schema"));
    if (match != 0 || things != 0) {
        return fail(errc::invalid, "it is a database of another program; use another file");
    }
    return execute("PRAGMA application_id=" + std::to_string(application_id));
}

result<void> database::use_write_ahead_log() {
    TRY(statement pragma, prepare("PRAGMA journal_mode=WAL"));
    TRY(const bool answered, pragma.step());
    // SQLite keeps the old mode without an error where the file system cannot do it.
    if (!answered || pragma.text(0) != "wal") {
        return fail(errc::denied, "its file system does not allow a write-ahead log");
    }
    return {};
}

result<statement> database::prepare(std::string_view sql) {
    sqlite3_stmt* sqlite3_stmt = nullptr;
    const int code = sqlite3_prepare_v3(
        raw(),
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &sqlite3_stmt,
        nullptr);
    if (code != SQLITE_OK) return fail(failure_of(raw(), code).within(sql));
    return statement(sqlite3_stmt);
}

result<void> database::execute(const std::string& sql) {
    const int code = sqlite3_exec(raw(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return fail(failure_of(raw(), code).within(sql));
    return {};
}

result<std::int64_t> database::query_integer(const std::string& sql) {
    TRY(statement query, prepare(sql));
    TRY(const bool row, query.step());
    if (!row) return fail(errc::not_found, sql + ": no row");
    return query.integer(0);
}

std::int64_t database::changed_rows() const {
    return sqlite3_changes64(raw());
}

std::int64_t database::last_row_id() const {
    return sqlite3_last_insert_rowid(raw());
}

bool database::in_transaction() const {
    return sqlite3_get_autocommit(raw()) == 0;
}

result<void> database::check_integrity() {
    TRY(statement query, prepare("PRAGMA quick_check(1)"));
    TRY(const bool row, query.step());
    if (row && query.text(0) != "ok") return fail(errc::corrupt, std::string(query.text(0)));
    return {};
}

}  // namespace muster::sqlite
