#pragma once

#include "adapters/archive/archive_store.h"
#include "core/jobs/retention.h"
#include "core/table/schema.h"
#include "ports/clock.h"
#include "ports/ledger.h"
#include "services/retention/archive_progress.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace muster::retention {

// The tables of jobs, in the order of archiving and deletion. The rows of `jobs` are deleted last:
// while one exists, its span is not finished.
const std::vector<std::string>& tables_by_span();

// Copies a span of records to files, part by part (docs/internals/retention.md). The first part has
// all records; later changes of the span become further parts. A part is never rewritten, because
// the ledger may have fewer records by then. The ledger lists the parts. Not thread-safe except for
// rows(); call from one strand.
class job_archive {
public:
    struct dependencies {
        muster::ledger& ledger;
        archive::archive_store& files;
        muster::clock& clock;
        std::string server;    // owner of the directory
        table::schema schema;  // of the ledger
    };

    explicit job_archive(dependencies deps) : deps_(std::move(deps)) {}

    // Archives the span and all older records, and completes interrupted archives. Returns how far.
    // errc::conflict when another server was faster: retry.
    async<archive_mark> archive_span(jobs::record_span span);

    // errc::conflict when a table has rows of the span that were written after the mark.
    async<void> confirm(std::string table, jobs::record_span span, archive_mark mark);

    std::uint64_t rows() const { return rows_; }

private:
    result<table::definition> definition_of(const std::string& table) const;
    async<std::vector<archive_progress>> read_parts(wall_time from);
    async<void> write_part(archive_progress part);
    async<void> adopt_unrecorded(jobs::record_span span, std::vector<archive_progress>* parts);
    async<archive_mark> measure(jobs::record_span span);
    async<void> measure_payloads(jobs::record_span span, archive_mark* mark);
    async<bool> has_rows_after(std::string table, jobs::record_span span, std::int64_t sequence);
    async<std::vector<std::string>> changed_tables(jobs::record_span span, archive_mark mark);
    async<archive::archived_file> copy(
        archive::archive_store::part_name part, jobs::record_span span, archive_mark after);

    dependencies deps_;
    std::atomic<std::uint64_t> rows_ = 0;
};

}  // namespace muster::retention
