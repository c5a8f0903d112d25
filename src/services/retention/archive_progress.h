#pragma once

#include "adapters/archive/manifest.h"
#include "core/table/batch.h"

#include <cstdint>
#include <string>

// Rows of the ledger table `archives`: one for each archived part. A row is written before the
// records of its part are deleted, and all servers see it. So a server without the archive files
// does not mistake the remaining records of a span for all of them.
namespace muster::retention {

// How far a span was archived: up to these change sequences of its tables. Payloads have no change
// sequence, so their number and digests are recorded.
struct archive_mark {
    std::int64_t jobs = 0;
    std::int64_t tasks = 0;
    std::int64_t events = 0;
    std::int64_t payloads = 0;        // number of payloads
    std::int64_t payloads_print = 0;  // XOR of their digests: identifies the set

    friend bool operator==(const archive_mark&, const archive_mark&) = default;
};

struct archive_progress {
    archive::manifest manifest;
    std::string server;  // that wrote the files
    archive_mark mark;

    friend bool operator==(const archive_progress&, const archive_progress&) = default;
};

table::row encode_progress(const archive_progress& progress);
// errc::corrupt with the column's name.
result<archive_progress> decode_progress(const table::row& row);

}  // namespace muster::retention
