#include "adapters/sqlite/database.h"

#include "adapters/sqlite/failure.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

namespace muster::sqlite {
namespace {

constexpr std::int64_t log_bytes_max = 16 * std::int64_t{1024} * 1024;

// Creates the file before SQLite does, so that others cannot read it (SQLite gives its WAL the same
// mode), and because errno says more than SQLITE_CANTOPEN. Does not open an existing file: closing
// a descriptor of it would release the locks of this process.
result<void> create_if_missing(const std::filesystem::path& file) {
    const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor >= 0) {
        ::close(descriptor);
        return {};
    }
    if (errno == EEXIST) return {};
    const auto code = errno == ENOENT || errno == ENOTDIR ? errc::not_found
                      : errno == ENOSPC                   ? errc::unavailable
                                                          : errc::denied;
    return fail(code, std::string("cannot create file: ") + strerrordesc_np(errno));
}

}  // namespace

void database::close::operator()(sqlite3* raw) const {
    // Statements still open keep the connection until they are finalized.
    sqlite3_close_v2(raw);
}

result<database> database::open(const open_options& options) {
    if (const auto created = create_if_missing(options.file); !created) {
        return fail(created.error().with_context(options.file.string()));
    }
    sqlite3* raw = nullptr;
    constexpr int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    const int code = sqlite3_open_v2(options.file.c_str(), &raw, flags, nullptr);
    database opened(raw);
    if (code != SQLITE_OK) return fail(failure_of(raw, code).with_context(options.file.string()));
    if (sqlite3_db_readonly(raw, "main") == 1) {
        return fail(errc::denied, options.file.string() + ": file is read-only");
    }
    const auto configured = opened.configure(options);
    if (configured) return opened;
    if ((sqlite3_extended_errcode(raw) & 0xff) == SQLITE_BUSY) {
        return fail(
            errc::unavailable,
            options.file.string()
                + ": file is in use by another process; stop that process or use another file");
    }
    return fail(configured.error().with_context(options.file.string()));
}

result<void> database::configure(const open_options& options) {
    sqlite3_busy_timeout(raw(), static_cast<int>(options.busy_wait.count()));
    if (options.locking_mode == locking::exclusive) {
        // Set before the first access: the WAL index then lives in memory, without a -shm file.
        CHECK_OK(execute("PRAGMA locking_mode=EXCLUSIVE"));
    }
    CHECK_OK(check_owner(options.application_id));
    CHECK_OK(use_write_ahead_log());
    CHECK_OK(execute("PRAGMA synchronous=FULL"));
    // Truncates a large log when it restarts, to free disk space after a burst.
    CHECK_OK(execute("PRAGMA journal_size_limit=" + std::to_string(log_bytes_max)));
    CHECK_OK(execute("PRAGMA foreign_keys=ON"));
    CHECK_OK(execute("PRAGMA trusted_schema=OFF"));
    if (options.locking_mode == locking::exclusive) {
        // Takes the write lock, which this mode never releases.
        CHECK_OK(execute("BEGIN IMMEDIATE; COMMIT"));
    }
    return {};
}

result<void> database::check_owner(std::int32_t application_id) {
    TRY(const std::int64_t stored_id, query_integer("PRAGMA application_id"));
    if (application_id == 0 || stored_id == application_id) return {};
    TRY(const std::int64_t objects, query_integer("SELECT count(*) FROM sqlite_schema"));
    if (stored_id != 0 || objects != 0) {
        return fail(errc::invalid, "database belongs to another program; use another file");
    }
    return execute("PRAGMA application_id=" + std::to_string(application_id));
}

result<void> database::use_write_ahead_log() {
    TRY(statement pragma, prepare("PRAGMA journal_mode=WAL"));
    TRY(const bool has_row, pragma.step());
    // SQLite keeps the old mode without an error where the file system cannot do it.
    if (!has_row || pragma.text(0) != "wal") {
        return fail(errc::denied, "file system does not support a write-ahead log");
    }
    return {};
}

result<statement> database::prepare(std::string_view sql) {
    sqlite3_stmt* handle = nullptr;
    const int code = sqlite3_prepare_v3(
        raw(),
        sql.data(),
        static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT,
        &handle,
        nullptr);
    if (code != SQLITE_OK) return fail(failure_of(raw(), code).with_context(sql));
    return statement(handle);
}

result<void> database::execute(const std::string& sql) {
    const int code = sqlite3_exec(raw(), sql.c_str(), nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) return fail(failure_of(raw(), code).with_context(sql));
    return {};
}

result<std::int64_t> database::query_integer(const std::string& sql) {
    TRY(statement query, prepare(sql));
    TRY(const bool has_row, query.step());
    if (!has_row) return fail(errc::not_found, sql + ": no row");
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
    TRY(const bool has_row, query.step());
    if (has_row && query.text(0) != "ok") return fail(errc::corrupt, std::string(query.text(0)));
    return {};
}

}  // namespace muster::sqlite
