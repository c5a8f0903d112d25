#pragma once

#include "base/result.h"

struct sqlite3;

namespace muster::sqlite {

// What a SQLite result code means to a caller:
// - unavailable: busy, locked, disk full, input/output error, out of memory.
// - denied: the file or its directory cannot be written.
// - corrupt: not a database, or a damaged one.
// - conflict: a constraint was violated.
// - cancelled: the statement was interrupted.
// - invalid: anything only the program can cause (bad SQL, wrong type, misuse).
errc meaning_of(int code);

// The same for the code of a COMMIT: after an input/output error (a failed fsync, say) it may still
// be found in the file when that is read again, hence timed_out.
errc meaning_of_commit(int code);

// The last failure of this connection, in SQLite's words: "disk full: database or disk is full".
error failure_of(sqlite3* connection, int code);

}  // namespace muster::sqlite
