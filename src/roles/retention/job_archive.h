#pragma once

#include "adapters/archive/archive_store.h"
#include "core/jobs/retention.h"
#include "ports/clock.h"
#include "ports/ledger.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::retention {

// The tables of jobs, in the order in which they are archived and dropped. The rows of `jobs` go
// last of all: while there is one, its span is still to be dropped.
const std::vector<std::string>& tables_by_span();

// Copies a span of the record into files (docs/retention.md). Lives on one strand, but for the
// counter.
class job_archive {
public:
    struct surroundings {
        ledger& records;
        archive::archive_store& files;
        clock& time;
    };

    explicit job_archive(surroundings around) : around_(around) {}

    // Afterwards the span is on disk as a whole, whatever was interrupted before. An archive that
    // is complete is never written again: what the ledger has by then may be less.
    async<void> keep(jobs::record_span span);

    std::uint64_t rows() const { return rows_; }

private:
    async<archive::kept_file> copy(std::string table, jobs::record_span span);

    surroundings around_;
    std::atomic<std::uint64_t> rows_ = 0;
};

}  // namespace muster::retention
