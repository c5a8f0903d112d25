#pragma once

#include "base/result.h"

struct sqlite3;

namespace muster::sqlite {

// What a SQLite result code means to a caller:
// - unavailable: busy, locked, disk full, input/output error, out of memory. Note that a COMMIT
// that
//   failed with an input/output error may still be found in the file when it is opened again.
// - denied: the file or its directory cannot be written.
// - corrupt: not a database, or a damaged one.
// - conflict: a constraint was violated.
// - cancelled: the statement was interrupted.
// - invalid: anything only the program can cause (bad SQL, wrong type, misuse).
errc meaning_of(int code);

// The last failure of this connection, in SQLite's words: "disk full: database or disk is full".
error failure_of(sqlite3* connection, int code);

}  // namespace muster::sqlite
