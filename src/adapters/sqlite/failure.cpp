#include "adapters/sqlite/failure.h"

#include <cstring>
#include <sqlite3.h>
#include <string>

namespace muster::sqlite {

errc meaning_of(int code) {
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
        case SQLITE_FULL:
        case SQLITE_IOERR:
        case SQLITE_NOMEM:
        case SQLITE_PROTOCOL:
        case SQLITE_CANTOPEN:
            return errc::unavailable;
        case SQLITE_PERM:
        case SQLITE_READONLY:
        case SQLITE_AUTH:
            return errc::denied;
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            return errc::corrupt;
        case SQLITE_CONSTRAINT:
            return errc::conflict;
        case SQLITE_INTERRUPT:
            return errc::cancelled;
        default:
            return errc::invalid;
    }
}

errc meaning_of_commit(int code) {
    return (code & 0xff) == SQLITE_IOERR ? errc::timed_out : meaning_of(code);
}

error failure_of(sqlite3* connection, int code) {
    std::string detail = sqlite3_errstr(code);
    if (connection != nullptr) {
        const std::string message = sqlite3_errmsg(connection);
        if (message != detail) detail += ": " + message;
        const int cause = sqlite3_system_errno(connection);
        const int kind = code & 0xff;
        const bool from_system = kind == SQLITE_IOERR || kind == SQLITE_CANTOPEN;
        if (from_system && cause != 0) detail += ": " + std::string(strerrordesc_np(cause));
    }
    return {meaning_of(code), std::move(detail)};
}

}  // namespace muster::sqlite
