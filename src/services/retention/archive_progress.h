#pragma once

#include "adapters/archive/manifest.h"
#include "core/table/batch.h"

#include <cstdint>
#include <string>

// What the ledger knows of archives: a row of its table `archives` for each part. It is there
// before any of what the part holds is dropped, and all servers see it: one whose directory does
// not have the files does not take what is left of a span for the whole.
namespace muster::retention {

// How far a span of the record was archived: all changes of its rows up to these places in their
// tables' change sequences, and these payloads, which have none.
struct archive_mark {
    std::int64_t jobs = 0;
    std::int64_t tasks = 0;
    std::int64_t events = 0;
    std::int64_t payloads = 0;        // how many
    std::int64_t payloads_print = 0;  // their digests, folded: tells one set from another

    friend bool operator==(const archive_mark&, const archive_mark&) = default;
};

struct archive_progress {
    archive::manifest what;
    std::string server;  // which one wrote the files
    archive_mark mark;

    friend bool operator==(const archive_progress&, const archive_progress&) = default;
};

table::row encode_note(const archive_progress& note);
// errc::corrupt with the column's name.
result<archive_progress> decode_note(const table::row& cells);

}  // namespace muster::retention
