#pragma once

#include "base/result.h"

struct sqlite3;

namespace muster::sqlite {

// The error code for a SQLite result code:
// - unavailable: busy, locked, disk full, input/output error, out of memory.
// - denied: the file or its directory cannot be written.
// - corrupt: not a database, or a damaged one.
// - conflict: a constraint was violated.
// - cancelled: the statement was interrupted.
// - invalid: anything only the program can cause (bad SQL, wrong type, misuse).
errc meaning_of(int code);

// The same for a COMMIT: after an input/output error, such as a failed fsync, the transaction may
// still be in the file, hence timed_out.
errc meaning_of_commit(int code);

// The last failure of this connection, in SQLite's words: "disk full: database or disk is full".
error failure_of(sqlite3* connection, int code);

}  // namespace muster::sqlite
